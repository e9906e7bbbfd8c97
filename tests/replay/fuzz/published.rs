//! What others publish: the organiser's messages at a node, and the states of a hall as `event ready` and `fleet status` judge them.

use flagfall::config::{Board, Config, load_venue};
use flagfall::event::follow::{Received, pairs_other_boards};
use flagfall::event::model::EventFile;
use flagfall::event::problems::{Problems, problems_of};
use flagfall::event::ready;
use flagfall::fleet;
use flagfall::system_clock::Utc;
use flagfall::wire::envelope::withdraw;
use flagfall::wire::meta::{MetaEvent, MetaRound};
use flagfall::wire::topics;
use serde_json::Value;

use super::{BYTES, campaign};
use crate::support::nearly::{mutated, mutated_bytes, run_until};

const EVENT: &str = "flagfall/1/meta/open26";
const META: [(&str, &str); 3] = [
    (
        "",
        r#"{"v":"1.1","type":"meta.event","rev":3,"body":{"uuid":"6f1c0000-0000-4000-8000-00000000000a","name":"Open","site":"Utrecht",
        "country":"NED","rounds":9,"round":"5","force":false,"time_control":"5400+30","profile":"fide-2023-rapid","delay":900,"delay_moves":3}}"#,
    ),
    (
        "/5",
        r#"{"v":"1.1","type":"meta.round","rev":3,"body":{"number":5,"date":"2026-11-21","start":"2026-11-21T14:00:00+01:00","boards":[
        {"board":"1","number":1,"device":"dgt-24012","white":{"name":"Anna","title":"WFM","rating":2143,"federation":"NED","fide_id":7},
        "black":{"name":"Ben"},"games":2},{"board":"2","number":2,"device":"dgt-24013","result":"+/-","reset":1,"replaced":1}],
        "outputs":{"files":{"retry":1,"reset":0}}}}"#,
    ),
    ("/6", r#"{"v":"1.1","type":"meta.round","rev":4,"body":{"number":6,"boards":[{"board":"2","number":1}]}}"#),
];

#[test]
fn a_node_takes_anything_from_the_organiser() {
    let board = |id: &str, serial: &str| Board { id: id.to_owned(), serial: Some(serial.to_owned()), ..Board::default() };
    let mut config = Config { board: vec![board("1", "24012"), board("2", "24013")], ..Config::default() };
    config.event.delay = 60;
    let one = |random: &mut fastrand::Rng| {
        let (mut node, mut used) = (Received::new("flagfall", "open26", None), 0);
        let mut problems = Problems::default();
        for _ in 0..random.usize(1..8) {
            let (place, payload) = META[random.usize(..META.len())];
            let payload = if random.bool() { payload.as_bytes().to_vec() } else { mutated_bytes(random, &[payload]) };
            let topic = format!("{EVENT}{}", if random.u8(..) < 200 { place.to_owned() } else { mutated(random, &[place]) });
            let taken = node.receive(&topic, &payload);
            problems.note(&topic, &taken);
            if taken.is_ok() {
                assert_eq!(node.receive(&topic, &payload), Ok(()), "the same again changes nothing");
            }
            used += payload.len();
        }
        assert!(node.rounds().count() <= 99 && problems.sentences().len() <= 8);
        let Some(published) = node.published() else { return used };
        let again = Received::new("flagfall", "open26", Some(published.clone()));
        assert_eq!(again.published().as_ref(), Some(&published), "after a restart");
        if let Ok(said) = published.apply(&config) {
            let ids: Vec<&str> = said.board.iter().map(|board| board.id.as_str()).collect();
            assert!(ids.len() == 2 && ids[0] != ids[1] && ids.iter().all(|id| topics::is_id(id)), "{ids:?}");
            assert!(said.event.delay >= config.event.delay, "an organiser can only delay more");
            pairs_other_boards(&config, &said);
        }
        used
    };
    campaign("fuzz of messages of the organiser", 0..1, |seed| run_until(seed, BYTES, one));
}

/// The retained messages of a hall in which everything is right.
const HALL: [(&str, &str); 9] = [
    ("flagfall/1/node/pi-01/status", r#"{"node":"pi-01","boot":7,"body":{"state":"ready","run":"a"}}"#),
    (
        "flagfall/1/node/pi-01/info",
        r#"{"node":"pi-01","body":{"version":"1.2","boards":["open26/5/1","open26/5/2"],"rounds":["open26/5"],"collects":[],"next_round":
        {"boards":["open26/6/1"],"held_by":["Board 1 plays."]},"problems":["The organiser's message is not used."],"delay":60}}"#,
    ),
    (
        "flagfall/1/node/pi-01/health",
        r#"{"node":"pi-01","t":{"us":1,"utc":"2026-11-28T11:59:30.000Z","sync":"ntp"},"body":{"disk_free_mib":4000,"journal_ok":true,
        "under_voltage":false,"name_taken":false,"failed_boards":["1"],"withheld_boards":[],"refused":0}}"#,
    ),
    (
        "flagfall/1/device/dgt-24012/status",
        r#"{"node":"pi-01","body":{"state":"online","kind":"board","board":"open26/5/1","battery_percent":80,"charging":false,
        "warnings":["low_signal"],"problem":null,"touched":3}}"#,
    ),
    (
        "flagfall/1/live/open26/5/1/state",
        r#"{"body":{"clock_status":"reporting","moves":[],"clock":{"white_ms":5400000,"black_ms":5430000}}}"#,
    ),
    ("flagfall/1/arbiter/open26/5/1/alert/flag-1", r#"{"body":{"class":"loud","kind":"flag_fall","sentence":"A flag."}}"#),
    (EVENT, META[0].1),
    ("$SYS/broker/publish/messages/dropped", "0"),
    ("$SYS/broker/clients/connected", "7"),
];

#[test]
fn who_looks_at_a_hall_takes_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("event.toml");
    std::fs::write(&path, include_str!("../../commands/fleet_command/event.toml")).expect("written");
    let config = load_venue(&path).expect("a hall").config;
    let body = |index: usize| serde_json::from_str::<Value>(META[index].1).expect("JSON")["body"].clone();
    let mut file = EventFile::new("open26", serde_json::from_value::<MetaEvent>(body(0)).expect("an event")).expect("an event");
    file.rounds.insert(5, serde_json::from_value::<MetaRound>(body(1)).expect("a round"));
    let good: Vec<(String, Vec<u8>)> = HALL.map(|(topic, payload)| (topic.to_owned(), payload.into())).to_vec();
    let one = |random: &mut fastrand::Rng| {
        let (mut messages, mut used) = (good.clone(), 0);
        for _ in 0..random.usize(1..4) {
            let (topic, payload) = HALL[random.usize(..HALL.len())];
            let topic = if random.u8(..) < 200 { topic.to_owned() } else { mutated(random, &[topic]) };
            let payload = mutated_bytes(random, &[payload]);
            used += payload.len();
            messages.retain(|(other, _)| *other != topic);
            messages.push((topic, payload));
        }
        let said: usize = messages.iter().map(|(topic, payload)| topic.len() + payload.len()).sum();
        let ready = ready::judge(&file, "flagfall", &messages).expect("the round has pairings");
        let hall = fleet::judge(&config, &messages, Utc(1_795_867_200_000_000), "1.2");
        assert_eq!((ready.boards.len(), hall.nodes.len()), (2, 3));
        assert!(!ready.ready, "it is not published whole");
        // A report is as long as what is said, and nobody can multiply it.
        let length = |report: Result<String, serde_json::Error>| report.expect("JSON").len();
        assert!(length(serde_json::to_string(&ready)) + length(serde_json::to_string(&hall)) < 8 * said + 8_000);
        for (_, payload) in &messages {
            problems_of(payload).iter().for_each(|problem| assert!(problem.len() <= payload.len()));
            // A state that is withdrawn is JSON again.
            let text = String::from_utf8_lossy(payload);
            let withdrawn = withdraw(&text).filter(|_| serde_json::from_str::<Value>(&text).is_ok());
            assert!(withdrawn.is_none_or(|text| serde_json::from_str::<Value>(&text).is_ok()), "{text}");
        }
        used
    };
    campaign("fuzz of states of a hall", 0..1, |seed| run_until(seed, BYTES / 2, one));
}
