//! Reads `round-N/index.json`, which DGT LiveChess exports. It has no board numbers: the pairings stand in the order of the boards.

use serde::Deserialize;

use super::{Imported, Problems, Row, fields};
use crate::wire::player::Player;

#[derive(Deserialize)]
struct Index {
    #[serde(default)]
    date: Option<String>,
    pairings: Vec<Pairing>,
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
    let index: Index = serde_json::from_str(text).map_err(|error| {
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
    // The values have no lines any more, so a problem names the pairing.
    for (number, pairing) in (1..).zip(index.pairings) {
        let place = |what: &str| format!("pairings[{}].{what}", number - 1);
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
                name: problems.take(0, &place("lname"), fields::name(&whole)),
                title: problems.take(0, &place("title"), fields::title(person.title.as_deref().unwrap_or_default())),
                rating: None,
                federation: problems.take(
                    0,
                    &place("federation"),
                    fields::federation(person.federation.as_deref().unwrap_or_default()),
                ),
                fide_id: problems.take(0, &place("fideid"), fields::fide_id(&id)),
            }
        };
        let (white, black) = (player("white", pairing.white), player("black", pairing.black));
        for (side, player) in [("white", &white), ("black", &black)] {
            if player.name.is_none() {
                problems.add(0, format!("{}: there is no name", place(side)));
            }
        }
        let result = problems.take(0, &place("result"), fields::result(pairing.result.as_deref().unwrap_or_default()));
        imported.rows.push(Row { line: number, round: None, number: Some(number as u32), white, black, result });
    }
    problems.ok(imported)
}
