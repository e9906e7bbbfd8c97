//! Nobody presses after a mate, and the men are set up anew at once.

use fastrand::Rng;
use flagfall_game::game_phase::GamePhase;
use shakmaty::{Board, Chess, Move, Position, Square};

use crate::invariants::played_game::BLITZ;
use crate::manners::table::{Table, Told};
use crate::support::seeds::campaign;

/// A random game that ends with mate, in at most this number of plies.
fn mated(rng: &mut Rng, plies: usize) -> Option<Vec<Move>> {
    let (mut position, mut moves) = (Chess::default(), Vec::new());
    while moves.len() < plies {
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        let mates = |mv: &Move| position.clone().play(*mv).is_ok_and(|after| after.is_checkmate());
        if let Some(mate) = legal.iter().find(|mv| mates(mv)) {
            moves.push(*mate);
            return Some(moves);
        }
        let plain: Vec<Move> =
            legal.into_iter().filter(|mv| mv.role() != shakmaty::Role::King && mv.promotion().is_none()).collect();
        let mv = rng.choice(plain)?;
        moves.push(mv);
        position.play_unchecked(mv);
    }
    None
}

fn play(seed: u64) -> Told {
    let mut rng = Rng::with_seed(seed);
    let moves = std::iter::repeat_with(|| mated(&mut rng, 40)).flatten().next().expect("a mate");
    let mut table = Table::new(&mut rng, BLITZ, None);
    let (mate, before) = moves.split_last().expect("a mate");
    before.iter().for_each(|&mv| table.play(mv));
    table.wait(BLITZ.think);
    table.make(*mate);
    let mut standing = table.position.board().clone();
    table.wait([0.55, 1.0]);
    let stops = table.rng.u8(0..3);
    if stops == 0 {
        table.act("stop".to_owned());
    }
    // The mating man comes first, on a square on which such a man begins the next game.
    let home = Board::new();
    let man = standing.remove_piece_at(mate.to()).expect("the man that mates");
    let homes: Vec<Square> = home.by_piece(man).into_iter().collect();
    let to = homes[table.rng.usize(0..homes.len())];
    table.lift(mate.to());
    table.wait(BLITZ.hand);
    table.place(to, man);
    standing.set_piece_at(to, man);
    let mut wrong: Vec<Square> = Square::ALL.into_iter().filter(|&at| standing.piece_at(at) != home.piece_at(at)).collect();
    table.rng.shuffle(&mut wrong);
    // The last two squares are not put right, so that no next game begins.
    for square in wrong.into_iter().skip(2) {
        table.wait(BLITZ.hand);
        if standing.piece_at(square).is_some() {
            table.lift(square);
        }
        if let Some(man) = home.piece_at(square) {
            table.wait([0.02, 0.2]);
            table.place(square, man);
        }
    }
    if stops == 1 {
        table.act("stop".to_owned());
    }
    table.now += 15.0;
    table.end()
}

#[test]
fn a_mate_is_not_pressed_and_its_man_is_put_back_first() {
    // The man of the mate could have mated on two other squares, on which the board never showed it.
    let other_mates = [1_020_307];
    campaign("mates whose men are put back", (164_000..164_020).chain(other_mates), |seed| {
        let told = play(seed);
        told.assert_told();
        // The next game may have begun.
        assert!(told.checked.game.number() > 1 || told.checked.game.stage() == GamePhase::Over);
        told.inputs
    });
}
