//! `[remote]`.

use super::{Scenario, refusal};

const USER: &str =
    "[remote]\nenabled = true\nallow = [\"Wiki.Internal\", \"127.1\"]\ntoken_host = \"docs.example.org\"";

#[test]
fn only_the_user_turns_addresses_on() {
    let load = |user: &str| Scenario::new(user, "").load().unwrap_or_else(|findings| panic!("{findings}"));
    let settings = load(USER);
    let allowed: Vec<_> = settings.user.tables.remote.allow.iter().map(ToString::to_string).collect();
    assert_eq!(allowed, ["127.0.0.1", "wiki.internal"]);
    let variable = |name: &str| (name == "HTTP_BEARER_TOKEN").then(|| "t0ken".into());
    let reader = format!("{:?}", settings.remote_reader(variable).expect("it is on"));
    assert!(reader.contains("docs.example.org") && reader.contains("Bearer"), "{reader}");
    assert!(!reader.contains("t0ken"), "{reader}");
    for off in ["", "[remote]\nallow = [\"x\"]", "[remote]\nenabled = false"] {
        let said = load(off).remote_reader(|_| None).expect_err("it is off").to_string();
        assert!(said.contains("`enabled = true` under `[remote]`"), "{said}");
    }
    let said = refusal(USER);
    for key in ["enabled", "allow", "token_host"] {
        assert!(said.contains(&format!("`{key}` is only for a user's own settings")), "{said}");
    }
    for (user, expected) in [
        ("[remote]\nallow = [\"http://x\"]", "`http://x` is not a host"),
        ("[remote]\ntoken_host = \"x:80\"", "`x:80` is not a host"),
        ("[remote]\nenable = true", "did you mean `enabled`?"),
    ] {
        let said = Scenario::new(user, "").load().expect_err("it is wrong").to_string();
        assert!(said.contains(expected), "{said}");
    }
}
