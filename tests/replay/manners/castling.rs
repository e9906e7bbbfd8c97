//! The opponent replies before a castling is finished.

use fastrand::Rng;
use shakmaty::{CastlingSide, Color, Move, Position, Role, Square};

use crate::games::hands::{Pace, between};
use crate::invariants::played_game::BLITZ;
use crate::manners::table::{Table, Told};
use crate::support::seeds::campaign;

const BULLET: Pace = Pace { name: "bullet", think: [0.3, 0.6], hand: [0.06, 0.15], press: [0.08, 0.2] };

/// Both players may castle to both sides.
const POSITIONS: [&str; 4] = [
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 0 1",
    "r3k2r/pbpnqppp/1p1b1n2/3p4/3P4/1P1B1N2/PBPNQPPP/R3K2R w KQkq - 0 1",
    "r3k2r/pbpnqppp/1p1b1n2/3p4/3P4/1P1B1N2/PBPNQPPP/R3K2R b KQkq - 0 1",
];

/// The squares on which king and rook stand before and after.
fn squares(mv: Move, us: Color) -> Option<[Square; 4]> {
    let Move::Castle { king, rook } = mv else { return None };
    let side = CastlingSide::from_king_side(king < rook);
    Some([king, side.king_to(us), rook, side.rook_to(us)])
}

fn play(seed: u64) -> Told {
    let mut rng = Rng::with_seed(seed);
    let pace = [BULLET, BLITZ][rng.usize(0..2)];
    let fen = POSITIONS[rng.usize(0..POSITIONS.len())];
    let rook_first = rng.u8(0..3) > 0;
    let mut table = Table::new(&mut rng, pace, Some(fen));
    let us = table.position.turn();
    let castlings: Vec<Move> = table.position.legal_moves().into_iter().filter(|mv| mv.is_castle()).collect();
    let castling = castlings[table.rng.usize(0..castlings.len())];
    let touched = squares(castling, us).expect("it is castling");
    let [king, king_to, rook, rook_to] = touched;
    table.wait(pace.think);
    let (one, two) = ((rook, rook_to, Role::Rook.of(us)), (king, king_to, Role::King.of(us)));
    let (first, second) = if rook_first { (one, two) } else { (two, one) };
    table.lift(first.0);
    table.wait(pace.hand);
    table.place(first.1, first.2);
    table.made(castling);
    // The opponent replies at once: his man may stand on its new square before the other man of the castling has moved.
    let (since, finishes) = (table.now, table.now + between(table.rng, [0.4, 3.0]));
    let free =
        |mv: &Move| !mv.is_castle() && mv.from().is_some_and(|from| !touched.contains(&from)) && !touched.contains(&mv.to());
    let replies: Vec<Move> = table.position.legal_moves().into_iter().filter(|mv| free(mv) && mv.role() != Role::King).collect();
    let reply = replies[table.rng.usize(0..replies.len())];
    table.now = between(table.rng, [since, finishes - 0.3]);
    table.make(reply);
    let replied = table.now;
    table.now = finishes;
    table.lift(second.0);
    table.wait(pace.hand);
    table.place(second.1, second.2);
    table.wait(pace.press);
    table.press(us);
    table.now = table.now.max(replied);
    table.wait(pace.press);
    table.press(us.other());
    table.play_on(6);
    table.end()
}

#[test]
fn a_reply_before_a_castling_is_finished() {
    campaign("replies to unfinished castlings", 160_000..160_040, |seed| {
        let told = play(seed);
        told.assert_exact();
        told.inputs
    });
}
