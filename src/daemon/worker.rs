//! The one thread that answers questions which may take long. Budgets count nodes, never time.

use std::sync::Arc;
use std::thread::JoinHandle;

use flagfall_game::laws::winnable::{Answer, Ask};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position};

use super::inbox::{Inbox, Popped};
use super::message::ToStation;

/// A question and who wants to know.
pub(super) struct Question {
    /// The question.
    pub(super) ask: Ask,
    /// The station that asks.
    pub(super) station: Arc<Inbox<ToStation>>,
}

/// Starts the thread. It ends when the inbox is closed and empty.
///
/// # Errors
/// The operating system gives no thread.
pub(super) fn start(inbox: Arc<Inbox<Question>>) -> std::io::Result<JoinHandle<()>> {
    let reader = inbox.replace_reader();
    std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
        loop {
            match inbox.pop(reader, None) {
                Popped::Item(question) => {
                    let answer = answer(&question.ask);
                    if !question.station.offer(ToStation::Answer(answer)) {
                        tracing::warn!("an answer found no room in its station's inbox");
                    }
                }
                Popped::TimedOut => {}
                Popped::Closed => return,
            }
        }
    })
}

/// Looks for a shortest line of legal moves by which the side asked about mates (Article 6.9), to an equal depth for all lines,
/// until the nodes are spent. No line found says nothing about whether there is one.
pub(super) fn answer(ask: &Ask) -> Answer {
    let side = if ask.side == "white" { Color::White } else { Color::Black };
    let fen = ask.fen.parse::<Fen>().ok();
    let position = fen.and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok());
    let line = position.and_then(|position| {
        let mut nodes = ask.nodes;
        (1..).map_while(|plies| deepen(&position, side, plies, &mut nodes)).find_map(|found| found)
    });
    Answer { id: ask.id, line: line.map(|line| line.iter().rev().map(ToString::to_string).collect()) }
}

/// One depth: the line if there is one, last move first. None when the nodes are spent.
fn deepen(position: &Chess, side: Color, plies: u32, nodes: &mut u64) -> Option<Option<Vec<UciMove>>> {
    *nodes = nodes.checked_sub(1)?;
    if plies == 0 {
        return Some((position.turn() != side && position.is_checkmate()).then(Vec::new));
    }
    for mv in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(mv);
        if let Some(mut line) = deepen(&next, side, plies - 1, nodes)? {
            line.push(mv.to_uci(CastlingMode::Standard));
            return Some(Some(line));
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(fen: &str, side: &'static str, nodes: u64) -> Ask {
        Ask { id: 7, fen: fen.to_owned(), side, nodes }
    }

    #[test]
    fn a_short_line_is_found_and_a_small_budget_says_nothing() {
        let mate = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1";
        assert_eq!(answer(&ask(mate, "white", 1000)).line, Some(vec!["a1a8".to_owned()]));
        assert_eq!(answer(&ask(mate, "white", 1)).line, None);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(answer(&ask(start, "black", 2_000_000)).line.map(|line| line.len()), Some(4));
        assert_eq!(answer(&ask("no position", "white", 10)), Answer { id: 7, line: None });
    }

    #[test]
    fn a_position_without_moves_ends_the_search() {
        assert_eq!(answer(&ask("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "black", 1_000)).line, None);
    }
}
