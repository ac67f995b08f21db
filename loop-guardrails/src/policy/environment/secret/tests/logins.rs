//! Logins without a scheme before them, and other credentials without a name.

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

#[test]
fn a_credential_without_a_secret_name_is_hidden() {
    for value in [
        "FlyV1 fm2_0123456789abcdef+/==",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789ab",
        "jdbc:oracle:thin:scott/tiger@//db:1521/x",
        "machine h login u password p",
        "https://hooks.airtable.com/workflows/v1/genericWebhook/app/wfl/wtr",
        "key-0123456789abcdef0123456789abcdef",
        "<server><password>hunter2</password></server>",
        "https://open.feishu.cn/open-apis/bot/v2/hook/0b1c2d3e-aaaa-bbbb",
        "https://chat.example.org/hooks/abcdefgh0123456789",
        "abcDEF0123456.atlasv1.0123456789abcdef",
        "https://hc-ping.com/0b1c2d3e-aaaa-bbbb",
        "https://events.pagerduty.com/integration/0123456789abcdef/enqueue",
    ] {
        assert!(by_value(value), "{value}");
    }
    for value in [
        "https://host/webhooks/documentation-of-them",
        "https://host/hooks/2024",
        "<name>hunter2</name><password></password>",
        "token of the day is 0123456789abcdef0123",
        "key-of-the-house-and-all-of-its-doors",
    ] {
        assert!(!by_value(value), "{value}");
    }
}
