//! Prints the summary of a game, which ends with one JSON object, for `flagfall replay --summary`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::publish::states;
use crate::session::station::Station;
use crate::wire::alarm::AlertBody;
use crate::wire::device::{WeakMan, WeakSquare};
use crate::wire::finding::Finding;
use crate::wire::flag::FlagBody;
use crate::wire::outcome::GameResult;
use crate::wire::player::Pair;
use crate::wire::state::Hint;

/// Moves, completed moves, flag-falls and findings of a game.
#[derive(Serialize)]
pub(super) struct Summary {
    /// Sure moves, UCI.
    moves: Vec<String>,
    /// Sure moves, SAN.
    san: Vec<String>,
    /// Completed moves of each player; null where earlier ones are not known.
    completed: Pair<Option<u32>>,
    /// A move that stands on the board and is not proved; null if there is none.
    pending: Option<Pending>,
    flags: Vec<FlagBody>,
    findings: Vec<Finding>,
    hints: Vec<Hint>,
    alarms: Vec<AlertBody>,
    anomalies: BTreeMap<&'static str, u64>,
    /// How often each square lost its man for a moment, with the squares and men for which that is too often.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    dropouts: BTreeMap<String, u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weak_squares: Vec<WeakSquare>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weak_men: Vec<WeakMan>,
    result: Option<GameResult>,
    fen: String,
}

#[derive(Serialize)]
struct Pending {
    uci: String,
    san: String,
    color: &'static str,
    made_at: [u64; 2],
    after_flag: bool,
    /// Further moves that stand on top of it, UCI.
    then: Vec<String>,
}

impl Summary {
    pub(super) fn of_station(station: &Station) -> Summary {
        let game = station.game();
        let (state, health) = (states::arbiter_state(game), game.health());
        let mut pending = state.pending.into_iter();
        Summary {
            moves: state.moves.iter().map(|played| played.uci.to_string()).collect(),
            san: state.moves.iter().map(|played| played.san.to_string()).collect(),
            completed: state.completed,
            pending: pending.next().map(|first| Pending {
                uci: first.uci.to_string(),
                san: first.san.to_string(),
                color: first.color,
                made_at: first.made_at,
                after_flag: first.after_flag,
                then: pending.map(|next| next.uci.to_string()).collect(),
            }),
            flags: state.flags,
            findings: game.findings().iter().map(Finding::from).collect(),
            hints: state.hints,
            alarms: game.alarms().iter().map(AlertBody::from).collect(),
            anomalies: station.anomalies().iter().map(|(anomaly, count)| (anomaly.name(), *count)).collect(),
            dropouts: game.dropouts().into_iter().map(|(square, count)| (square.to_string(), count)).collect(),
            weak_squares: health.weak_squares.iter().map(WeakSquare::from).collect(),
            weak_men: health.weak_men.iter().map(WeakMan::from).collect(),
            result: state.result,
            fen: state.fen,
        }
    }

    /// Prints a few lines for people, then the object on a line of its own.
    pub(super) fn print(&self, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
        for (index, pair) in self.san.chunks(2).enumerate() {
            writeln!(out, "{:3}. {}", index + 1, pair.join(" "))?;
        }
        for flag in &self.flags {
            writeln!(out, "flag-fall: {}", flag.side)?;
        }
        for finding in &self.findings {
            let outcome = serde_json::to_string(&finding.outcome)?;
            writeln!(out, "finding: {} (row {}, {})", outcome.trim_matches('"'), finding.row, finding.articles.join(", "))?;
        }
        for WeakSquare { square, dropouts } in &self.weak_squares {
            writeln!(out, "weak square: {square} lost its man {dropouts} times; check the man and the board")?;
        }
        for WeakMan { man, began, dropouts, .. } in &self.weak_men {
            writeln!(out, "weak man: {man} from {began} was lost {dropouts} times; exchange it")?;
        }
        writeln!(out, "{}", serde_json::to_string(self)?)?;
        Ok(())
    }
}
