//! The moves that the live audience is shown, and the times at which it is shown them.

use crate::desk::Desk;

/// A spectator waits for no press: a made move is shown when it has stood for two seconds, even without a report of the clock.
#[test]
fn every_made_move_is_shown_after_two_seconds() {
    let mut desk = Desk::started("300");
    // From here on the clock sends no reports.
    desk.clock.running = false;
    let shown = |desk: &mut Desk, seconds: f64| desk.wait(seconds).game.live_plies();
    desk.wait(1.0).make("e2e4");
    assert_eq!(shown(&mut desk, 1.5), 0);
    // The man is lifted and put down 0.4 s later.
    desk.make("e7e5");
    assert_eq!(shown(&mut desk, 0.09), 0);
    assert_eq!(shown(&mut desk, 0.02), 1, "the first move is shown");
    assert_eq!(shown(&mut desk, 1.88), 1);
    assert_eq!(shown(&mut desk, 0.02), 2, "the second move is shown");
}
