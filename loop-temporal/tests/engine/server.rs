//! The server of these tests.

use loop_manifest::settings::TemporalSettings;
use loop_temporal::{Settings, connect};
use temporalio_client::Client;

/// The variable with the address of a server that these tests may use.
const ADDRESS: &str = "LOOP_TEMPORAL_ADDRESS";

pub(crate) fn address() -> String {
    std::env::var(ADDRESS)
        .unwrap_or_else(|_| panic!("{ADDRESS} names no server; `.ci/nightly engine` starts one"))
}

pub(crate) async fn client() -> Client {
    let table = TemporalSettings { address: Some(address()), ..TemporalSettings::default() };
    connect(&Settings { table, key: None }, "test").await.expect("a server")
}
