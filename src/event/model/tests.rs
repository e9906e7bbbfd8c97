use super::*;
use crate::wire::meta::{self, Pairing};

pub(crate) fn event() -> EventFile {
    let event = MetaEvent {
        uuid: new_uuid().expect("random"),
        name: "Example Open".to_owned(),
        site: String::new(),
        country: String::new(),
        rounds: 9,
        round: "1".to_owned(),
        force: false,
        time_control: None,
        profile: None,
        delay: 0,
        delay_moves: 0,
        chess960: false,
    };
    EventFile::new("open26", event).expect("an event")
}

fn with_round(mut file: EventFile) -> EventFile {
    let pairing = Pairing { board: "1".to_owned(), number: 1, ..Pairing::default() };
    file.rounds.insert(5, MetaRound { number: 5, boards: vec![pairing], ..MetaRound::default() });
    file
}

#[test]
fn a_file_is_read_as_it_was_written_and_found_beside_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, path) = (with_round(event()), folder.path().join("open26.json"));
    assert!(find(folder.path()).expect_err("none").why.contains("no event here"));
    file.write(&path).expect("written");
    fs::write(folder.path().join("package.json"), "{}").expect("written");
    assert_eq!(EventFile::read(&find(folder.path()).expect("one")).expect("read"), file);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "no temporary file is left");
    file.write(&folder.path().join("other.json")).expect("written");
    assert!(find(folder.path()).expect_err("two").why.contains("--file"));
}

#[test]
fn a_broken_file_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("open26.json");
    let good = serde_json::to_string_pretty(&with_round(event())).expect("JSON");
    for (text, why) in [
        ("", "line 1"),
        ("{\n\"flagfall_event\": 1,\n\"id\": 7\n}", "line 3"),
        (&good.replace("\"flagfall_event\": 1", "\"flagfall_event\": 9"), "version 9"),
        (&good.replace("\"id\": \"open26\"", "\"id\": \"../x\""), "../x"),
        (&good.replace("\"number\": 5", "\"number\": 6"), "round 5"),
        (&good.replace("\"rounds\": 9", "\"rounds\": 3"), "3 rounds"),
    ] {
        fs::write(&path, text).expect("written");
        let error = EventFile::read(&path).expect_err(why).to_string();
        assert!(error.contains("open26.json: ") && error.contains(why), "{error}");
    }
}

#[test]
fn what_is_published_makes_the_file_again() {
    let mut file = with_round(event());
    let messages = file.publish("flagfall").expect("messages");
    assert_eq!(
        messages.iter().map(|sent| sent.topic.as_str()).collect::<Vec<_>>(),
        ["flagfall/1/meta/open26/5", "flagfall/1/meta/open26"]
    );
    let round = meta::read(messages[0].payload.as_bytes(), "meta.round").expect("a round");
    let event = meta::read(messages[1].payload.as_bytes(), "meta.event").expect("an event");
    assert_eq!(EventFile::from_meta("open26", event, vec![("5".to_owned(), round)]).expect("a file"), file);
    assert_eq!((file.rev, file.published.contains(&5)), (1, true));
}

#[test]
fn a_number_that_cannot_grow_is_an_error() {
    let mut file = EventFile { rev: u64::MAX, ..event() };
    assert!(file.publish("flagfall").expect_err("no number is higher").0.contains("`rev` is 18446744073709551615"));
    assert_eq!(file.rev, u64::MAX);
}

#[test]
fn every_event_has_its_own_uuid() {
    let (a, b) = (new_uuid().expect("random"), new_uuid().expect("random"));
    assert!(a.len() == 36 && a != b && a.chars().filter(char::is_ascii_hexdigit).count() == 32, "{a} {b}");
}
