//! Pairings of other programs, and the organiser's file of an event. What is taken can be published, and is written again and taken as the
//! same; what is not is an error with its place.

use std::fs;

use flagfall::event::export::{Played, csv};
use flagfall::event::follow::Received;
use flagfall::event::import::{Format, Options, Row, read};
use flagfall::event::model::EventFile;
use flagfall::event::plan::plan;
use flagfall::wire::meta::{self, MetaEvent, MetaRound};

use super::{BYTES, assert_plain, campaign, lines};
use crate::support::nearly::take_anything;

const PGN: &str = "[Event \"Open\"]\n[Date \"2026.11.21\"]\n[Round \"5.1\"]\n[White \"Beispiel, Anna\"]\n[Black \"Muster, Ben\"]\n\
                   [Result \"*\"]\n[WhiteElo \"2143\"]\n[WhiteTitle \"WFM\"]\n[WhiteFed \"NED\"]\n[BlackFideId \"99000002\"]\n\n*\n\n\
                   [Round \"5.2\"]\n[White \"Dupont, Élodie\"]\n[Black \"Müller, Jörg\"]\n\n1. e4 { [a] } 1-0\n";
const CSV: &str = "round,board,white,white_title,white_rating,white_fed,white_fide_id,black,result\n\
                   5,1,\"Beispiel, Anna\",WFM,2143,NED,99000001,\"Muster, Ben\",*\n5,2,Élodie,,,,,Jörg,+/-\n";
const LIVECHESS: &str = r#"{"date":"2026-11-21","pairings":[
{"white":{"fname":"Anna","mname":null,"lname":"Beispiel","title":"WFM","federation":"NED","fideid":99000001},"black":{"lname":"Muster"},"result":"*"},
{"white":{"lname":"Dupont","fname":"Élodie"},"black":{"lname":"Müller","fname":"Jörg"},"result":"1/2-1/2","live":false}]}"#;

/// A tournament report file of four players, who have played round 1 and are paired in round 2.
fn trf() -> String {
    let line = |rank, name, rounds| {
        let head = format!("001 {rank:>4} w GM {name:<33} 2100 NED    9900000{rank} 1990/01/01  1.0 {rank:>4}");
        format!("{head:<89}  {rounds}\n")
    };
    let lines = [
        line(1, "Beispiel, Anna", "0003 w 1  0002 b  "),
        line(2, "Muster, Ben", "0004 b 1  0001 w  "),
        line(3, "Dupont, Élodie", "0001 b 0  0004 w  "),
        line(4, "Müller, Jörg", "0002 w 0  0003 b  "),
    ];
    format!("012 Example Open\n{}", lines.concat())
}

/// An event of 99 rounds.
fn event() -> EventFile {
    let text = format!(r#"{{"uuid":"{:032}","name":"Open","rounds":99,"round":"5"}}"#, 7);
    EventFile::new("open26", serde_json::from_str::<MetaEvent>(&text).expect("an event")).expect("an event")
}

#[test]
fn imports_of_pairings_take_anything() {
    let options = |random: &mut fastrand::Rng| Options {
        round: [None, None, Some(5), Some(99)][random.usize(..4)],
        encoding: [None, None, Some("windows-1250".to_owned())][random.usize(..3)].clone(),
        boards: [None, "1-20".parse().ok()][random.usize(..2)].clone(),
        boards_from: (random.u8(..) < 20).then(|| CSV.as_bytes().to_vec()),
    };
    let take = |format, random: &mut fastrand::Rng, bytes: &[u8]| {
        let imported = match read(bytes, format, &options(random)) {
            Ok(imported) => imported,
            Err(problems) => {
                let last = lines(bytes).max(lines(CSV.as_bytes()));
                assert!((1..=20).contains(&problems.0.len()), "{problems}");
                assert!(problems.0.iter().all(|problem| problem.line <= last), "{problems}");
                return assert_plain(&problems.describe("round.pgn"));
            }
        };
        imported.notes.iter().for_each(|note| assert_plain(note));
        // What is imported can be published, and every node believes it.
        let (mut file, mut node) = (event(), Received::new("flagfall", "open26", None));
        let number = imported.round.unwrap_or(5);
        file.rounds.insert(number, plan(&file, number, &imported, false, false).round);
        for sent in file.publish("flagfall").unwrap_or_else(|error| panic!("{error}")) {
            node.receive(&sent.topic, sent.payload.as_bytes()).unwrap_or_else(|error| panic!("{error}: {}", sent.payload));
        }
        let boards = &file.rounds[&number].boards;
        let games: Vec<Played> = boards.iter().map(|pairing| Played { pairing, result: pairing.result }).collect();
        let again = read(csv::write(number, &games).as_bytes(), Format::Csv, &Options::default());
        let again = again.unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(again.rows.len(), imported.rows.len());
        for (row, before) in again.rows.iter().zip(&imported.rows) {
            // A name that a spreadsheet would take for a formula may be written with a mark.
            let formula = |name: &Option<String>| name.as_ref().is_some_and(|name| name.starts_with(['=', '+', '-', '@']));
            if ![&before.white.name, &before.black.name].into_iter().any(formula) {
                let values = |row: &Row| (row.number, row.white.clone(), row.black.clone(), row.result);
                assert_eq!(values(row), values(before));
            }
        }
    };
    let samples =
        [(Format::Pgn, PGN.to_owned()), (Format::Csv, CSV.into()), (Format::Trf, trf()), (Format::Livechess, LIVECHESS.into())];
    for (format, text) in &samples {
        let options = Options { round: (*format == Format::Trf).then_some(2), ..Options::default() };
        assert_eq!(read(text.as_bytes(), *format, &options).map(|imported| imported.rows.len()), Ok(2));
    }
    let one = |seed, (format, text): &(Format, String)| {
        take_anything(seed, BYTES / 8, &[text], |random, bytes| take(*format, random, bytes))
    };
    campaign("fuzz of imports", 0..1, |seed| samples.iter().map(|sample| one(seed, sample)).sum());
}

#[test]
fn files_of_events_take_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("open26.json");
    let mut file = event();
    let round = r#"{"number":5,"date":"2026-11-21","lichess_round":"abcd1234","boards":[{"board":"1","number":1,"device":"dgt-1",
        "white":{"name":"Anna"},"result":"1-0","reset":1,"replaced":2}],"outputs":{"files":{"retry":1,"reset":0}}}"#;
    file.rounds.insert(5, serde_json::from_str::<MetaRound>(round).expect("a round"));
    let sample = serde_json::to_string_pretty(&file).expect("JSON");
    let take = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let mut file = match EventFile::read(&path) {
            Ok(file) => file,
            Err(error) => return assert!(error.to_string().starts_with(&format!("{}: ", path.display())), "{error}"),
        };
        fs::write(&path, serde_json::to_string(&file).expect("JSON")).expect("written");
        assert_eq!(EventFile::read(&path).expect("the same"), file);
        // What is published makes the file again. A number that cannot grow is an error.
        let Ok(sent) = file.publish("flagfall") else { return };
        let read = |index: usize| sent[index].payload.as_bytes();
        let event = meta::read(read(sent.len() - 1), "meta.event").expect("an event");
        let rounds = file.rounds.keys().enumerate();
        let rounds = rounds.map(|(index, number)| (number.to_string(), meta::read(read(index), "meta.round").expect("a round")));
        let again = EventFile::from_meta(&file.id, event, rounds.collect()).expect("a file");
        file.published.retain(|number| file.rounds.contains_key(number));
        assert_eq!(again, file);
    };
    let one = |seed| take_anything(seed, BYTES / 2, &[&sample], |_, bytes| take(bytes));
    campaign("fuzz of organisers' files", 0..1, one);
}
