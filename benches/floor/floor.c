/*
 * The floor under `loop run`: spawns the same commands, reads what they print, and waits for them.
 * Nothing else. Usage: floor COUNT AGENT EVALUATOR
 *
 * As under `loop run`, each command runs in a session of its own, and a command without shell syntax without a
 * shell. The agent's two outputs are a pipe each; the evaluator's go into one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void check(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

static void read_to_end(int fd)
{
    char buffer[65536];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        ;
    check(got < 0, "read");
    close(fd);
}

static void run(char *command, int null, int outputs)
{
    int pipes[2][2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int simple = !strpbrk(command, " \t\n'\"\\$&;|<>(){}*?#~=`");
    char *line[] = {"sh", "-c", command, NULL};
    char **argv = simple ? line + 2 : line;

    check(posix_spawn_file_actions_init(&actions), "actions");
    check(posix_spawnattr_init(&attributes), "attributes");
    check(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID), "flags");
    posix_spawn_file_actions_adddup2(&actions, null, 0);
    for (int i = 0; i < outputs; i++)
        check(pipe2(pipes[i], O_CLOEXEC), "pipe2");
    posix_spawn_file_actions_adddup2(&actions, pipes[0][1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[outputs - 1][1], 2);

    check(posix_spawnp(&child, argv[0], &actions, &attributes, argv, environ), "posix_spawn");
    for (int i = 0; i < outputs; i++)
        close(pipes[i][1]);
    for (int i = 0; i < outputs; i++)
        read_to_end(pipes[i][0]);
    check(waitpid(child, NULL, 0) != child, "waitpid");

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
}

int main(int argc, char **argv)
{
    check(argc != 4, "usage: floor COUNT AGENT EVALUATOR");
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    check(null < 0, "/dev/null");
    for (long left = atol(argv[1]); left > 0; left--) {
        run(argv[2], null, 2);
        run(argv[3], null, 1);
    }
    return 0;
}
