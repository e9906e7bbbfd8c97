//! Defines the events of a game that a person can tell `flagfall adjudicate`: endings, claims and illegal moves.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{IllegalKind, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_protocols::square::Color;

use super::words::Words;

/// The time of an event, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Before the flag fell.
    BeforeFlag,
    /// After the flag fell, and before somebody observed or claimed it.
    AfterFlag,
    /// After the flag was observed or claimed.
    AfterCall,
}

/// The way in which the game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndKind {
    /// By an ending that the position or the game has by itself.
    Board(Ending),
    /// A player resigned.
    Resignation(Color),
    /// A draw was agreed; whether both players had moved, if that is known.
    Agreement(Option<bool>),
    /// A player captured the king (club point 3.3).
    KingCaptured(Color),
}

/// An end of the game (`--ended`).
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) kind: EndKind,
    pub(super) when: Option<When>,
    /// True if an arbiter has rejected this ending, so that the game went on.
    pub(super) rejected: bool,
}

/// A claim, or a request for additional time (`--claim`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) ground: Ground,
    pub(super) by: Color,
    pub(super) standing: Standing,
    pub(super) when: Option<When>,
    pub(super) time_added: bool,
}

/// The deadline after which an illegal move stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The opponent has made his next move (A.5.2).
    Made,
    /// He has also pressed after it (club point 15).
    Pressed,
}

/// An illegal move that was completed (`--illegal`).
#[derive(Clone, Copy, Debug)]
pub(super) struct IllegalMove {
    pub(super) kind: IllegalKind,
    pub(super) by: Color,
    pub(super) treated: Treated,
    pub(super) when: Option<When>,
    pub(super) reply: Option<Reply>,
    pub(super) time_added: bool,
}

const SIDES: [(&str, Color); 2] = [("white", Color::White), ("black", Color::Black)];
const TIMES: [(&str, When); 3] =
    [("before-flag", When::BeforeFlag), ("after-flag", When::AfterFlag), ("after-call", When::AfterCall)];

/// Reads the value of `--ended`.
pub(super) fn end(text: &str) -> Result<End, String> {
    enum Kind {
        Board(Ending),
        Resignation,
        Agreement,
        KingCaptured,
    }
    let mut words = Words::of(text);
    let kind = words.needed(
        "the kind of end",
        &[
            ("checkmate", &Kind::Board(Ending::Checkmate)),
            ("stalemate", &Kind::Board(Ending::Stalemate)),
            ("dead-position", &Kind::Board(Ending::DeadPosition)),
            ("fivefold", &Kind::Board(Ending::FivefoldRepetition)),
            ("75-moves", &Kind::Board(Ending::SeventyFiveMoves)),
            ("resignation", &Kind::Resignation),
            ("agreement", &Kind::Agreement),
            ("king-captured", &Kind::KingCaptured),
        ],
    )?;
    let kind = match kind {
        Kind::Board(ending) => EndKind::Board(*ending),
        Kind::Resignation => EndKind::Resignation(words.needed("the player who resigned", &SIDES)?),
        Kind::Agreement => EndKind::Agreement(words.one_of(&[("both-moved", true), ("not-both-moved", false)])?),
        Kind::KingCaptured => EndKind::KingCaptured(words.needed("the player who captured the king", &SIDES)?),
    };
    let when = words.one_of(&TIMES)?;
    let rejected = words.has("rejected")?;
    words.end()?;
    if rejected && !matches!(kind, EndKind::Board(Ending::DeadPosition | Ending::SeventyFiveMoves)) {
        return Err("`rejected` is for a dead-position and 75-moves, which an arbiter may reject".to_owned());
    }
    Ok(End { kind, when, rejected })
}

/// Reads the value of `--claim`.
pub(super) fn claim(text: &str) -> Result<Claim, String> {
    let mut words = Words::of(text);
    let ground = words.needed(
        "the ground of the claim",
        &[
            ("repetition", Ground::Repetition),
            ("50-moves", Ground::FiftyMoves),
            ("normal-means", Ground::NormalMeans),
            ("additional-time", Ground::AdditionalTime),
        ],
    )?;
    let by = words.needed("the claimant", &SIDES)?;
    let standings = [("lodged", Standing::Lodged), ("accepted", Standing::Accepted), ("refused", Standing::Refused)];
    let standing = words.one_of(&standings)?.unwrap_or(Standing::Lodged);
    let when = words.one_of(&TIMES)?;
    let time_added = words.has("time-added")?;
    words.end()?;
    if time_added && standing != Standing::Refused {
        return Err("`time-added` is for a claim that was refused (`refused`)".to_owned());
    }
    Ok(Claim { ground, by, standing, when, time_added })
}

/// Reads the value of `--illegal`.
pub(super) fn illegal(text: &str) -> Result<IllegalMove, String> {
    let mut words = Words::of(text);
    let kind = words.needed(
        "the kind of illegal move",
        &[
            ("move", IllegalKind::Move),
            ("pawn-not-replaced", IllegalKind::PromotionNotReplaced),
            ("press-without-move", IllegalKind::PressedWithoutMove),
            ("two-hands", IllegalKind::TwoHands),
        ],
    )?;
    let by = words.needed("the player who made it", &SIDES)?;
    let treatments = [
        ("open", Treated::Open),
        ("settled", Treated::Settled),
        ("counted", Treated::Counted),
        ("not-counted", Treated::NotCounted),
    ];
    let treated = words.one_of(&treatments)?.unwrap_or(Treated::Open);
    let when = words.one_of(&TIMES)?;
    let reply = words.one_of(&[("replied", Reply::Made), ("replied-and-pressed", Reply::Pressed)])?;
    let time_added = words.has("time-added")?;
    words.end()?;
    if time_added && treated != Treated::Counted {
        return Err("`time-added` is for an illegal move that was ruled to count (`counted`)".to_owned());
    }
    Ok(IllegalMove { kind, by, treated, when, reply, time_added })
}
