//! Logins without a scheme before them.

use super::by_value;

#[test]
fn a_login_needs_no_scheme() {
    let bot = format!("123456789:AAF{}", "x1".repeat(16));
    for value in [
        "user:hunter22@host:5432/db",
        "kim:pa:ss@10.0.0.1:3306",
        "kim:x@tcp(db:3306)/app",
        "kim:x@unix(/run/db)/app",
        &bot,
    ] {
        assert!(by_value(value), "{value}");
    }
    for value in [
        "git@host:22/x",
        "host:5432/db",
        "12:30:45",
        "image:tag@sha256:0123",
        "/usr/bin:/home/a@b:1",
        "a:b@c",
        "localhost:1234:x",
    ] {
        assert!(!by_value(value), "{value}");
    }
}
