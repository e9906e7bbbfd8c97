//! Writes the results of a round as CSV, in the columns that the import reads.

use super::Played;
use crate::outputs::names;
use crate::wire::meta::PairingResult;
use crate::wire::player::Player;

const HEADER: [&str; 12] = [
    "round",
    "board",
    "white",
    "white_title",
    "white_rating",
    "white_fed",
    "white_fide_id",
    "black",
    "black_title",
    "black_rating",
    "black_fed",
    "black_fide_id",
];

/// Returns the text, with a header line.
pub fn write(round: u32, games: &[Played<'_>]) -> String {
    let mut out = line(HEADER.iter().map(|name| (*name).to_owned()).chain(["result".to_owned()]));
    for game in games {
        let first = [round.to_string(), game.pairing.number.to_string()];
        let players = [&game.pairing.white, &game.pairing.black].into_iter().flat_map(player);
        let result = game.result.map_or("*", result).to_owned();
        out.push_str(&line(first.into_iter().chain(players).chain([result])));
    }
    out
}

/// The results of forfeits begin as formulas do; the import reads this notation too.
fn result(result: PairingResult) -> &'static str {
    match result {
        PairingResult::BlackForfeits => "1-0f",
        PairingResult::WhiteForfeits => "0-1f",
        PairingResult::BothForfeit => "0-0f",
        _ => result.notation(),
    }
}

fn player(player: &Player) -> [String; 5] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        text(&player.name),
        text(&player.title),
        number(player.rating.map(u32::from)),
        text(&player.federation),
        number(player.fide_id),
    ]
}

fn line(values: impl Iterator<Item = String>) -> String {
    let mut line = values.map(|value| names::csv_cell(&value)).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}
