//! What the live audience is shown, and when.

use crate::desk::Desk;

/// Whether a clock was pressed must not be seen (12.6): a made move is shown when it has stood for two seconds, and no report of
/// the clock is needed for it.
#[test]
fn every_made_move_is_shown_after_two_seconds() {
    let mut desk = Desk::started("300");
    // A clock that says nothing from here on.
    desk.clock.running = false;
    let shown = |desk: &mut Desk, seconds: f64| desk.wait(seconds).game.told_plies();
    desk.wait(1.0).make("e2e4");
    assert_eq!(shown(&mut desk, 1.5), 0);
    // Lifted and put down 0.4 s later.
    desk.make("e7e5");
    assert_eq!(shown(&mut desk, 0.09), 0);
    assert_eq!(shown(&mut desk, 0.02), 1, "the first");
    assert_eq!(shown(&mut desk, 1.88), 1);
    assert_eq!(shown(&mut desk, 0.02), 2, "the second");
}
