//! The search for facts that only arbiters may know finds them at every place.

use std::collections::BTreeSet;

use flagfall::publish::schema;
use serde_json::{Value, json};

use crate::support::schemas::arbiters_only::{FIELDS, SHOWN, WORDS, forbidden};
use crate::support::schemas::validate;

const ARBITERS: [&str; 6] =
    ["board.state.arbiter", "board.moves.arbiter", "board.move.arbiter", "board.alert", "board.ruling", "board.audit"];
const OPEN: [&str; 6] =
    ["board.state.live", "board.moves.live", "board.clock", "board.move.live", "board.revision", "board.restated"];

/// Field names and fixed words that a schema knows.
#[derive(Default)]
struct Vocabulary {
    fields: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Vocabulary {
    fn of(names: &[&str]) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        names.iter().for_each(|name| vocabulary.collect(&schema::schema(name).expect("a schema")));
        vocabulary
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                    self.fields.extend(properties.keys().cloned());
                }
                let list = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
                let words = list.chain(fields.get("const")).filter_map(Value::as_str);
                self.words.extend(words.map(str::to_owned));
                fields.values().for_each(|field| self.collect(field));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            _ => {}
        }
    }
}

/// A new field for arbiters is a secret until it is also added to a schema for other audiences.
#[test]
fn the_tables_have_all_that_is_the_arbiters_own() {
    let (arbiters, open) = (Vocabulary::of(&ARBITERS), Vocabulary::of(&OPEN));
    let missing = |own: &BTreeSet<String>, open: &BTreeSet<String>, table: &[&str]| -> Vec<String> {
        own.difference(open).filter(|word| !table.contains(&word.as_str())).cloned().collect()
    };
    assert_eq!(missing(&arbiters.fields, &open.fields, FIELDS), [""; 0], "fields");
    assert_eq!(missing(&arbiters.words, &open.words, WORDS), [""; 0], "words");
}

#[test]
fn the_tables_have_nothing_that_everybody_may_know() {
    let open = Vocabulary::of(&OPEN);
    // These are shown at one place each, and stay secret everywhere else.
    let field = |path: &'static str| path.rsplit('/').next().expect("a name");
    let fields: Vec<&str> = SHOWN.iter().map(|(path, _)| field(path)).chain(["white", "black"]).collect();
    let words: Vec<&str> = SHOWN.iter().flat_map(|(_, words)| *words).copied().collect();
    let public = |list: &[&str], open: &BTreeSet<String>, shown: &[&str]| -> Vec<String> {
        list.iter().filter(|word| open.contains(**word) && !shown.contains(word)).map(|word| (*word).to_owned()).collect()
    };
    assert_eq!(public(FIELDS, &open.fields, &fields), [""; 0]);
    assert_eq!(public(WORDS, &open.words, &words), [""; 0]);
    let sorted = |table: &[&str]| table.is_sorted() && table.windows(2).all(|pair| pair[0] != pair[1]);
    assert!(sorted(FIELDS) && sorted(WORDS));
}

fn state() -> Value {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let moves = json!([{"ply": 1, "san": "e4", "uci": "e2e4", "white_ms": 1, "black_ms": 2}]);
    let clock = json!({"white_ms": 1, "black_ms": 2, "running": null, "read_us": 3, "resolution_ms": 1000, "source": "dgt"});
    json!({
        "v": "1.0", "type": "board.state", "game": "open26-r5-b12-g1", "rev": 5, "node": "pi-07", "boot": 3,
        "t": {"us": 7, "utc": "2026-11-21T13:02:11.412Z", "sync": "none"},
        "body": {
            "game_no": 1, "initial_fen": start, "fen": start, "moves": moves, "clock": clock, "clock_status": "reporting", "link": "up",
            "result": "1-0", "result_by": "arbiter", "ending": "checkmate", "players": {"white": {"name": "lost"}},
        },
    })
}

const TOPICS: [&str; 2] = ["flagfall/1/live/open26/r5/b12/state", "flagfall/1/public/open26/r5/b12/state"];
/// Places of all depths.
const PLACES: [&str; 4] = ["", "/body", "/body/clock", "/body/moves/0"];

#[test]
fn a_planted_field_is_found_wherever_it_stands() {
    for topic in TOPICS {
        assert_eq!(validate(topic, state().to_string()), Ok(()));
    }
    for field in FIELDS {
        for place in PLACES {
            for value in [json!(null), json!(0), json!({"deep": []})] {
                let mut planted = state();
                planted.pointer_mut(place).expect("a place")[*field] = value;
                assert_eq!(forbidden(&planted), [format!("{place}/{field}")]);
                for topic in TOPICS {
                    validate(topic, planted.to_string()).expect_err(field);
                }
            }
        }
    }
}

#[test]
fn a_planted_word_is_found_wherever_it_stands() {
    for word in WORDS {
        for place in PLACES {
            for value in [json!(word), json!([[word]]), json!([{"deep": word}])] {
                let mut planted = state();
                planted.pointer_mut(place).expect("a place")["new"] = value;
                assert_eq!(forbidden(&planted).len(), 1, "{word} in {place}");
                for topic in TOPICS {
                    validate(topic, planted.to_string()).expect_err(word);
                }
            }
        }
    }
}

#[test]
fn a_state_of_version_1_0_is_still_valid() {
    let mut old = state();
    for field in ["clock_status", "link", "result_by", "ending", "players"] {
        old["body"].as_object_mut().expect("an object").remove(field).expect("it is there");
    }
    for topic in TOPICS {
        assert_eq!(validate(topic, old.to_string()), Ok(()));
    }
}

#[test]
fn what_is_shown_at_one_place_is_secret_at_every_other() {
    for (path, words) in SHOWN {
        let name = path.rsplit('/').next().expect("a name");
        for word in *words {
            let mut shown = state();
            *shown.pointer_mut(path).expect("a place") = json!(word);
            assert_eq!(forbidden(&shown), [""; 0]);
            for place in ["", "/body/clock", "/body/moves/0", "/body/players"] {
                let mut planted = state();
                planted.pointer_mut(place).expect("a place")["other"] = json!(word);
                planted.pointer_mut(place).expect("a place")[name] = json!(word);
                let secret = WORDS.contains(word) && place != "/body/players";
                assert!(!forbidden(&planted).is_empty() || !secret, "{name} = {word} in {place}");
            }
        }
        let mut planted = state();
        *planted.pointer_mut(path).expect("a place") = json!("flag_fall");
        assert!(!forbidden(&planted).is_empty(), "{path} has another word");
    }
    let mut other = state();
    other["type"] = "board.move".into();
    assert!(!forbidden(&other).is_empty(), "a move shows nothing of all this");
}

/// Messages for arbiters may have all these fields.
#[test]
fn arbiters_may_know_all_of_it() {
    let mut audit = state();
    audit["type"] = "board.audit".into();
    (audit["id"], audit["no"]) = ("j:1".into(), 1.into());
    audit["body"] = json!({"what": "press_out_of_turn", "side": "white", "pressed_at": [1, 2]});
    assert_eq!(forbidden(&audit).len(), 5, "type, what and its word, side, pressed_at");
    assert_eq!(validate("flagfall/1/arbiter/open26/r5/b12/audit", audit.to_string()), Ok(()));
}
