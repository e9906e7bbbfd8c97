//! Nothing is allocated while a clock ticks: a board asks the system for memory when pieces move, not by the second.

use std::time::Duration;

use crate::counting;
use crate::feed::Core;
use crate::stream;
use crate::stream::{Kind, Piece};

/// Presses after which every buffer has its size.
const WARM: usize = 4;

fn feed_all(core: &mut Core, pieces: &[Piece]) {
    for piece in pieces {
        core.wait(piece.at);
        core.bytes(piece.at, &piece.bytes);
    }
}

/// Twenty minutes on a board, as short as shows it.
fn game() -> Vec<Piece> {
    stream::game(Duration::from_secs(1200), 1)
}

#[test]
fn a_clock_message_allocates_nothing() {
    let pieces = game();
    for asks in [false, true] {
        let mut core = Core::new(asks);
        let (mut ticks, mut presses, mut for_moves) = (0, 0, 0);
        for piece in &pieces {
            core.wait(piece.at);
            let before = counting::calls();
            core.bytes(piece.at, &piece.bytes);
            let calls = counting::calls() - before;
            match piece.kind {
                Kind::Press => presses += 1,
                Kind::Field => for_moves += calls,
                Kind::Tick if presses > WARM => {
                    ticks += 1;
                    assert_eq!(calls, 0, "allocations for the clock message at {:?}, asking {asks}", piece.at);
                }
                _ => {}
            }
        }
        assert!(ticks > 500 && for_moves > 0, "{ticks} clock messages were looked at, and counting works: {for_moves}");
        assert!(core.made > ticks, "each clock message has an effect");
    }
}

/// Once the alarm and the live audience's message of a state are out, the clock messages that follow it are as quiet as others.
#[test]
fn a_clock_message_allocates_nothing_while_a_move_is_unfinished() {
    let pieces = game();
    let last = |kind| pieces.iter().rposition(|piece| piece.kind == kind).expect("the game has such pieces");
    let (tick, press) = (last(Kind::Tick), last(Kind::Press));
    for (state, first) in [("nothing touched", tick + 1), ("a piece in the hand", tick + 2), ("a made move not completed", press)]
    {
        let mut core = Core::new(false);
        feed_all(&mut core, &pieces[..first]);
        let began = pieces[first - 1].at;
        for second in 1..40 {
            let at = began.after(Duration::from_secs(second));
            core.wait(at);
            let before = counting::calls();
            core.bytes(at, &pieces[tick].bytes);
            // The last watch speaks after ten seconds.
            assert!(counting::calls() == before || second <= 11, "{state}: allocations {second} s later");
        }
    }
}

#[test]
fn a_board_holds_little() {
    let pieces = game();
    let before = counting::live();
    let mut core = Core::new(true);
    feed_all(&mut core, &pieces);
    let held = counting::live() - before;
    assert!((1..=96 << 10).contains(&held), "{held} bytes are held for one board");
    assert!(core.game.moves().len() > 10, "a game was played");
}
