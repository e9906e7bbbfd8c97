//! Refuses arguments of `flagfall adjudicate` that contradict each other, or that the chosen rules do not use.

use flagfall_game::laws::claim::Ground;
use flagfall_game::laws::facts::IllegalKind;
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::rulebook::{Guideline, Rulebook};
use flagfall_game::laws::rules::{About, Table};
use flagfall_protocols::square::Color;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Position, Rank, Role};

use super::case::Case;
use super::choices::{Order, OtherFlag, Time};
use super::events::{EndKind, Reply, When};
use super::last_move;
use crate::cli::settled::position;

/// The largest number of positions that may count for one flag (`laws/README.md#2.4`).
const MOST_POSITIONS: usize = 6;

/// Reads the position of a FEN. In a club a pawn on its last rank is a queen (points 26 to 28).
///
/// # Errors
/// What is wrong with the FEN.
pub(super) fn read(fen: &str, rulebook: &Rulebook) -> Result<Chess, String> {
    let Some(parsed) = fen.trim().parse::<Fen>().ok().filter(|_| rulebook.rules().table == Table::Club) else {
        return position(fen);
    };
    let mut board = parsed.into_setup().board;
    for (square, piece) in board.clone() {
        let last_rank = piece.color.fold_wb(Rank::Eighth, Rank::First);
        if piece.role == Role::Pawn && square.rank() == last_rank {
            board.set_piece_at(square, Role::Queen.of(piece.color));
        }
    }
    let rest: Vec<&str> = fen.split_ascii_whitespace().skip(1).collect();
    position(&format!("{} {}", board.board_fen(), rest.join(" ")))
}

/// The first contradiction among the arguments, in words.
pub(super) fn contradiction(case: &Case<'_>) -> Option<String> {
    let checks = [without_flag, positions, last_moved, periods, counts, both_flags, calls, ends, claims, illegal_moves, rules];
    checks.into_iter().find_map(|check| check(case).err())
}

/// Options that speak of a flag, where none fell.
fn without_flag(case: &Case<'_>) -> Result<(), String> {
    let given = case.given;
    if given.flagged.is_some() {
        return Ok(());
    }
    let of_the_flag = [
        ("--completed", given.completed.is_some()),
        ("--other-completed", given.other_completed.is_some()),
        ("--period", given.period.is_some()),
        ("--moves-missing", given.moves_missing),
        ("--observed", given.observed),
        ("--claimed", given.claimed),
        ("--called", given.called),
        ("--both-flags", given.both_flags),
        ("--seemed-over", given.seemed_over),
        ("--open-offer", given.open_offer),
        ("--sides-doubted", given.sides_doubted),
        ("--setting-differs", given.setting_differs),
        ("--scoresheet", given.scoresheet.is_some()),
        ("--clocks-stopped", given.clocks_stopped.is_some()),
    ];
    if let Some((option, _)) = of_the_flag.iter().find(|(_, is_given)| *is_given) {
        return Err(format!("{option} needs --flagged: it speaks of a flag that fell"));
    }
    let timed = [
        ("--ended", given.ended.iter().any(|end| end.when.is_some())),
        ("--claim", given.claim.iter().any(|claim| claim.when.is_some())),
        ("--illegal", given.illegal.iter().any(|illegal| illegal.when.is_some())),
        ("--illegal-position", given.illegal_position.and_then(Time::when).is_some()),
    ];
    match timed.iter().find(|(_, is_timed)| *is_timed) {
        Some((option, _)) => Err(format!("{option} with a time needs --flagged: the time is before or after a flag that fell")),
        None => Ok(()),
    }
}

fn positions(case: &Case<'_>) -> Result<(), String> {
    match case.positions.len() {
        0..=MOST_POSITIONS => Ok(()),
        many => Err(format!("--fen: {many} positions; {MOST_POSITIONS} may count at most")),
    }
}

fn last_moved(case: &Case<'_>) -> Result<(), String> {
    let Some(text) = &case.given.not_pressed else { return Ok(()) };
    let [at] = case.positions else {
        return Err("--not-pressed is for one position, and --fen gives several".to_owned());
    };
    let fen = &case.given.fen[0];
    last_move::check(text, at).map_err(|problem| format!("--not-pressed `{text}` and --fen `{fen}`: {problem}"))
}

/// The periods of the time control, and the moves that end them.
fn periods(case: &Case<'_>) -> Result<(), String> {
    let Some(control) = case.control else { return Ok(()) };
    if control.adds_time() && case.rulebook.guideline.is_some() {
        let (profile, control) = (&case.given.profile, control);
        return Err(format!(
            "--profile {profile} and --time-control {control}: Guidelines III need a game without additional \
                            time (III.1)"
        ));
    }
    for side in [case.flagged(), case.flagged().other()] {
        let Some(period) = case.period_given(side) else { continue };
        let [option, moves] = options_of(case, side);
        let index = period as usize - 1;
        if index > 0 && control.is_last(index - 1) {
            return Err(format!("{option} {period} and --time-control {control}: the time control has no such period"));
        }
        let needed = index.checked_sub(1).and_then(|before| control.required(before));
        if let (Some(needed), Some(done)) = (needed, case.completed(side))
            && done < needed
        {
            return Err(format!("{option} {period} and {moves} {done}: period {period} begins after {needed} completed moves"));
        }
    }
    Ok(())
}

/// The options for the period and the completed moves of a player.
fn options_of(case: &Case<'_>, side: Color) -> [&'static str; 2] {
    if side == case.flagged() { ["--period", "--completed"] } else { ["--other-period", "--other-completed"] }
}

/// The number of completed moves, and the number of the move in the FEN. The number 1 is what programs write when they do not know
/// it, so it says nothing.
fn counts(case: &Case<'_>) -> Result<(), String> {
    if case.positions.iter().any(|at| at.fullmoves().get() == 1) {
        return Ok(());
    }
    for side in [case.flagged(), case.flagged().other()] {
        let Some(done) = case.completed(side) else { continue };
        let made = |at: &Chess| {
            let to_move = (side == Color::White) == at.turn().is_white();
            let moves = at.fullmoves().get() - u32::from(to_move || side == Color::Black);
            // The last move is not completed before its press.
            let unpressed = case.given.not_pressed.is_some() && !to_move;
            moves - u32::from(unpressed && moves > 0)
        };
        let most = case.positions.iter().map(made).max().unwrap_or_default();
        if done > most {
            let [_, option] = options_of(case, side);
            let name = flagfall_game::color_name(side);
            return Err(format!(
                "{option} {done} and --fen: by the move number in the FEN, {name} has completed {most} moves at most"
            ));
        }
    }
    Ok(())
}

/// Both flags and their order.
fn both_flags(case: &Case<'_>) -> Result<(), String> {
    let given = case.given;
    let profile = &given.profile;
    let order = given.order.filter(|order| *order != Order::Unknown);
    let table = case.rulebook.rules().table;
    let club = table == Table::Club;
    if given.agreed_first.is_some() && !club {
        return Err(format!("--agreed-first and --profile {profile}: only club rules let the players agree on it; use --order"));
    }
    if let Some(first) = order.and_then(Order::first) {
        let why = match table {
            Table::UsChess => Some("with both flags down the order does not matter (14G)"),
            Table::Club if !case.rulebook.chose(About::Stamps) => {
                Some("the order counts only if both players agree: use --agreed-first, or add +stamps-count to the profile")
            }
            _ if case.rulebook.chose(About::Rapid) => Some("with both flags down it is a draw in any order (B8)"),
            _ => None,
        };
        if let Some(why) = why {
            return Err(format!("--order and --profile {profile}: {why}"));
        }
        let later = match given.other_flag {
            OtherFlag::FellLater if first != case.flagged() => "fell-later",
            OtherFlag::PerhapsLater => "perhaps-later",
            _ => "",
        };
        if !later.is_empty() {
            return Err(format!("--order and --other-flag {later}: give one of them, they speak of the same order"));
        }
    }
    if given.both_flags && !case.is_called() && matches!(given.other_flag, OtherFlag::FellLater | OtherFlag::PerhapsLater) {
        return Err(
            "--other-flag and --both-flags: without --observed, --claimed or --called nothing came before or after it".to_owned()
        );
    }
    let other_needed = given.both_flags || given.sides_doubted;
    if given.other_period.is_some() && !other_needed {
        return Err("--other-period needs --both-flags or --sides-doubted".to_owned());
    }
    let for_setting = given.setting_differs && case.rulebook.rules().setting_stands_after.is_some();
    if given.other_completed.is_some() && !other_needed && !for_setting {
        return Err(
            "--other-completed needs --both-flags, --sides-doubted, or --setting-differs under a profile with A.5.1".to_owned()
        );
    }
    Ok(())
}

/// The call of the flag, and everything that came after it.
fn calls(case: &Case<'_>) -> Result<(), String> {
    let given = case.given;
    let after = |when: Option<When>| when == Some(When::AfterCall);
    let options = [
        ("--ended", given.ended.iter().any(|end| after(end.when))),
        ("--claim", given.claim.iter().any(|claim| after(claim.when))),
        ("--illegal", given.illegal.iter().any(|illegal| after(illegal.when))),
        ("--illegal-position", after(given.illegal_position.and_then(Time::when))),
    ];
    if let Some((option, _)) = options.iter().find(|(_, after)| *after && !case.is_called()) {
        return Err(format!("{option} with after-call needs --observed, --claimed or --called"));
    }
    let players = given.claimed || given.called;
    if given.clocks_stopped.is_some() && !players {
        return Err("--clocks-stopped needs --claimed or --called: it speaks of the declaration".to_owned());
    }
    Ok(())
}

fn ends(case: &Case<'_>) -> Result<(), String> {
    let (profile, rules) = (&case.given.profile, case.rulebook.rules());
    let unused = |what: &str| Err(format!("--ended {what} and --profile {profile}: these rules know no such end"));
    for end in &case.given.ended {
        match end.kind {
            EndKind::KingCaptured(_) if rules.table != Table::Club => return unused("king-captured"),
            EndKind::Board(Ending::FivefoldRepetition) if !rules.fivefold => return unused("fivefold"),
            EndKind::Board(Ending::SeventyFiveMoves) if !case.rulebook.seventy_five() => return unused("75-moves"),
            EndKind::Board(ending) => {
                if end.when == Some(When::AfterCall) {
                    return Err("--ended with after-call and --fen: the position of --fen was reached before the call".to_owned());
                }
                // The fifth time comes 16 half-moves after the first at the earliest.
                let (least, name) = match ending {
                    Ending::FivefoldRepetition => (16, "fivefold"),
                    Ending::SeventyFiveMoves => (150, "75-moves"),
                    _ => continue,
                };
                let counted = |at: &Chess| (at.halfmoves(), at.fullmoves().get()) != (0, 1);
                if case.positions.iter().any(|at| counted(at) && at.halfmoves() < least) {
                    return Err(format!(
                        "--ended {name} and --fen: the FEN counts fewer than {least} half-moves without a \
                                        capture or pawn move"
                    ));
                }
            }
            EndKind::Agreement(Some(false)) => {
                let done = case.given.completed.max(case.given.other_completed).unwrap_or_default();
                if done >= 2 {
                    return Err(format!("--ended agreement,not-both-moved and {done} completed moves: both players have moved"));
                }
            }
            EndKind::KingCaptured(_) | EndKind::Resignation(_) | EndKind::Agreement(_) => {}
        }
    }
    Ok(())
}

fn claims(case: &Case<'_>) -> Result<(), String> {
    let profile = &case.given.profile;
    for claim in &case.given.claim {
        let refused = |what: &str, why: &str| Err(format!("--claim {what} and --profile {profile}: {why}"));
        match claim.ground {
            Ground::AdditionalTime if case.rulebook.guideline != Some(Guideline::AdditionalTime) => {
                return refused("additional-time", "the profile needs +guidelines-III.4");
            }
            Ground::NormalMeans
                if case.rulebook.guideline != Some(Guideline::NormalMeans) && !case.rulebook.rules().quickplay_claims =>
            {
                return refused("normal-means", "these rules know such a claim only with +guidelines-III.5");
            }
            ground if claim.time_added && (case.rulebook.penalty_s() == 0 || !case.rulebook.fines(ground)) => {
                return refused("time-added", "these rules give no time for such a claim");
            }
            _ => {}
        }
    }
    Ok(())
}

fn illegal_moves(case: &Case<'_>) -> Result<(), String> {
    let (profile, rules) = (&case.given.profile, case.rulebook.rules());
    let club = rules.table == Table::Club;
    let refused = |what: &str, why: &str| Err(format!("--illegal {what} and --profile {profile}: {why}"));
    for illegal in &case.given.illegal {
        match illegal.reply {
            Some(_) if !rules.illegal_deadline => {
                return refused("replied", "under these rules a reply changes nothing");
            }
            Some(Reply::Made) if club => {
                return refused("replied", "the opponent must also press: replied-and-pressed (point 15)");
            }
            Some(Reply::Pressed) if !club => {
                return refused("replied-and-pressed", "his next move is enough: replied (A.5.2)");
            }
            _ => {}
        }
        if club && illegal.kind == IllegalKind::PromotionNotReplaced {
            return refused("pawn-not-replaced", "the pawn is a queen (points 26 to 28); write it in --fen on its last rank");
        }
        if illegal.time_added && case.rulebook.penalty_s() == 0 {
            return refused("time-added", "these rules give no time");
        }
    }
    Ok(())
}

/// Facts that only some rules use.
fn rules(case: &Case<'_>) -> Result<(), String> {
    let (given, rules) = (case.given, case.rulebook.rules());
    for (option, is_given, used, whose) in [
        ("--scoresheet", given.scoresheet.is_some(), rules.table == Table::UsChess, "us-chess (13C7)"),
        ("--clocks-stopped", given.clocks_stopped.is_some(), rules.table == Table::Club, "club-speed (point 10)"),
        ("--open-offer", given.open_offer, rules.table == Table::Fide, "the FIDE profiles (5.2.3)"),
        (
            "--illegal-position",
            given.illegal_position.is_some(),
            rules.illegal_position_draws,
            "rapid and blitz without \
          supervision (A.5.4)",
        ),
    ] {
        if is_given && !used {
            return Err(format!("{option} and --profile {}: only {whose} uses it", given.profile));
        }
    }
    Ok(())
}
