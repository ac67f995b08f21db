//! The keys of the three sandboxes.

use super::super::{
    key::{Key, KeyRequirement::Optional},
    shape::{
        Sample::{List, Text},
        Shape,
    },
    words::{ENFORCEMENTS, NETWORKS},
};

/// A path: not empty, in no other user's home folder, without `..`, patterns and NUL characters.
const PATHS: &str = r"^(?!(.*/)?\.\.(/|$))(?!~[^/])[^\u0000*?\[]+$";

/// Such a path that is not the whole system.
const WRITABLE_PATHS: &str = r"^(?!/+$)(?!(.*/)?\.\.(/|$))(?!~[^/])[^\u0000*?\[]+$";

/// A host with a port. The validator knows more about names.
const HOSTS: &str = r"^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+):[0-9]{1,5}$";

macro_rules! keys {
    ($object:literal, $meaning:literal, $explanation:literal) => {
        &[
            Key::new($object, Optional, Shape::Object, $meaning).explained($explanation),
            Key::new(
                concat!($object, ".write"),
                Optional,
                Shape::List(WRITABLE_PATHS),
                "files and folders that commands can write",
            )
            .explained(
                "The files and folders that commands can write, and everything below them. A path begins with `/`, \
                 with `~/` for the home folder, or in the folder of the run. A private temporary folder (`TMPDIR`) is \
                 always added, and so are the files that a known agent (claude, codex, gemini, opencode, pi, aider) \
                 keeps for itself.",
            )
            .default(List(&["."]))
            .examples(&[List(&["src", "target"])]),
            Key::new(
                concat!($object, ".read"),
                Optional,
                Shape::List(PATHS),
                "files and folders that commands can read",
            )
            .explained(
                "The files and folders that commands can read and execute, and everything below them. Those in `write` \
                 are always among them. By default, the folders of the system, the toolchains in the home folder and \
                 on `PATH`, and the folder of the run. Files with secrets are hidden.",
            )
            .examples(&[List(&["/usr", "/etc", "~/.cargo", "."])]),
            Key::new(
                concat!($object, ".network"),
                Optional,
                Shape::WordOrTexts(NETWORKS, HOSTS),
                "the network that commands can use",
            )
            .explained(
                "The network that commands can use: a word, or a list of hosts with ports, such as `api.example.org:443`. \
                 With a list, a proxy of `loop` connects to these hosts and to no other, which needs the right to create \
                 a network (root, or `CAP_SYS_ADMIN`).",
            )
            .default(Text("all"))
            .examples(&[List(&["api.example.org:443", "[::1]:8080"])]),
            Key::new(
                concat!($object, ".enforce"),
                Optional,
                Shape::OneOf(ENFORCEMENTS),
                "what happens if this machine cannot confine commands",
            )
            .explained("The answer to a machine that cannot enforce a part of the sandbox.")
            .default(Text("require")),
        ]
    };
}

pub(super) const SHARED: &[Key] = keys!(
    "sandbox",
    "the boundary around the agent and the check",
    "The boundary around the commands of the agent, the check and the review: the files and the network that they can \
     use. The kernel enforces it (Linux, with Landlock). `{}` is a sandbox with the defaults. Without this key, there \
     is no sandbox. The tools of a model have a sandbox of their own, as the settings say."
);

pub(super) const OF_AGENT: &[Key] = keys!(
    "agent.sandbox",
    "the boundary around the agent's command",
    "The boundary around the agent's command. Keys that are not here are those of `sandbox`."
);

pub(super) const OF_EVALUATOR: &[Key] = keys!(
    "evaluator.sandbox",
    "the boundary around the check",
    "The boundary around the commands of the check and the review. Keys that are not here are those of `sandbox`."
);
