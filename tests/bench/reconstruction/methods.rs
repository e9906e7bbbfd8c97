//! The methods that are compared.

use std::time::Duration;

use flagfall_game::reconstruct::tuning::Tuning;

/// A way to read a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Method {
    /// This decoder in the simulation itself, where the board answers its questions.
    Ours,
    /// This decoder without a part, with the recorded bytes.
    Without(Part),
    /// Look-up of legal positions after this number of milliseconds without a report.
    Lookup(u64),
    /// The table of all positions reachable from visited ones.
    Reachable,
}

/// A part that a decoder may lack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// No part: the same bytes must give the same game.
    Nothing,
    Presses,
    Ring,
    Log,
    /// The beam is this wide instead.
    Beam(usize),
}

/// The methods that are compared without irregularities.
pub(crate) const PLAIN: [Method; 11] = [
    Method::Ours,
    Method::Lookup(250),
    Method::Lookup(100),
    Method::Reachable,
    Method::Without(Part::Nothing),
    Method::Without(Part::Presses),
    Method::Without(Part::Ring),
    Method::Without(Part::Log),
    Method::Without(Part::Beam(1)),
    Method::Without(Part::Beam(4)),
    Method::Without(Part::Beam(64)),
];

/// The methods that are compared with irregularities.
pub(crate) const IRREGULAR: [Method; 3] = [Method::Ours, Method::Without(Part::Nothing), Method::Without(Part::Log)];

impl Method {
    pub(crate) fn name(self) -> String {
        match self {
            Method::Ours => "ours, beam 16".to_owned(),
            Method::Without(Part::Nothing) => "ours, again from the bytes".to_owned(),
            Method::Without(Part::Presses) => "ours without presses".to_owned(),
            Method::Without(Part::Ring) => "ours without past boards".to_owned(),
            Method::Without(Part::Log) => "ours without the board's log".to_owned(),
            Method::Without(Part::Beam(width)) => format!("ours, beam {width}"),
            Method::Lookup(millis) => format!("A look-up after {:.2} s", Duration::from_millis(millis).as_secs_f64()),
            Method::Reachable => "F table of the reachable".to_owned(),
        }
    }
}

impl Part {
    /// A tuning that lacks this.
    pub(crate) fn tuning(self) -> Tuning {
        let all = Tuning::default();
        match self {
            Part::Nothing => all,
            Part::Presses => Tuning { presses: false, ..all },
            Part::Ring => Tuning { ring: false, ..all },
            Part::Log => Tuning { log: false, ..all },
            Part::Beam(beam) => Tuning { beam, ..all },
        }
    }
}
