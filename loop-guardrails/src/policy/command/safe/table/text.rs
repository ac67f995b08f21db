//! Programs that show the contents of files, and a few that read no file.

use super::{
    Operands::{Anything, Format, OnePath, Paths, Text, TextThenPaths},
    OptionEffect::{Executes, FollowsLinks, ReadsUnseen, Writes},
    Program, program,
};

pub(super) const PROGRAMS: &[Program] = &[
    program(&["pwd", "echo", "true", "false", "basename", "dirname", "tr"], Anything),
    Program {
        flags: "-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends \
                --show-nonprinting --show-tabs --squeeze-blank",
        opens: true,
        ..program(&["cat"], Paths)
    },
    Program {
        flags: "-b -l -s --print-bytes --quiet --silent --verbose",
        valued: "-i -n --bytes --ignore-initial",
        opens: true,
        ..program(&["cmp"], Paths)
    },
    // For two folders it would compare all files. We pass it open files, so it gets no folders.
    Program {
        flags: "-a -b -B -c -d -e -E -i -n -N -q -s -t -T -u -w -y -Z --brief --ed --expand-tabs \
                --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change \
                --ignore-tab-expansion --ignore-trailing-space --initial-tab --left-column --minimal --normal --rcs \
                --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr \
                --suppress-common-lines --text",
        valued: "-C -F -I -U -W --horizon-lines --ignore-matching-lines --label --show-function-line --tabsize --width",
        attached: "--color --context --unified",
        refused: &[
            (
                ReadsUnseen,
                "-r --recursive -x --exclude -X --exclude-from -S --starting-file --from-file --to-file",
            ),
            (FollowsLinks, "--no-dereference"),
        ],
        opens: true,
        ..program(&["diff"], Paths)
    },
    Program {
        flags: "-p --no-renumber",
        valued: "-b -d -f -h -i -l -n -s -v -w --body-numbering --line-increment --number-format \
                 --number-separator --number-width --starting-line-number",
        opens: true,
        ..program(&["nl"], Paths)
    },
    Program {
        flags: "-NUM -q -v -z --quiet --silent --verbose --zero-terminated",
        valued: "-n --lines -c --bytes",
        opens: true,
        ..program(&["head"], Paths)
    },
    Program {
        flags: "-NUM -f -F -q -r -v -z --quiet --retry --silent --verbose --zero-terminated",
        valued: "-n --lines -c --bytes --pid --sleep-interval",
        attached: "--follow",
        opens: true,
        ..program(&["tail"], Paths)
    },
    Program {
        flags: "-c -l -L -m -w --bytes --chars --lines --max-line-length --words",
        valued: "--total",
        refused: &[(ReadsUnseen, "--files0-from")],
        opens: true,
        ..program(&["wc"], Paths)
    },
    Program {
        flags: "-NUM -a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -s -T -v -w -x -z --basic-regexp \
                --byte-offset --count --extended-regexp --files-with-matches --files-without-match \
                --fixed-strings --ignore-case --initial-tab --invert-match --line-buffered --line-number \
                --line-regexp --no-filename --no-group-separator --no-ignore-case --no-messages --null \
                --null-data --only-matching --perl-regexp --quiet --silent --text --with-filename \
                --word-regexp",
        valued: "-A -B -C -D -e -m --after-context --before-context --binary-files --context --devices \
                 --exclude --exclude-dir --group-separator --include --label --max-count --regexp",
        attached: "--color --colour",
        files: "-f --file --exclude-from",
        refused: &[
            (ReadsUnseen, "-r --recursive -d --directories"),
            (FollowsLinks, "-R --dereference-recursive"),
        ],
        opens: true,
        ..program(&["grep"], TextThenPaths("-e --regexp -f --file"))
    },
    Program {
        flags: "-a -c -F -h -H -i -I -l -n -N -o -p -P -q -s -S -U -v -w -x -0 --case-sensitive --column --count \
                --count-matches --files --files-with-matches --files-without-match --fixed-strings --heading \
                --ignore-case --invert-match --json --line-number --line-regexp --multiline \
                --multiline-dotall --no-config --no-filename --no-heading --no-line-number --no-messages \
                --null --only-matching --passthru --pcre2 --pretty --quiet --smart-case --stats --text --trim \
                --vimgrep --with-filename --word-regexp",
        valued: "-A -B -C -e -g -m -M -r -t -T --after-context --before-context --color --colors --context \
                 --glob --iglob --max-columns --max-count --max-depth --max-filesize --regexp --replace --sort \
                 --sortr --type --type-not",
        files: "-f --file --ignore-file",
        refused: &[
            (Executes, "--pre --hostname-bin -z --search-zip"),
            (ReadsUnseen, "-. --hidden -u --unrestricted --no-ignore"),
            (FollowsLinks, "-L --follow"),
        ],
        opens: true,
        walks: "*",
        ..program(&["rg"], TextThenPaths("-e --regexp -f --file --files"))
    },
    Program {
        flags: "-a -c -C -e -j -M -n -r -R -s -S --args --ascii-output --color-output --compact-output \
                --exit-status --join-output --jsonargs --monochrome-output --null-input --raw-input \
                --raw-output --raw-output0 --seq --slurp --sort-keys --stream --tab --unbuffered",
        valued: "--indent",
        pairs: "--arg --argjson",
        refused: &[
            (ReadsUnseen, "--slurpfile --rawfile --argfile --run-tests"),
            (ReadsUnseen, "-L --library-path -f --from-file"),
        ],
        unspoken: Some((ReadsUnseen, "import include modulemeta")),
        opens: true,
        ..program(&["jq"], TextThenPaths(""))
    },
    Program {
        flags: "-B -p -t -w --detect-base --ignore-whitespace --pretty --text",
        valued: "-a --attribute -r --remove-nodes -b --base",
        files: "-f --filename",
        refused: &[(Writes, "-o --output")],
        opens: true,
        ..program(&["htmlq"], Text)
    },
    Program {
        flags: "-A -d -f -n -p -P -S -u --chop-long-lines --diff --force-colorization --number --plain \
                --show-all --squeeze-blank --unbuffered",
        valued: "-H -l -m -r --color --decorations --diff-context --file-name --highlight-line \
                 --italic-text --language --line-range --map-syntax --style --tabs --terminal-width \
                 --theme --wrap",
        refused: &[
            (Executes, "--pager --paging --lessopen"),
            (Writes, "-b --build -c --clear --generate-config-file --source --target"),
            (ReadsUnseen, "--diagnostic --diagnostics"),
        ],
        subcommands: Some((Writes, "cache")),
        opens: true,
        ..program(&["bat", "batcat"], Paths)
    },
    Program {
        flags: "-b -c -C -d -f -g -h -i -m -M -n -r -R -s -u -V -z --debug --dictionary-order \
                --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks \
                --ignore-nonprinting --merge --month-sort --numeric-sort --random-sort --reverse --stable \
                --unique --version-sort --zero-terminated",
        valued: "-k --key -t --field-separator -S --buffer-size --batch-size --parallel --sort",
        attached: "--check",
        files: "--random-source",
        refused: &[
            (Executes, "--compress-program"),
            (Writes, "-o --output -T --temporary-directory"),
            (ReadsUnseen, "--files0-from"),
        ],
        opens: true,
        ..program(&["sort"], Paths)
    },
    Program {
        flags: "-c -d -D -i -u -z --count --ignore-case --repeated --unique --zero-terminated",
        valued: "-f -s -w --check-chars --skip-chars --skip-fields",
        attached: "--all-repeated --group",
        opens: true,
        ..program(&["uniq"], OnePath)
    },
    Program {
        flags: "-n -s -z --complement --only-delimited --zero-terminated",
        valued: "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        opens: true,
        ..program(&["cut"], Paths)
    },
    Program {
        flags: "-R -u --debug --resolution --rfc-2822 --rfc-email --universal --utc",
        valued: "-d --date --rfc-3339",
        attached: "-I --iso-8601",
        files: "-r --reference",
        refused: &[(Writes, "-s --set"), (ReadsUnseen, "-f --file")],
        ..program(&["date"], Format)
    },
    Program {
        flags: "-E -n -r -s -u -z --debug --null-data --posix --quiet --regexp-extended --sandbox --separate \
                --silent --unbuffered",
        valued: "-e --expression -l --line-length",
        files: "-f --file",
        refused: &[(Writes, "-i --in-place"), (FollowsLinks, "--follow-symlinks")],
        needs: &[("--sandbox", "its scripts can execute and write (`e`, `w`)")],
        opens: true,
        ..program(&["sed"], TextThenPaths("-e --expression -f --file"))
    },
    Program {
        flags: "-b -N -P -r -S --characters-as-bytes --posix --re-interval --sandbox --use-lc-numeric",
        valued: "-F --field-separator -v --assign -e --source",
        refused: &[
            (Executes, "-l --load -i --include"),
            (Writes, "-o --pretty-print -d --dump-variables -p --profile"),
            // The policy cannot judge the contents of the file.
            (ReadsUnseen, "-f --file -E --exec"),
        ],
        // With these it reads files that are not operands. `@` covers `@include`, and indirect calls by name.
        unspoken: Some((ReadsUnseen, "ARGV ARGC SYMTAB @")),
        needs: &[("--sandbox", "its scripts can execute and write (`system`, `print >`)")],
        is_ordered: true,
        opens: true,
        ..program(&["gawk"], TextThenPaths("-e --source"))
    },
];
