//! The shapes of keys, for keys that come from a file or an answer rather than from a variable.
//!
//! Vendors give their keys prefixes so that they can be found. We list only those: a text that is merely long and
//! random may be a hash that somebody needs to read.

use super::forms::folded;

/// A key: a prefix, and a minimum number of bytes of a class after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    pub(super) least: usize,
    /// Returns whether a byte can be part of the key.
    pub(super) class: fn(u8) -> bool,
}

impl Shape {
    /// Returns the pattern for the prefix.
    pub(super) fn prefix_form(&self) -> Vec<u8> {
        self.prefix.bytes().map(folded).collect()
    }
}

const fn shape(prefix: &'static str, least: usize, class: fn(u8) -> bool) -> Shape {
    Shape { prefix, least, class }
}

/// A longer prefix precedes a shorter one that it begins with.
pub(super) const SHAPES: &[Shape] = &[
    // Model vendors.
    shape("sk-ant-", 20, token),
    shape("sk-proj-", 20, token),
    shape("sk-svcacct-", 20, token),
    shape("sk-admin-", 20, token),
    shape("sk-or-v1-", 20, token),
    shape("sk-", 32, letters),
    shape("AIza", 35, token),
    shape("gsk_", 40, letters),
    shape("xai-", 40, letters),
    shape("hf_", 30, letters),
    shape("r8_", 30, letters),
    shape("pplx-", 40, letters),
    // Code hosts and package registries.
    shape("github_pat_", 40, token),
    shape("ghp_", 30, letters),
    shape("gho_", 30, letters),
    shape("ghu_", 30, letters),
    shape("ghs_", 30, letters),
    shape("ghr_", 30, letters),
    shape("glpat-", 20, token),
    shape("glrt-", 20, token),
    shape("gldt-", 20, token),
    shape("glptt-", 40, letters),
    shape("npm_", 36, letters),
    shape("pypi-", 50, token),
    shape("dckr_pat_", 20, token),
    shape("ATATT3", 60, equals),
    // Clouds and services.
    shape("AKIA", 16, capitals),
    shape("ASIA", 16, capitals),
    shape("ya29.", 30, token),
    shape("GOCSPX-", 24, token),
    shape("dapi", 32, hex),
    shape("dp.pt.", 40, letters),
    shape("glsa_", 36, token),
    shape("lin_api_", 32, letters),
    shape("NRAK-", 27, capitals),
    shape("ntn_", 40, letters),
    shape("PMAK-", 50, token),
    shape("shpat_", 32, hex),
    shape("shpss_", 32, hex),
    shape("whsec_", 24, base64),
    shape("sbp_", 40, hex),
    shape("hvs.", 24, token),
    shape("AGE-SECRET-KEY-1", 50, capitals),
    shape("dop_v1_", 40, letters),
    shape("sk_live_", 16, letters),
    shape("sk_test_", 16, letters),
    shape("rk_live_", 16, letters),
    shape("SG.", 40, dotted),
    shape("xoxb-", 20, token),
    shape("xoxp-", 20, token),
    shape("xoxa-", 20, token),
    shape("xoxr-", 20, token),
    shape("xoxs-", 20, token),
    shape("xapp-", 20, token),
    // JSON web tokens, by the first key of their header: `alg`, `typ` or `kid`.
    shape("eyJhbGciOi", 30, dotted),
    shape("eyJ0eXAiOi", 30, dotted),
    shape("eyJraWQiOi", 30, dotted),
    // The body of a private key, with its line ends, also as JSON escapes them.
    shape("PRIVATE KEY-----", 64, armor),
];

const fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

const fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

const fn equals(byte: u8) -> bool {
    token(byte) || byte == b'='
}

const fn letters(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

const fn capitals(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

const fn token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

const fn dotted(byte: u8) -> bool {
    token(byte) || byte == b'.'
}

/// A key may stand in a quotation, a comment, a list or a table.
const fn armor(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'+' | b'/' | b'=' | b'\\' | b'\r' | b'\n' | b'\t' | b' ' | b'>' | b'#' | b'*' | b'|'
        )
}
