//! Draws the arbiter's column: the current move and open alarms, or after a flag-fall the flag and the proposal, in the order of
//! an arbiter's screen (`laws/README.md#8.1`).

use serde_json::Value;

use super::paint::{Paint, fit, side, wrap};
use super::public::numbered;
use super::{Board, ROWS, WIDTHS};

/// The width of the column, in characters.
const WIDTH: usize = WIDTHS[2];

impl Board {
    pub(super) fn arbiter_rows(&self, paint: Paint) -> Vec<String> {
        let mut rows = if self.ruling["flag"].is_string() { self.flag_rows(paint) } else { self.play_rows() };
        for alarm in self.arbiter["alarms"].as_array().into_iter().flatten().filter(|alarm| alarm["kind"] != "flag") {
            let text = fit(&format!("! {}", alarm_text(alarm)), WIDTH);
            // At a flag-fall every row is used, and the last one is the least important.
            rows.truncate(ROWS - 1);
            rows.push(if alarm["class"] == "loud" { paint.alarm(&text) } else { paint.proposal(&text) });
        }
        rows.truncate(ROWS);
        rows
    }

    fn play_rows(&self) -> Vec<String> {
        if !self.arbiter.is_object() {
            return vec![fit("nothing yet", WIDTH)];
        }
        let stage = match (self.arbiter["ending"].as_str(), self.arbiter["stage"].as_str()) {
            (Some(ending), _) => format!("over: {}", ending.replace('_', " ")),
            (None, Some("armed")) => "start position stands".to_owned(),
            (None, Some("playing")) => self.phase(),
            (None, stage) => stage.unwrap_or("?").replace('_', " "),
        };
        vec![fit(&stage, WIDTH), fit(&self.completed(), WIDTH)]
    }

    fn flag_rows(&self, paint: Paint) -> Vec<String> {
        let ruling = &self.ruling;
        let whose = side(ruling["flag"].as_str());
        let fell = ruling["expired_at"][1].as_u64().unwrap_or(self.newest);
        let age = self.newest.saturating_sub(fell) / 1_000_000;
        let flag = fit(&format!("{} FLAG  {age} s ago", whose.to_uppercase()), WIDTH);
        let decided = ruling["decision"]["result"].as_str().map(|result| format!("decided: {result}"));
        let to_do = match ruling["outcome"].as_str() {
            _ if decided.is_some() => decided.as_deref().unwrap_or_default(),
            Some("game_goes_on") => "do: nothing",
            Some("result_not_entered") => "do: ask for the result",
            _ => "do: go and stop the clocks",
        };
        let mut rows = vec![paint.alarm(&flag), paint.bold(&fit(to_do, WIDTH))];
        rows.extend(wrap(&proposal(ruling), WIDTH, 2).iter().map(|text| paint.proposal(text)));
        let open = self.pending().map(|mv| format!("; {mv} NOT PRESSED"));
        rows.push(fit(&format!("{}{}", self.completed(), open.unwrap_or_default()), WIDTH));
        rows.push(fit(&why(ruling), WIDTH));
        rows.push(paint.faint(&fit("check: flag sign, position, a claim?", WIDTH)));
        let words = |list: &Value| {
            let words: Vec<&str> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            words.join(", ")
        };
        let unknown = words(&ruling["unknown"]);
        let unknown = if unknown.is_empty() { "nothing".to_owned() } else { unknown };
        rows.push(fit(&format!("unknown: {unknown}; Art. {}", words(&ruling["articles"])), WIDTH));
        rows.push(paint.faint(&fit("confirm / goes on / other result", WIDTH)));
        rows
    }

    fn phase(&self) -> String {
        let mover = side(self.clock["running"].as_str());
        let no_clock = self.arbiter["clock_status"] == "not_available";
        match self.arbiter["phase"].as_str() {
            Some("idle") if no_clock => "clock not available".to_owned(),
            Some("idle") if mover == "?" => "clocks stand still".to_owned(),
            Some("idle") => format!("{mover} thinks"),
            Some("touched") => format!("{mover} has a piece in the hand"),
            Some("made") if no_clock => format!("{} made, clock not available", self.pending().unwrap_or_default()),
            Some("made") => format!("{} made, not pressed", self.pending().unwrap_or_default()),
            Some("illegal") => "no legal move on the board".to_owned(),
            _ => "?".to_owned(),
        }
    }

    /// How many moves the flagged player, or each of them, has completed.
    fn completed(&self) -> String {
        let count = |side: &str| self.arbiter["completed"][side].as_u64().map_or("?".to_owned(), |count| count.to_string());
        let Some(flagged) = self.ruling["flag"].as_str() else {
            return format!("completed: {} and {}", count("white"), count("black"));
        };
        match (self.ruling["completed"].as_u64(), self.ruling["required"].as_u64()) {
            (Some(done), Some(required)) => format!("{done} of {required} completed"),
            (Some(done), None) => format!("{done} completed"),
            (None, _) => format!("{} completed", count(flagged)),
        }
    }

    /// `20. a6`: the move that stands on the board and is not sure.
    fn pending(&self) -> Option<String> {
        let mv = self.arbiter["pending"].as_array()?.first()?;
        Some(numbered(mv["ply"].as_u64()?, mv["san"].as_str()?))
    }
}

/// The outcome in words; of an open one, each alternative and what it depends on.
pub(super) fn proposal(ruling: &Value) -> String {
    let opponent = if ruling["flag"] == "white" { "Black" } else { "White" };
    let short = |condition: &str| condition.replace("the opponent", opponent).replace(" by some series of legal moves", "");
    let alternatives = ruling["alternatives"].as_array().map_or(&[][..], Vec::as_slice);
    match ruling["outcome"].as_str() {
        Some("undecided") if !alternatives.is_empty() => {
            let each = |one: &Value| {
                format!("{} if {}", outcome(one["outcome"].as_str()), short(one["depends_on"].as_str().unwrap_or("?")))
            };
            // The answer about mate comes in a moment.
            let who = if ruling["winnable"]["verdict"] == "pending" { "Not yet" } else { "You decide" };
            format!("{who}: {}", alternatives.iter().map(each).collect::<Vec<_>>().join("; "))
        }
        other => format!("Proposal: {}", outcome(other)),
    }
}

fn outcome(word: Option<&str>) -> &'static str {
    match word {
        Some("white_wins") => "White wins",
        Some("black_wins") => "Black wins",
        Some("draw") => "draw",
        Some("game_goes_on") => "the game goes on",
        Some("result_not_entered") => "the result was not entered",
        Some("undecided") => "you decide",
        _ => "?",
    }
}

fn why(ruling: &Value) -> String {
    let opponent = if ruling["flag"] == "white" { "Black" } else { "White" };
    let winnable = &ruling["winnable"];
    match winnable["verdict"].as_str() {
        Some("winnable") => format!("{opponent} can still mate"),
        Some("unwinnable") => format!("{opponent} cannot mate: {}", winnable["reason"].as_str().unwrap_or("?")),
        Some("pending") => format!("can {opponent} mate? being looked at"),
        Some("undecided") => format!("can {opponent} mate? not decided"),
        _ => format!("row {} of the table", ruling["row"].as_str().unwrap_or("?")),
    }
}

/// `incomplete move, White`.
pub(super) fn alarm_text(alarm: &Value) -> String {
    let kind = alarm["kind"].as_str().unwrap_or("?").replace('_', " ");
    match alarm["side"].as_str() {
        Some(word) => format!("{kind}, {}", side(Some(word))),
        None => kind,
    }
}
