//! Manifests that run and are warned about.

use super::{JSON, YAML, check, json, load, yaml};

fn warnings(file: &str, manifest: &str) -> String {
    load(file, manifest).expect("this manifest has to be taken").warnings.to_string()
}

#[test]
fn what_is_odd_is_named() {
    let cases = [
        ("warn_slip", yaml("{goal}", "{goals} and {evaluator_ouput}, {evaluator_ouput}")),
        ("warn_prompt_in_prompt", yaml("{goal}", "{prompt}")),
        ("warn_unheard_of", yaml("{goal}", "{colour}")),
        ("warn_deaf_prompt", yaml("{evaluator_output}", "nothing")),
        ("warn_idle_allowance", format!("{YAML}  allow_unmetered: true\n")),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let manifest = json("{goal}", "{goals}");
    check("json_warn_slip", &manifest, &warnings("loop.json", &manifest));
}

#[test]
fn what_is_usual_is_not() {
    assert_eq!(warnings("loop.yaml", YAML), "");
    assert_eq!(warnings("loop.json", JSON), "");
    assert_eq!(warnings("loop.yaml", &yaml("{goal}", "{ a: 1 }, ${HOME}, {}, { goal } and {\"b\": 2}")), "");
    assert_eq!(warnings("loop.yaml", &yaml("{evaluator_output}", "{prior_output}")), "");
    let once = yaml("{evaluator_output}", "nothing").replace("max_iterations: 5", "max_iterations: 1");
    assert_eq!(warnings("loop.yaml", &once), "");
    let accepted = format!("{YAML}  allow_unmetered: true\n  max_cost_usd: 1\n");
    assert_eq!(warnings("loop.yaml", &accepted), "");
}
