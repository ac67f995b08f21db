//! Skills, as a session and the command use them.

mod loading;
mod scripts;
mod strict;
mod support;
