//! A clock that ticks allocates nothing: a board needs memory when pieces move, not every second.

use std::time::Duration;

use crate::counting;
use crate::feed::Core;
use crate::stream;
use crate::stream::{Kind, Piece};

/// After this number of presses every buffer has its final size.
const WARM: usize = 4;

fn feed_all(core: &mut Core, pieces: &[Piece]) {
    for piece in pieces {
        core.wait(piece.at);
        core.bytes(piece.at, &piece.bytes);
    }
}

/// A game of twenty minutes, which is long enough for the test.
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
        assert!(ticks > 500 && for_moves > 0, "{ticks} clock messages were measured; the counters work: {for_moves}");
        assert!(core.made > ticks, "each clock message has an effect");
    }
}

/// When the alarm and the message for the live audience have been sent, later clock messages allocate nothing.
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
            // The last timer of the monitor ends after ten seconds.
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
