//! What goes wrong in the first round, while the games go on.

use std::time::Duration;

use fastrand::Rng;
use flagfall::system_clock::monotonic;

use super::hall::Hall;
use crate::collect::{plies, plies_by_board, shorter};
use crate::lichess::fake::TOKEN;
use crate::support::waiting::{PATIENCE, pause, wait_until};

/// An output that failed tries again after 75 seconds at the latest.
const LONGEST_WAIT: Duration = Duration::from_secs(90);

/// How much goes wrong.
#[derive(Clone, Copy)]
pub(super) struct Troubles {
    /// How often the collector is killed while lichess cannot be reached, and after that, beside once without a broker.
    pub(super) kills: [usize; 2],
    /// The longest time from one kill to the next.
    pub(super) between: Duration,
    /// How long lichess cannot be reached.
    pub(super) cut: Duration,
}

impl Troubles {
    pub(super) fn happen(&self, hall: &mut Hall) {
        wrong_token(hall);
        self.cut(hall);
        // The collector starts without a broker, and then the broker has forgotten everything that was retained.
        hall.broker.kill();
        hall.start_collector();
        pause(Duration::from_secs(1));
        hall.broker.run();
        self.kill(hall, self.kills[1], 2);
    }

    /// The collector is killed so often, at any moment of its start or later.
    fn kill(&self, hall: &mut Hall, times: usize, seed: u64) {
        let mut rng = Rng::with_seed(seed);
        for _ in 0..times {
            pause(self.between.mul_f64(rng.f64()));
            hall.start_collector();
        }
    }

    /// Lichess cannot be reached for a time, in which the collector is killed. Then one push has everything.
    fn cut(&self, hall: &mut Hall) {
        hall.uplink.close();
        let until = monotonic().after(self.cut);
        let before = plies_by_board(&hall.games(1));
        self.kill(hall, self.kills[0], 1);
        // What was on its way has arrived.
        let pushed = hall.lichess.with(|round| round.pushes.len());
        wait_until("the status says so", PATIENCE, || {
            let (code, printed) = hall.organiser.asks(&["status"]);
            code == Some(1) && printed.contains("retrying  desk-collect/output/lichess") && printed.contains("cannot be reached")
        });
        wait_until("more moves in the file", PATIENCE, || plies_by_board(&hall.games(1)) != before);
        pause(until.since(monotonic()));
        let known = plies_by_board(&hall.games(1));
        assert_eq!(hall.lichess.with(|round| round.pushes.len()), pushed, "nothing came through");
        hall.uplink.open();
        let next = || hall.lichess.with(|round| round.pushes.get(pushed).cloned());
        wait_until("a push", LONGEST_WAIT, || next().is_some());
        assert_eq!(shorter(&known, &plies(&next().expect("a push"))), Vec::<String>::new(), "one push has everything");
    }
}

/// The token is wrong for a while; then the organiser lets the output try again.
fn wrong_token(hall: &Hall) {
    wait_until("the status says so", PATIENCE, || {
        let (code, printed) = hall.organiser.asks(&["status"]);
        code == Some(1) && printed.contains("refused   desk-collect/output/lichess") && printed.contains("The token is not valid")
    });
    std::fs::write(hall.desk.path("token"), TOKEN).expect("written");
    hall.organiser.publishes(&["retry", "lichess"]);
    wait_until("a push", PATIENCE, || hall.lichess.with(|round| !round.pushes.is_empty()));
}
