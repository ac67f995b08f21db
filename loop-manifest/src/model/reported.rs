//! The facts that servers report.

use loop_agents::{
    chat::{Endpoint, GenaiError, Vendor},
    facts::{ListedModel, ModelFacts},
};

use super::{blocking, facts_store::FactsStore};

/// Returns the facts that the model's server reports, as they are kept or by asking for up to two seconds; with
/// `refresh` it asks in any case. A vendor's own server is not asked: it does not report them. `listed` is the model in
/// a list that the server has just sent; without it, the server is asked for the list.
pub(super) fn reported(
    server: &Endpoint,
    model: &str,
    listed: Option<ListedModel>,
    store: &FactsStore,
    refresh: bool,
) -> ModelFacts {
    let has_digests = match server.vendor() {
        Vendor::Ollama => true,
        Vendor::OpenAi if server.has_own_address() => false,
        _ => return ModelFacts::default(),
    };
    let kept = |digest: Option<&str>| store.recent(server, model, digest).filter(|_| !refresh);
    if !has_digests && let Some(facts) = kept(None) {
        return facts;
    }
    let now = store.now();
    let answer = blocking::ask(async {
        let listed = match listed {
            None => server.listed(&now).await?.into_iter().find(|listed| listed.is_called(model)),
            listed => listed,
        };
        let digest = listed.as_ref().map(|listed| listed.digest.clone()).unwrap_or_default();
        if has_digests && let Some(facts) = kept(Some(&digest)) {
            return Ok((digest, facts, true));
        }
        let facts = server.facts_of(model, &now).await?;
        Ok::<_, GenaiError>((digest, facts.or(listed.map(|listed| listed.facts).unwrap_or_default()), false))
    });
    match answer {
        Ok(Some(Ok((_, facts, true)))) => facts,
        Ok(Some(Ok((digest, facts, false)))) => {
            // Without a place for them, the server is asked again next time.
            let _ = store.keep(server, model, &digest, &facts);
            facts
        }
        // The server does not answer now. What it reported a while ago is probably still right.
        _ => kept(None).unwrap_or_default(),
    }
}
