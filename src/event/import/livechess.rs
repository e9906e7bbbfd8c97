//! Reads `round-N/index.json`, which DGT LiveChess exports. It has no board numbers: the pairings stand in the order of the boards.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Imported, Problems, Row, fields};
use crate::wire::meta::MAX_BOARDS;
use crate::wire::player::Player;

#[derive(Deserialize)]
struct Index<'a> {
    #[serde(default)]
    date: Option<String>,
    /// As they stand in the text, so that their lines are known.
    #[serde(borrow)]
    pairings: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Pairing {
    white: Option<Person>,
    black: Option<Person>,
    #[serde(default)]
    result: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Person {
    fname: Option<String>,
    mname: Option<String>,
    lname: Option<String>,
    title: Option<String>,
    federation: Option<String>,
    fideid: Option<Number>,
}

/// LiveChess writes a number, other programs write text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

pub(super) fn read(text: &str) -> Result<Imported, Problems> {
    let index: Index<'_> = serde_json::from_str(text).map_err(|error| {
        let hint = if text.contains("\"rounds\"") {
            ": this looks like tournament.json; the pairings are in round-N/index.json"
        } else {
            ""
        };
        Problems::one(error.line(), format!("column {}: {error}{hint}", error.column()))
    })?;
    let mut problems = Problems::default();
    let mut imported = Imported {
        date: problems.take(0, "date", fields::date(index.date.as_deref().unwrap_or_default())),
        ..Imported::default()
    };
    if index.pairings.len() > MAX_BOARDS {
        return Err(Problems::one(0, format!("there are {} pairings, the limit is {MAX_BOARDS}", index.pairings.len())));
    }
    for (number, raw) in (1..).zip(index.pairings) {
        // The pairing is a part of the text.
        let before = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1;
        let place = |what: &str| format!("pairings[{}].{what}", number - 1);
        let pairing: Pairing = match serde_json::from_str(raw.get()) {
            Ok(pairing) => pairing,
            Err(error) => {
                let why = error.to_string();
                // The text ends with a line and column within the pairing.
                let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
                problems.add(line + error.line().max(1) - 1, format!("pairings[{}]: {why}", number - 1));
                continue;
            }
        };
        let mut player = |side: &str, person: Option<Person>| {
            let person = person.unwrap_or_default();
            let given = [person.fname, person.mname].into_iter().flatten().collect::<Vec<_>>().join(" ");
            let family = person.lname.unwrap_or_default();
            let whole = match (family.trim(), given.trim()) {
                (family, "") => family.to_owned(),
                ("", given) => given.to_owned(),
                (family, given) => format!("{family}, {given}"),
            };
            let id = match person.fideid {
                None => String::new(),
                Some(Number::Number(id)) => id.to_string(),
                Some(Number::Text(id)) => id,
            };
            let place = |what: &str| place(&format!("{side}.{what}"));
            Player {
                name: problems.take(line, &place("lname"), fields::name(&whole)),
                title: problems.take(line, &place("title"), fields::title(person.title.as_deref().unwrap_or_default())),
                rating: None,
                federation: problems.take(
                    line,
                    &place("federation"),
                    fields::federation(person.federation.as_deref().unwrap_or_default()),
                ),
                fide_id: problems.take(line, &place("fideid"), fields::fide_id(&id)),
            }
        };
        let (white, black) = (player("white", pairing.white), player("black", pairing.black));
        for (side, player) in [("white", &white), ("black", &black)] {
            if player.name.is_none() {
                problems.add(line, format!("{}: there is no name", place(side)));
            }
        }
        let result = problems.take(line, &place("result"), fields::result(pairing.result.as_deref().unwrap_or_default()));
        imported.rows.push(Row { line, round: None, number: Some(number), white, black, result });
    }
    problems.ok(imported)
}
