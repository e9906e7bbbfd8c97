use super::*;

fn at(seconds: u64) -> MonotonicTime {
    MonotonicTime(seconds * 1_000_000)
}

fn nodes(state: &str) -> Nodes {
    let mut nodes = Nodes::default();
    // The card of a machine with boards, which says that it sends the games.
    nodes.note_status("a-thief", br#"{"body":{"state":"ready"}}"#);
    nodes.note_info("a-thief", br#"{"body":{"collects":["open26/5"]}}"#);
    nodes.note_status("b-collect", format!(r#"{{"body":{{"state":"{state}"}}}}"#).as_bytes());
    nodes.note_info("b-collect", br#"{"body":{"collects":["open26/5"]}}"#);
    nodes
}

fn decided(state: &str, own: &str) -> Claim {
    let mut claim = Claim::default();
    claim.decide(&nodes(state), "open26", own, true, at(0));
    claim
}

#[test]
fn a_collector_that_was_there_before_sends() {
    let theirs = Claim::Theirs { by: "b-collect".to_owned(), gone: None };
    for (state, own, expected) in [
        ("ready", "a-collect", theirs.clone()),
        ("ready", "c-collect", theirs.clone()),
        ("init", "a-collect", Claim::Ours),
        ("init", "c-collect", theirs),
        ("lost", "c-collect", Claim::Ours),
        ("ready", "b-collect", Claim::Ours),
    ] {
        assert_eq!(decided(state, own), expected, "{state} {own}");
    }
    let mut other_event = Claim::default();
    other_event.decide(&nodes("ready"), "open", "a", true, at(0));
    assert_eq!(other_event, Claim::Ours);
}

#[test]
fn only_a_collector_that_stands_by_takes_over_and_only_after_half_a_minute() {
    for standby in [true, false] {
        let mut claim = decided("ready", "a-collect");
        let mut decide = |state, second| {
            claim.decide(&nodes(state), "open26", "a-collect", standby, at(second));
            claim == Claim::Ours
        };
        assert!(!decide("lost", 10) && !decide("lost", 39));
        assert!(!decide("ready", 39) && !decide("stopped", 45), "it came back");
        assert!(!decide("stopped", 74));
        assert_eq!(decide("stopped", 75), standby);
        assert_eq!(decide("ready", 76), standby, "who sends goes on");
    }
}
