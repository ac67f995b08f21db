//! Programs that list files and their types.

use super::{
    Operands::{Expression, Paths, Text, TextThenPaths},
    OptionEffect::{Executes, FollowsLinks, ReadsUnseen, Writes},
    Program, program,
};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        flags: "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x \
                -X -1 --all --almost-all --author --escape --ignore-backups --directory --file-type \
                --full-time --group-directories-first --no-group --human-readable --si \
                --dereference-command-line --inode --kibibytes --numeric-uid-gid --literal \
                --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --zero",
        // These letters have other meanings elsewhere.
        valued: "--block-size --format --hide --ignore --indicator-style --quoting-style --sort --time \
                 --time-style --tabsize --width",
        attached: "--classify --color --hyperlink",
        refused: &[(FollowsLinks, "-L --dereference")],
        walks: "-R --recursive",
        ..program(&["ls"], Paths)
    },
    // The policy judges a named link by its target, so following it is harmless.
    Program {
        flags: "-f -L -t --dereference --file-system --terse",
        valued: "-c --format --printf --cached",
        ..program(&["stat"], Paths)
    },
    Program {
        flags: "-0 -a -b -c -D -h -H -k -l -m -P -s -S -x --all --apparent-size --bytes --count-links \
                --dereference-args --human-readable --inodes --no-dereference --null --one-file-system \
                --separate-dirs --si --summarize --total",
        valued: "-B -d -t --block-size --exclude --max-depth --threshold --time-style",
        attached: "--time",
        files: "-X --exclude-from",
        refused: &[(ReadsUnseen, "--files0-from"), (FollowsLinks, "-L --dereference")],
        walks: "*",
        ..program(&["du"], Paths)
    },
    Program {
        flags: "-0 -b -h -i -k -L -n -N -r --apple --brief --dereference --extension --keep-going --mime \
                --mime-encoding --mime-type --no-buffer --no-dereference --no-pad --print0 --raw",
        valued: "-e -F -P --exclude --parameter --separator",
        refused: &[
            (Executes, "-z -Z --uncompress --uncompress-noreport"),
            (Executes, "-S --no-sandbox"),
            (Writes, "-C --compile -p --preserve-date"),
            (ReadsUnseen, "-f --files-from -m --magic-file"),
        ],
        ..program(&["file"], Paths)
    },
    Program {
        flags: "-P -a -and -d -daystart -depth -empty -executable -false -ignore_readdir_race -ls -mount \
                -nogroup -noleaf -not -nouser -nowarn -o -or -print -print0 -prune -quit -readable -true -warn \
                -writable -xdev --help --version",
        valued: "-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex \
                 -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newerBt -newerat -newerct \
                 -newermt -path -perm -printf -regex -regextype -size -type -uid -used -user -wholename -xtype",
        files: "-anewer -cnewer -newer -newermm -samefile",
        refused: &[
            (Executes, "-exec -execdir -ok -okdir"),
            (Writes, "-delete -fprint -fprint0 -fprintf -fls"),
            (ReadsUnseen, "-files0-from"),
            (FollowsLinks, "-L -H -follow"),
        ],
        walks: "*",
        ..program(&["find"], Expression)
    },
    Program {
        flags: "-0 -1 -a -F -g -H -i -I -p -q -s -u --absolute-path --case-sensitive --fixed-strings \
                --full-path --glob --hidden --ignore-case --no-ignore --print0 --quiet --unrestricted",
        valued: "-c -d -e -E -t --changed-within --color --exclude --extension --max-depth --max-results \
                 --min-depth --size --type",
        refused: &[
            (Executes, "-x --exec -X --exec-batch -l --list-details"),
            (ReadsUnseen, "--ignore-file --base-directory --search-path"),
            (FollowsLinks, "-L --follow"),
        ],
        walks: "*",
        ..program(&["fd", "fdfind"], TextThenPaths(""))
    },
    Program {
        flags: "-a -c -C -d -D -f -F -g -h -i -J -n -N -p -q -Q -r -s -S -t -u -U -v -x -X --dirsfirst --du \
                --gitignore --noreport --prune --si",
        valued: "-L",
        refused: &[
            (Writes, "-o -R"),
            (ReadsUnseen, "--fromfile --fromtabfile --gitfile --infofile"),
            (FollowsLinks, "-l"),
        ],
        // Newer editions also take digits from the same word. Here these are unknown options.
        is_detached: true,
        walks: "*",
        ..program(&["tree"], Paths)
    },
    Program {
        flags: "-j -J -t -v -z --force-local",
        files: "-f --file",
        refused: &[
            (Executes, "--to-command --checkpoint-action -I --use-compress-program --rsh-command"),
            (Executes, "-F --info-script --new-volume-script --rmt-command"),
            (Writes, "-x --extract --get -c --create -r --append -u --update --delete"),
            (Writes, "-A --catenate --concatenate --remove-files --index-file"),
            (ReadsUnseen, "-T --files-from -C --directory"),
        ],
        needs: &[
            // Without the dash, the first word would be a bundle of options.
            ("-t", "all other modes write files"),
            ("--force-local", "a `:` in a name makes it ask another computer"),
        ],
        has_bundle: true,
        ..program(&["tar"], Text)
    },
];
