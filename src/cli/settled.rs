//! Answers the question of Article 6.9 (can this side still checkmate?) for one position: reads it, searches, and checks the
//! answer.

use std::panic::catch_unwind;

use flagfall_game::laws::answering::improved;
use flagfall_game::laws::winnable::why;
use flagfall_game::mate::check::check;
use flagfall_game::mate::{Answer, Budget, Counters, counted, shorten};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, PositionError, PositionErrorKinds};

use crate::system_clock::monotonic;

/// The result of a search for the answer.
pub(super) struct Settled {
    /// The answer; the checker has accepted it.
    pub(super) answer: Answer,
    /// The cost of the search.
    pub(super) counters: Counters,
    /// The time of the search in microseconds.
    pub(super) micros: u64,
    /// Why an answer was discarded: a fault of this program.
    pub(super) complaint: Option<String>,
}

/// Reads the position of a FEN with four fields or more, including positions that no game can reach. Castling rights that
/// standard chess does not have are read as those of Chess960.
///
/// # Errors
/// What is wrong with the FEN.
pub(super) fn position(fen: &str) -> Result<Chess, String> {
    if fen.split_ascii_whitespace().count() < 4 {
        return Err("a FEN has at least placement, side to move, castling and en passant".to_owned());
    }
    let fen: Fen = fen.trim().parse().map_err(|error| format!("{error}"))?;
    let read = |mode| {
        let position = fen.clone().into_position::<Chess>(mode);
        let position = position.or_else(PositionError::ignore_impossible_check).or_else(PositionError::ignore_too_much_material);
        position.map_err(|error| in_words(error.kinds()))
    };
    read(CastlingMode::Standard).or_else(|error| read(CastlingMode::Chess960).map_err(|_| error))
}

/// The first thing that makes a position impossible, in words.
fn in_words(kinds: PositionErrorKinds) -> String {
    let words = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty, so both kings are missing"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a player has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or the last rank"),
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, "a king or rook that may castle does not stand on its square"),
        (PositionErrorKinds::INVALID_EP_SQUARE, "no pawn can have passed the square for en passant"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the player who is not to move is in check"),
    ];
    let found = words.iter().find(|(kind, _)| kinds.contains(*kind));
    found.map_or("it cannot arise in a game", |(_, words)| words).to_owned()
}

/// The reader of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// A person: a line is replaced by a shorter one where that is cheap to find.
    Person,
    /// A program that needs the answer soon.
    #[cfg(feature = "tools")]
    Program,
}

/// Asks the solver, and has the checker verify the answer.
pub(super) fn settle(position: &Chess, side: Color, nodes: u64, reader: Reader) -> Settled {
    let open = |complaint: String, micros| {
        let counters = Counters::default();
        Settled { answer: Answer::Undecided { counters }, counters, micros, complaint: Some(complaint) }
    };
    let began = monotonic();
    let budget = Budget { nodes, ..Budget::FULL };
    let found = catch_unwind(|| {
        let (answer, counters) = counted(position, side, budget);
        let answer = if reader == Reader::Person { shorten(position, side, answer, budget) } else { answer };
        (answer, counters)
    });
    let micros = monotonic().since(began).as_micros() as u64;
    let Ok((answer, counters)) = found else { return open("the solver broke".to_owned(), micros) };
    match catch_unwind(|| check(position, side, &answer)) {
        Ok(Ok(())) => Settled { answer, counters, micros, complaint: None },
        Ok(Err(refused)) => Settled { counters, ..open(format!("PROOF REFUSED, left undecided: {}", why(refused)), micros) },
        Err(_) => open("the checker broke".to_owned(), micros),
    }
}

/// Looks for a shorter line than the one in the answer, or for the proof that there is none, with at most `nodes` generated positions.
/// Returns the better answer, which the checker has accepted.
pub(super) fn shortened(position: &Chess, side: Color, answer: &Answer, nodes: u64) -> Option<Answer> {
    if nodes == 0 {
        return None;
    }
    // The known line stays if the search breaks.
    catch_unwind(|| improved(position, side, answer, nodes, &|| true)).unwrap_or_default()
}
