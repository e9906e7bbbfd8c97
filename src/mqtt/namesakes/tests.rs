use super::*;

fn status(run: &str, state: &str) -> Vec<u8> {
    format!(r#"{{"boot":2,"body":{{"state":"{state}","run":"{run}"}}}}"#).into_bytes()
}

fn at(seconds: u64) -> MonotonicTime {
    MonotonicTime(seconds * 1_000_000)
}

#[test]
fn only_a_living_status_of_another_run_is_a_second_daemon() {
    let old = br#"{"boot":2,"body":{"state":"ready"}}"#.to_vec();
    let table = [
        ("ours", status("a", "ready"), Heard::Ours, false),
        ("our will after a takeover", status("a", "lost"), Heard::End, false),
        ("the will of an earlier run", status("b", "lost"), Heard::End, false),
        ("not a status", b"\xff".to_vec(), Heard::Nothing, false),
        ("a state of a later version", status("b", "asleep"), Heard::Nothing, false),
        ("a second daemon begins", status("b", "init"), Heard::Living, true),
        ("it is ready", status("b", "ready"), Heard::Nothing, true),
        ("it connects again", status("b", "init"), Heard::Living, true),
        ("it stops", status("b", "stopped"), Heard::End, false),
        ("a daemon of version 1.0", old, Heard::Living, true),
    ];
    let mut namesakes = Namesakes::new(&status("a", "lost"));
    for ((what, payload, heard, taken), second) in table.into_iter().zip((100..).step_by(10)) {
        let handled = namesakes.handle(&payload, at(second));
        namesakes.check(at(second + 3));
        assert_eq!((handled, namesakes.is_taken()), (heard, taken), "{what}");
    }
}

#[test]
fn a_second_daemon_that_ends_at_once_is_still_seen_by_who_looks_now_and_then() {
    let mut namesakes = Namesakes::new(&status("a", "lost"));
    namesakes.handle(&status("b", "ready"), at(100));
    namesakes.handle(&status("b", "stopped"), at(100));
    let taken: Vec<u64> = (100..110).filter(|second| (namesakes.check(at(*second)), namesakes.is_taken()).1).collect();
    assert_eq!(taken, [100, 101, 102]);
}

#[test]
fn however_often_another_status_replaces_ours_it_is_published_again_once_a_second() {
    let mut namesakes = Namesakes::new(&status("a", "lost"));
    let mut published = Vec::new();
    for tenth in 1_000..1_050 {
        let now = MonotonicTime(tenth * 100_000);
        for state in ["init", "stopped"] {
            namesakes.handle(&status("b", state), now);
        }
        published.extend(namesakes.check(now).then_some(tenth));
    }
    assert_eq!(published, [1_000, 1_010, 1_020, 1_030, 1_040]);
    assert!(namesakes.check(at(106)), "the last answer is not forgotten");
}

#[test]
fn a_start_with_a_higher_number_is_another_one() {
    let namesakes = Namesakes::new(&status("a", "lost"));
    let of = |boot: u64, run: &str| format!(r#"{{"boot":{boot},"body":{{"state":"stopped","run":"{run}"}}}}"#).into_bytes();
    let table = [(2, "b", None), (3, "b", Some(3)), (1_795_000_000_000_000, "b", Some(1_795_000_000_000_000)), (3, "a", None)];
    for (boot, run, later) in table {
        assert_eq!(namesakes.later_start(&of(boot, run)), later, "{boot} {run}");
    }
    assert_eq!(namesakes.later_start(b"\xff"), None);
}

#[test]
fn a_second_daemon_hears_us_and_is_forgotten_when_it_is_silent() {
    let mut namesakes = Namesakes::new(&status("a", "lost"));
    assert!(!namesakes.check(at(100)), "there is nobody");
    namesakes.handle(&status("b", "ready"), at(100));
    let repeated: Vec<u64> = (100..140).filter(|second| namesakes.check(at(*second))).collect();
    assert_eq!((repeated.as_slice(), namesakes.is_taken()), (&[100, 110, 120][..], false));
    namesakes.handle(&status("b", "ready"), at(200));
    namesakes.connected(at(1_000));
    assert!(namesakes.check(at(1_001)) && namesakes.is_taken(), "nobody could be heard meanwhile");
}
