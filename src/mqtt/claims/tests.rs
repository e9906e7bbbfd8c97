//! Tests which claims of other nodes count, and until when.

use super::*;
use crate::config::{FleetNode, Mqtt};
use crate::mqtt::{Identity, ReconnectDelays, status};

fn claims(node: &str) -> Claims {
    claims_in(node, Fleet::default())
}

/// The claims at a node whose file names these machines.
fn claims_in(node: &str, fleet: Fleet) -> Claims {
    let identity = Identity::read(&Mqtt::default(), node).expect("no files");
    let [root, event, round] = ["flagfall", "open26", "5"].map(str::to_owned);
    let boards = vec!["b1".to_owned(), "b2".to_owned()];
    let (node, client_file, reconnect) = (node.to_owned(), None, ReconnectDelays::default());
    Claims::new(&Settings { identity, client_file, root, node, event, round, boards, fleet, former: Vec::new(), reconnect })
}

fn described(changes: Vec<ClaimChange>) -> Vec<String> {
    changes.into_iter().map(|change| format!("{} {} {}", change.board, change.node, change.live)).collect()
}

fn status_payload(state: &str) -> Vec<u8> {
    format!(r#"{{"body":{{"state":"{state}"}}}}"#).into_bytes()
}

const INFO: &[u8] = br#"{"body":{"boards":["b2","b7"]}}"#;

#[test]
fn boards_are_listed_by_name_or_with_event_and_round() {
    for (listed, counts) in [("b2", true), ("open26/5/b2", true), ("open26/4/b2", false), ("open25/5/b2", false)] {
        let mut claims = claims("m");
        claims.connected();
        claims.handle_message("z", "info", format!(r#"{{"body":{{"boards":["{listed}"]}}}}"#).as_bytes());
        claims.handle_message("z", "status", &status_payload("ready"));
        assert_eq!(claims.gathered().len(), usize::from(counts), "{listed}");
    }
}

#[test]
fn a_claim_that_was_there_before_counts_until_its_node_is_gone() {
    let mut claims = claims("m");
    claims.connected();
    assert!(
        claims.handle_message("z", "info", INFO).is_empty()
            && claims.handle_message("z", "status", &status_payload("ready")).is_empty()
    );
    assert_eq!(described(claims.gathered()), ["b2 z true"]);
    claims.establish();
    assert!(claims.handle_message("z", "status", &status_payload("init")).is_empty(), "it only connects again");
    assert_eq!(described(claims.handle_message("z", "status", &status_payload("lost"))), ["b2 z false"]);
    assert!(
        claims.handle_message("z", "status", &status_payload("ready")).is_empty(),
        "now the board is ours, and the other node comes second"
    );
}

#[test]
fn a_claim_stays_over_a_connection_of_ours() {
    let mut claims = claims("m");
    claims.connected();
    claims.handle_message("z", "info", INFO);
    claims.handle_message("z", "status", &status_payload("ready"));
    claims.gathered();
    claims.connected();
    assert!(claims.handle_message("z", "status", &status_payload("ready")).is_empty());
    claims.handle_message("z", "info", INFO);
    assert!(claims.gathered().is_empty());
    claims.connected();
    assert_eq!(described(claims.gathered()), ["b2 z false"], "nobody is there any more");
}

#[test]
fn claims_that_do_not_count() {
    let table: [(&str, &str, &[u8], &str); 8] = [
        ("itself", "m", INFO, "ready"),
        ("other boards", "z", br#"{"body":{"boards":["b7"]}}"#, "ready"),
        ("another event", "z", br#"{"body":{"event":"cup","boards":["b2"]}}"#, "ready"),
        ("another round", "z", br#"{"body":{"event":"open26","round":"4","boards":["b2"]}}"#, "ready"),
        ("stopped", "z", INFO, "stopped"),
        ("begins with us and comes after us", "z", INFO, "init"),
        ("not JSON", "z", b"\xff{", "ready"),
        ("not a list", "z", br#"{"body":{"boards":{"b2":1}}}"#, "ready"),
    ];
    for (what, node, info, state) in table {
        let mut claims = claims("m");
        claims.gathered();
        claims.handle_message(node, "info", info);
        assert!(claims.handle_message(node, "status", &status_payload(state)).is_empty(), "{what}");
    }
}

#[test]
fn only_a_machine_to_which_the_file_gives_a_board_can_claim_it() {
    let fleet = |machines: &[(&str, &[&str])]| {
        let nodes = machines.iter().map(|(name, boards)| {
            ((*name).to_owned(), FleetNode { boards: boards.iter().map(|board| (*board).to_owned()).collect() })
        });
        Fleet { node: nodes.collect(), ..Fleet::default() }
    };
    let counting = |fleet: Fleet, by: &str, listed: &str| {
        let mut claims = claims_in("m", fleet);
        claims.connected();
        claims.handle_message(by, "info", format!(r#"{{"body":{{"boards":{listed}}}}}"#).as_bytes());
        claims.handle_message(by, "status", &status_payload("ready"));
        let counting = claims.gathered().len();
        assert_eq!(claims.is_listed("5", "b2"), counting > 0, "{by} {listed}");
        counting
    };
    let own = fleet(&[("m", &["b1", "b2"])]);
    let whole = fleet(&[("m", &["b1"]), ("p", &["b2"])]);
    // A board that the file gives to another machine is here only by a mistake.
    for (fleet, by, counts) in [(&own, "a", 0), (&own, "z", 0), (&whole, "p", 1), (&whole, "z", 0), (&Fleet::default(), "z", 1)] {
        for listed in [r#"["b2"]"#, r#"["open26/5/b2"]"#, r#"[{"id":"b2"}]"#] {
            assert_eq!(counting(fleet.clone(), by, listed), counts, "{by} {listed}: {fleet:?}");
        }
    }
}

#[test]
fn a_payload_that_is_no_object_has_no_effect() {
    let mut claims = claims("m");
    claims.gathered();
    for payload in ["[1]", "5", "\"body\"", "true", "null", "{\"body\":[]}", "{\"body\":\"ready\"}", "{}", ""] {
        for leaf in ["info", "status"] {
            assert!(claims.handle_message("z", leaf, payload.as_bytes()).is_empty(), "{leaf} {payload}");
        }
        assert_eq!((status::run_of(payload.as_bytes()), status::state_of(payload.as_bytes())), (None, None), "{payload}");
    }
}

#[test]
fn of_two_that_begin_together_one_withholds() {
    let (mut a, mut b) = (claims("a"), claims("b"));
    a.gathered();
    b.gathered();
    let mut held = Vec::new();
    for leaf in ["info", "status"] {
        let payload = if leaf == "info" { INFO.to_vec() } else { status_payload("init") };
        held.extend(a.handle_message("b", leaf, &payload));
        held.extend(b.handle_message("a", leaf, &payload));
    }
    assert_eq!(described(held), ["b2 a true"]);
}

#[test]
fn boards_may_be_objects_and_an_info_may_go() {
    let mut claims = claims("m");
    claims.gathered();
    claims.handle_message("z", "status", &status_payload("ready"));
    let info = br#"{"body":{"event":"open26","round":"5","boards":[{"id":"b1"},{"id":"b2"}]}}"#;
    assert_eq!(described(claims.handle_message("z", "info", info)), ["b1 z true", "b2 z true"]);
    assert_eq!(described(claims.handle_message("z", "info", INFO)), ["b1 z false"]);
    assert_eq!(described(claims.handle_message("z", "info", b"")), ["b2 z false"]);
}

#[test]
fn strangers_are_bounded() {
    let mut claims = claims("m");
    claims.gathered();
    for number in 0..NODES + 50 {
        claims.handle_message(&format!("n{number}"), "info", INFO);
    }
    assert_eq!(claims.peers.len(), NODES);
}
