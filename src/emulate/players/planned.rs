//! Draws which irregularity happens in a game, and in which ply. All irregularities that fit the game are equally likely.

use shakmaty::{Chess, Move, Position, Role};

use crate::emulate::dice::Dice;
use crate::emulate::score_sheet::ScoreSheet;
use crate::emulate::times::Control;

/// The kinds of irregularities that are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IrregularityKind {
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

impl IrregularityKind {
    const ALL: [IrregularityKind; 14] = [
        IrregularityKind::IllegalMove,
        IrregularityKind::PressedWithoutMove,
        IrregularityKind::PromotionNotReplaced,
        IrregularityKind::IncompleteMove,
        IrregularityKind::PieceInHand,
        IrregularityKind::MovedByWrongSide,
        IrregularityKind::PositionDiffers,
        IrregularityKind::PiecesDisplaced,
        IrregularityKind::LinkGap,
        IrregularityKind::ClockSettingDiffers,
        IrregularityKind::ClockCountDiffers,
        IrregularityKind::WrongClockRunning,
        IrregularityKind::ClockNotStarted,
        IrregularityKind::FlagAfterEnd,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            IrregularityKind::IllegalMove => "illegal_move",
            IrregularityKind::PressedWithoutMove => "pressed_without_move",
            IrregularityKind::PromotionNotReplaced => "promotion_not_replaced",
            IrregularityKind::IncompleteMove => "incomplete_move",
            IrregularityKind::PieceInHand => "piece_in_hand",
            IrregularityKind::MovedByWrongSide => "moved_by_wrong_side",
            IrregularityKind::PositionDiffers => "position_differs",
            IrregularityKind::PiecesDisplaced => "pieces_displaced",
            IrregularityKind::LinkGap => "link_gap",
            IrregularityKind::ClockSettingDiffers => "clock_setting_differs",
            IrregularityKind::ClockCountDiffers => "clock_count_differs",
            IrregularityKind::WrongClockRunning => "wrong_clock_running",
            IrregularityKind::ClockNotStarted => "clock_not_started",
            IrregularityKind::FlagAfterEnd => "flag_after_end",
        }
    }
}

/// An irregularity, and the ply, from 0, in which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedIrregularity {
    pub(super) kind: IrregularityKind,
    pub(super) ply: usize,
}

/// The largest number of attempts to find a ply for one irregularity.
const TRIES: usize = 40;

/// Draws with this chance an irregularity that fits.
pub(super) fn draw_irregularity(
    dice: &mut Dice,
    chance: f64,
    sheet: &ScoreSheet,
    control: &Control,
) -> Option<PlannedIrregularity> {
    let any = dice.chance(chance);
    let fitting: Vec<IrregularityKind> =
        IrregularityKind::ALL.into_iter().filter(|&kind| fits_game(kind, sheet, control)).collect();
    let kind = dice.pick(&fitting).filter(|_| any)?;
    let count = sheet.moves.len();
    let ply = match kind {
        IrregularityKind::PromotionNotReplaced => sheet.moves.iter().position(|&mv| promotes_to_queen(mv))?,
        IrregularityKind::ClockSettingDiffers | IrregularityKind::WrongClockRunning | IrregularityKind::ClockNotStarted => 0,
        IrregularityKind::ClockCountDiffers => required_moves(control)? * 2 - 2,
        IrregularityKind::FlagAfterEnd => count - 1,
        // The first and the last moves are left out.
        _ => (0..TRIES).find_map(|_| {
            let ply = (dice.between([4.0, count as f64 - 4.0])) as usize;
            fits_ply(kind, ply, sheet, control).then_some(ply)
        })?,
    };
    Some(PlannedIrregularity { kind, ply })
}

fn promotes_to_queen(mv: Move) -> bool {
    mv.promotion() == Some(Role::Queen)
}

/// The number of moves of the first period.
fn required_moves(control: &Control) -> Option<usize> {
    control.control.required(0).map(|required| required as usize)
}

fn fits_game(kind: IrregularityKind, sheet: &ScoreSheet, control: &Control) -> bool {
    let count = sheet.moves.len();
    let once = control.control.is_last(0);
    match kind {
        IrregularityKind::PromotionNotReplaced => {
            once && sheet.moves.iter().position(|&mv| promotes_to_queen(mv)).is_some_and(|at| at + 4 < count)
        }
        IrregularityKind::ClockSettingDiffers => count >= 8,
        IrregularityKind::ClockCountDiffers => {
            required_moves(control).is_some_and(|required| required > 2 && count >= 2 * required + 4)
        }
        IrregularityKind::WrongClockRunning => count >= 4,
        IrregularityKind::ClockNotStarted => once && count >= 4,
        IrregularityKind::FlagAfterEnd => !sheet.time_forfeit() && ends_in_mate(sheet),
        _ => count >= 12,
    }
}

fn ends_in_mate(sheet: &ScoreSheet) -> bool {
    let mut position = Chess::default();
    sheet.moves.iter().for_each(|&mv| position.play_unchecked(mv));
    position.is_checkmate()
}

fn fits_ply(kind: IrregularityKind, ply: usize, sheet: &ScoreSheet, control: &Control) -> bool {
    let mv = sheet.moves[ply];
    // A press that completes no move is one too many for the clock's own count.
    let counts = required_moves(control).is_none_or(|required| ply / 2 > required);
    match kind {
        IrregularityKind::IllegalMove | IrregularityKind::PressedWithoutMove => counts,
        IrregularityKind::PieceInHand => !mv.is_castle() && !mv.is_promotion() && !mv.is_capture(),
        _ => true,
    }
}
