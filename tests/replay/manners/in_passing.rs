//! A pawn goes two squares and is captured en passant, or it goes one square and is captured there, between two scans.

use fastrand::Rng;
use flagfall_game::alarm::AlarmKind;
use shakmaty::Move;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::games::hands::between;
use crate::invariants::played_game::BLITZ;
use crate::manners::table::{Table, Told};
use crate::support::seeds::campaign;

/// A position, a pawn move of two squares, one of one square, and the squares of the capture.
const KINDS: [(&str, &str, &str, &str); 4] = [
    ("4k3/1p1p1ppp/8/2P5/8/8/5PPP/4K3 b - - 0 1", "b7b5", "b7b6", "c5b6"),
    ("4k3/1p1p1ppp/8/2P5/8/8/5PPP/4K3 b - - 0 1", "d7d5", "d7d6", "c5d6"),
    ("4k3/ppp5/8/8/5p2/8/PPP1P1P1/4K3 w - - 0 1", "e2e4", "e2e3", "f4e3"),
    ("4k3/ppp5/8/8/5p2/8/PPP1P1P1/4K3 w - - 0 1", "g2g4", "g2g3", "f4g3"),
];

fn play(seed: u64) -> Told {
    let mut rng = Rng::with_seed(seed);
    let (fen, two, one, capture) = KINDS[rng.usize(0..KINDS.len())];
    let step = if rng.bool() { two } else { one };
    let mut table = Table::new(&mut rng, BLITZ, Some(fen));
    let by = |table: &Table<'_>, uci: &str| -> Move { uci.parse::<UciMove>().expect("UCI").to_move(&table.position).expect(uci) };
    table.wait(BLITZ.think);
    // All is done within this time. A scan takes a quarter of a second.
    let quick = between(table.rng, [0.004, 0.03]);
    let then = |table: &mut Table<'_>| table.now += quick;
    let us = table.position.turn();
    let mv = by(&table, step);
    table.lift(mv.from().expect("a pawn"));
    then(&mut table);
    table.place(mv.to(), shakmaty::Role::Pawn.of(us));
    table.made(mv);
    then(&mut table);
    table.press(us);
    then(&mut table);
    let mv = by(&table, capture);
    if mv.is_en_passant() {
        let taken = table.moves[0].to();
        table.lift(taken);
        then(&mut table);
    }
    table.lift(mv.from().expect("a pawn"));
    then(&mut table);
    table.place(mv.to(), shakmaty::Role::Pawn.of(us.other()));
    table.made(mv);
    table.wait(BLITZ.press);
    table.press(us.other());
    table.play_on(6);
    table.end()
}

#[test]
fn a_capture_that_may_be_in_passing() {
    campaign("captures that may be in passing", 161_000..161_040, |seed| {
        let told = play(seed);
        told.assert_none_silent();
        let ambiguous = told.checked.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::Ambiguous);
        assert!(told.exact() || ambiguous);
        // Both stories lead to the same position, so the game goes on in both.
        assert_eq!(told.checked.moves().get(2..), told.moves.get(2..));
        told.inputs
    });
}
