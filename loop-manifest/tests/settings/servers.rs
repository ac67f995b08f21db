//! `[servers]`.

use std::time::Duration;

use loop_agents::servers::GpuLayers;

use super::{super::*, Scenario, refusal};

#[test]
fn a_zero_is_a_value_and_every_key_has_a_default() {
    let user = "[servers.a]\ncommand = \"ollama serve\"\n[servers.b]\ncommand = \"q.gguf\"\nhealth = \"/ready\"\n\
                startup_seconds = 0\ngpu_layers = 0\n[servers.c]\ncommand = \"q.gguf\"\ngpu_layers = \"auto\"\nkeep = true\n";
    let settings = Scenario::new(user, "").load().unwrap_or_else(|findings| panic!("{findings}"));
    let servers = settings.user.tables.servers;
    let new = |line: &str| ServerCommand::new(line).expect("a command");
    assert_eq!(servers["a"], new("ollama serve"));
    assert_eq!((servers["a"].health(), servers["a"].startup()), ("/api/tags", Duration::from_secs(120)));
    let b = new("q.gguf").with_health(Some("/ready".to_owned())).with_startup(Duration::ZERO);
    assert_eq!(servers["b"], b.with_gpu_layers(Some(GpuLayers::Count(0))));
    assert_eq!(servers["c"], new("q.gguf").with_gpu_layers(Some(GpuLayers::Auto)).with_keep(true));
}

#[test]
fn only_the_user_names_servers_and_each_has_to_be_startable() {
    let project = refusal("[servers.a]\ncommand = \"./evil {port}\"");
    assert!(project.contains("`[servers]` is only for a user's own settings"), "{project}");
    let model = refusal("[models.x]\nmodel = \"openai:x\"\nserver = \"a\"");
    assert!(model.contains("`server` is only for a user's own settings"), "{model}");
    for (user, said) in [
        ("[servers]\na = 1", "`servers.a` has to be an object"),
        ("[servers.a]\ngpu_layers = 1", "`servers.a.command` is missing"),
        ("[servers.a]\ncommand = \"serve\"", "has no `{port}`"),
        ("[servers.a]\ncommand = \" \"", "is empty"),
        ("[servers.\"../a\"]\ncommand = \"q.gguf\"", "cannot be a name for a server"),
        ("[servers.a]\ncommand = \"q.gguf\"\nhealth = \"health\"", "is not a path on the server"),
        ("[servers.a]\ncommand = \"q.gguf\"\ngpu_layers = \"all\"", "is no number of layers"),
        ("[servers.a]\ncommand = \"q.gguf\"\ngpu_layers = -1", "number from 0 to"),
        ("[servers.a]\ncommand = \"q.gguf\"\nhelth = \"/\"", "did you mean `health`?"),
    ] {
        let refused = Scenario::new(user, "").load().expect_err("refused").to_string();
        assert!(refused.contains(said), "{user}: {refused}");
    }
}
