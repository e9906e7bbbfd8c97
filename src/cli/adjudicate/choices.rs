//! Defines the options of `flagfall adjudicate` that have a few fixed values.

use clap::ValueEnum;
use flagfall_protocols::square::Color;

use super::events::When;

/// The order in which both flags fell (`--order`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    Unknown,
    WhiteFirst,
    BlackFirst,
}

impl Order {
    /// The side whose flag fell first, if that is known.
    pub(super) const fn first(self) -> Option<Color> {
        match self {
            Order::Unknown => None,
            Order::WhiteFirst => Some(Color::White),
            Order::BlackFirst => Some(Color::Black),
        }
    }
}

/// What is known of the other flag if both are down (`--other-flag`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OtherFlag {
    /// It was observed or claimed together with this one.
    Seen,
    /// It was down, and nobody has observed or claimed it.
    NotSeen,
    /// It fell after this one was observed or claimed.
    FellLater,
    /// It is not known whether it was down when this one was observed or claimed.
    PerhapsLater,
}

/// When an illegal position stood after the next move (`--illegal-position`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Time {
    BeforeFlag,
    AfterFlag,
    AfterCall,
    Unknown,
}

impl Time {
    pub(super) const fn when(self) -> Option<When> {
        match self {
            Time::BeforeFlag => Some(When::BeforeFlag),
            Time::AfterFlag => Some(When::AfterFlag),
            Time::AfterCall => Some(When::AfterCall),
            Time::Unknown => None,
        }
    }
}

/// The answer to a question that may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Answer {
    Yes,
    No,
}

impl Answer {
    pub(super) const fn is_yes(self) -> bool {
        matches!(self, Answer::Yes)
    }
}
