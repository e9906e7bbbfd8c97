//! Which irregularity a game gets, and where: drawn evenly from those that fit it.

use shakmaty::{Chess, Move, Position, Role};

use crate::emulate::dice::Dice;
use crate::emulate::score_sheet::ScoreSheet;
use crate::emulate::times::Control;

/// Something that goes wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    IllegalMove,
    PressedWithoutMove,
    PromotionNotReplaced,
    IncompleteMove,
    PieceInHand,
    MovedByWrongSide,
    PositionDiffers,
    PiecesDisplaced,
    LinkGap,
    ClockSettingDiffers,
    ClockCountDiffers,
    WrongClockRunning,
    ClockNotStarted,
    FlagAfterEnd,
}

impl Kind {
    const ALL: [Kind; 14] = [
        Kind::IllegalMove,
        Kind::PressedWithoutMove,
        Kind::PromotionNotReplaced,
        Kind::IncompleteMove,
        Kind::PieceInHand,
        Kind::MovedByWrongSide,
        Kind::PositionDiffers,
        Kind::PiecesDisplaced,
        Kind::LinkGap,
        Kind::ClockSettingDiffers,
        Kind::ClockCountDiffers,
        Kind::WrongClockRunning,
        Kind::ClockNotStarted,
        Kind::FlagAfterEnd,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::IllegalMove => "illegal_move",
            Kind::PressedWithoutMove => "pressed_without_move",
            Kind::PromotionNotReplaced => "promotion_not_replaced",
            Kind::IncompleteMove => "incomplete_move",
            Kind::PieceInHand => "piece_in_hand",
            Kind::MovedByWrongSide => "moved_by_wrong_side",
            Kind::PositionDiffers => "position_differs",
            Kind::PiecesDisplaced => "pieces_displaced",
            Kind::LinkGap => "link_gap",
            Kind::ClockSettingDiffers => "clock_setting_differs",
            Kind::ClockCountDiffers => "clock_count_differs",
            Kind::WrongClockRunning => "wrong_clock_running",
            Kind::ClockNotStarted => "clock_not_started",
            Kind::FlagAfterEnd => "flag_after_end",
        }
    }
}

/// An irregularity and the ply, from 0, in whose time it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) ply: usize,
}

/// The most that one draw looks for a place.
const TRIES: usize = 40;

/// With this chance, one that fits.
pub(super) fn draw(dice: &mut Dice, chance: f64, sheet: &ScoreSheet, control: &Control) -> Option<Plan> {
    let any = dice.chance(chance);
    let fitting: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| fits(kind, sheet, control)).collect();
    let kind = dice.pick(&fitting).filter(|_| any)?;
    let count = sheet.moves.len();
    let ply = match kind {
        Kind::PromotionNotReplaced => sheet.moves.iter().position(|&mv| queens(mv))?,
        Kind::ClockSettingDiffers | Kind::WrongClockRunning | Kind::ClockNotStarted => 0,
        Kind::ClockCountDiffers => required(control)? * 2 - 2,
        Kind::FlagAfterEnd => count - 1,
        // Not the first moves, and none of the last.
        _ => (0..TRIES).find_map(|_| {
            let ply = (dice.between([4.0, count as f64 - 4.0])) as usize;
            suits(kind, ply, sheet, control).then_some(ply)
        })?,
    };
    Some(Plan { kind, ply })
}

fn queens(mv: Move) -> bool {
    mv.promotion() == Some(Role::Queen)
}

/// Moves of the first period.
fn required(control: &Control) -> Option<usize> {
    control.control.required(0).map(|required| required as usize)
}

fn fits(kind: Kind, sheet: &ScoreSheet, control: &Control) -> bool {
    let count = sheet.moves.len();
    let once = control.control.is_last(0);
    match kind {
        Kind::PromotionNotReplaced => once && sheet.moves.iter().position(|&mv| queens(mv)).is_some_and(|at| at + 4 < count),
        Kind::ClockSettingDiffers => count >= 8,
        Kind::ClockCountDiffers => required(control).is_some_and(|required| required > 2 && count >= 2 * required + 4),
        Kind::WrongClockRunning => count >= 4,
        Kind::ClockNotStarted => once && count >= 4,
        Kind::FlagAfterEnd => !sheet.time_forfeit() && ends_in_mate(sheet),
        _ => count >= 12,
    }
}

fn ends_in_mate(sheet: &ScoreSheet) -> bool {
    let mut position = Chess::default();
    sheet.moves.iter().for_each(|&mv| position.play_unchecked(mv));
    position.is_checkmate()
}

fn suits(kind: Kind, ply: usize, sheet: &ScoreSheet, control: &Control) -> bool {
    let mv = sheet.moves[ply];
    // A press that completes no move is one too many for the clock's own count.
    let counts = required(control).is_none_or(|required| ply / 2 > required);
    match kind {
        Kind::IllegalMove | Kind::PressedWithoutMove => counts,
        Kind::PieceInHand => !mv.is_castle() && !mv.is_promotion() && !mv.is_capture(),
        _ => true,
    }
}
