//! Writes the tags of a game in PGN.

use flagfall_game::clock::control::{Method, TimeControl};
use shakmaty::Chess;

use super::{Part, Profile};
use crate::outputs::names;
use crate::outputs::round::{Round, RoundGame};
use crate::wire::player::Player;

/// Writes the tags of one part of a game. `index` counts its parts from 0.
pub(super) fn write(
    round: &Round,
    game: &RoundGame,
    profile: Profile,
    index: usize,
    part: &Part<'_>,
    result: &str,
    out: &mut String,
) {
    let mut add = |name: &str, value: &str| {
        out.push_str(&format!("[{name} \"{}\"]\n", names::tag_value(value)));
    };
    let known = |text: &str| if text.is_empty() { "?".to_owned() } else { text.to_owned() };
    add("Event", &known(&round.event));
    add("Site", &known(&round.site));
    add("Date", round.date.as_deref().unwrap_or("????.??.??"));
    let number = round.number.map_or("?".to_owned(), |number| number.to_string());
    add("Round", &format!("{number}.{}", game.board));
    let players = [("White", game.players.white.as_ref()), ("Black", game.players.black.as_ref())];
    for (side, player) in players {
        add(side, &names::player(player.and_then(|player| player.name.as_deref()), side, game.board));
    }
    add("Result", result);
    add("Board", &game.board.to_string());
    let mut add_of_player = |name: &str, value: fn(&Player) -> Option<String>| {
        for (side, player) in players {
            if let Some(value) = player.and_then(value) {
                add(&format!("{side}{name}"), &value);
            }
        }
    };
    add_of_player("FideId", |player| player.fide_id.map(|id| id.to_string()));
    add_of_player("Title", |player| player.title.clone());
    add_of_player("Elo", |player| player.rating.map(|rating| rating.to_string()));
    if let Some(control) = &round.time_control {
        add("TimeControl", &time_control(control, profile));
    }
    if let (Profile::Full | Profile::Archive, Some((date, time))) = (profile, &game.began) {
        add("UTCDate", date);
        add("UTCTime", time);
    }
    if round.chess960 {
        add("Variant", "Chess960");
    }
    if round.chess960 || part.start != Chess::default() {
        add("SetUp", "1");
        add("FEN", part.initial_fen);
    }
    let id = if index == 0 { game.id.clone() } else { format!("{}-{}", game.id, index + 1) };
    add("GameId", &id);
}

/// Writes how a game ended, if that is known.
pub(super) fn write_termination(termination: Option<&str>, out: &mut String) {
    if let Some(termination) = termination {
        out.push_str(&format!("[Termination \"{}\"]\n", names::tag_value(termination)));
    }
}

/// Receivers of a relay understand `base` and `base+additional` of the first period only (`outputs/README.md#1`).
fn time_control(control: &TimeControl, profile: Profile) -> String {
    let first = control.period(0);
    match (profile, first.method) {
        (Profile::Full | Profile::Archive, _) => control.to_string(),
        (Profile::Relay, Method::Fischer) => format!("{}+{}", first.main_ms / 1000, first.per_move_ms / 1000),
        (Profile::Relay, _) => (first.main_ms / 1000).to_string(),
    }
}
