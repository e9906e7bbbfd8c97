//! The fields that the sink adds to a station's payload.

use flagfall::system_clock::Utc;
use flagfall::wire::envelope::{Stamp, add_stamp, make_message, withdraw};
use flagfall::wire::node::{NodeState, NodeStatus};
use flagfall::wire::time::{Anchor, TimeSource};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::tapes::own_tapes;

fn stamp(node: &str, err_ms: Option<u32>) -> Stamp {
    let utc = Utc::parse("2026-11-21T13:00:00Z").expect("a time");
    Stamp { node: node.to_owned(), boot: 3, anchor: Anchor { at: Instant(5_000_000), utc, sync: TimeSource::Ntp, err_ms } }
}

/// The payload without the fields of the sink.
fn without(payload: &str) -> Value {
    let mut value: Value = serde_json::from_str(payload).unwrap_or_else(|error| panic!("{error}: {payload}"));
    let fields = value.as_object_mut().expect("an object");
    for key in ["node", "boot"] {
        assert!(fields.remove(key).is_some(), "{key}: {payload}");
    }
    let time = fields["t"].as_object_mut().expect("a time");
    for key in ["utc", "sync"] {
        assert!(time.remove(key).is_some(), "{key}: {payload}");
    }
    time.remove("err_ms");
    value
}

#[test]
fn fields_stand_in_the_order_of_the_contract() {
    let payload = r#"{"v":"1.0","type":"board.state","game":"g","rev":61,"t":{"us":6827331},"body":{"t":{"us":1}}}"#;
    assert_eq!(
        add_stamp(payload, &stamp("pi-07", Some(4))),
        concat!(
            r#"{"v":"1.0","type":"board.state","game":"g","rev":61,"node":"pi-07","boot":3,"#,
            r#""t":{"us":6827331,"utc":"2026-11-21T13:00:01.827Z","sync":"ntp","err_ms":4},"body":{"t":{"us":1}}}"#
        )
    );
    assert_eq!(add_stamp("", &stamp("pi-07", None)), "");
}

#[test]
fn every_payload_of_every_trace_is_only_added_to() {
    for tape in own_tapes() {
        for sent in tape.run().messages().filter(|message| !message.payload.is_empty()) {
            let whole = add_stamp(&sent.payload, &stamp("pi-07", None));
            assert_eq!(without(&whole), serde_json::from_str::<Value>(&sent.payload).expect("JSON"));
        }
    }
}

#[test]
fn a_will_has_no_time() {
    let will = make_message("node.status", None, &stamp("pi-07", None), None, &NodeStatus { state: NodeState::Lost, run: None });
    assert_eq!(will, r#"{"v":"1.3","type":"node.status","node":"pi-07","boot":3,"body":{"state":"lost"}}"#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Texts that look like the place for the new fields do not mislead the sink.
    #[test]
    fn texts_do_not_mislead(id in "(.|,\"t\":\\{\"us\":)*", text in "(.|,\"t\":\\{\"us\":7)*", us: u32, node in ".*", err: Option<u32>) {
        let (id_text, body) = (json!(id), json!({"reason": text}));
        let payload = format!(r#"{{"v":"1.0","type":"board.audit","id":{id_text},"no":1,"game":"g","t":{{"us":{us}}},"body":{body}}}"#);
        let whole = add_stamp(&payload, &stamp(&node, err));
        prop_assert_eq!(without(&whole), serde_json::from_str::<Value>(&payload).expect("JSON"));
        prop_assert_eq!(&serde_json::from_str::<Value>(&whole).expect("JSON")["node"], &json!(node));
    }

    #[test]
    fn a_moment_and_its_time_belong_together(at in 0..1u64 << 50) {
        let anchor = stamp("n", None).anchor;
        prop_assert_eq!(anchor.instant_at(anchor.utc_at(Instant(at))), Instant(at));
    }
}

#[test]
fn a_state_that_is_withdrawn_is_json_again() {
    for payload in [r#"{"node":"a","body":{"game_no":1}}"#, r#"{"node":"a","body":{}}"#, r#"{"body":{ }}"#] {
        let withdrawn = withdraw(payload).expect("a state");
        let message: Value = serde_json::from_str(&withdrawn).unwrap_or_else(|error| panic!("{error}: {withdrawn}"));
        assert_eq!((message["body"]["withdrawn"].as_bool(), withdraw(&withdrawn)), (Some(true), None), "{payload}");
    }
}
