//! Pieces that are lifted and put back.

use std::collections::BTreeSet;

use fastrand::Rng;
use flagfall_game::input::Input;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Move, Position};

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, Played, RAPID, Reports, config, device, game, position};
use crate::support::seeds::{campaign, ordinary};

/// The longest time in microseconds for which the hands of these games show a man on its new square before its old one is empty: the
/// slowest touch, and a scan.
const NEW_SQUARE_FIRST: u64 = 1_100_000;

/// All readings of squares with their times, from the first frame on.
pub(crate) fn readings_over_time(reports: &Reports) -> Vec<(Instant, Square, Reading)> {
    let mut history = Vec::new();
    for (at, input) in reports {
        match input {
            Input::Device { event: DeviceEvent::Frame(frame), .. } => {
                history.extend(Square::all().map(|square| (*at, square, frame.get(square))));
            }
            Input::Device { event: DeviceEvent::Square { square, reading }, .. } => history.push((*at, *square, *reading)),
            _ => {}
        }
    }
    history
}

/// The reports of the game with additional lifts: each piece is put back before a move needs it. Returns the number of lifts, too.
fn with_lifts(rng: &mut Rng, reports: &Reports, count: usize) -> (Reports, usize) {
    let history = readings_over_time(reports);
    let end = reports.last().expect("events").0.0;
    let mut lifted: Vec<(Square, u64, u64)> = Vec::new();
    for _ in 0..count {
        let (square, from) = (Square::wrapping(rng.u8(..)), rng.u64(6_500_000..end));
        let of_square = || history.iter().filter(|(_, of, _)| *of == square);
        let standing = of_square().take_while(|(at, ..)| at.0 <= from).last();
        let Some(&(since, _, reading @ Reading::Piece(_))) = standing else { continue };
        // A scan must have seen the piece before, and must see it again.
        let next = of_square().find(|(at, ..)| at.0 > from).map_or(end, |(at, ..)| at.0);
        // A move may show its man on the new square first. The man cannot come back to the old square after that.
        let on_new = |(at, of, shown): &&(Instant, Square, Reading)| {
            *of != square && *shown == reading && (next.saturating_sub(NEW_SQUARE_FIRST)..next).contains(&at.0) && at.0 > from
        };
        let next = history.iter().find(on_new).map_or(next, |(at, ..)| at.0);
        let lasts = rng.choice([50_000, 300_000, 1_000_000, 4_000_000, 8_000_000]).expect("times");
        let to = (from + rng.u64(40_000..=lasts + 40_000)).min(next.saturating_sub(250_000));
        let free = lifted.iter().all(|(of, begin, end)| *of != square || to + 250_000 < *begin || *end + 250_000 < from);
        if from < since.0 + 250_000 || to <= from || !free {
            continue;
        }
        assert_ne!(reading, Reading::Empty);
        lifted.push((square, from, to));
    }
    let mut all = reports.clone();
    for (square, from, to) in &lifted {
        let reading = history.iter().rfind(|(at, of, _)| of == square && at.0 <= *from).expect("the piece stood on the square").2;
        for (at, reading) in [(*from, Reading::Empty), (*to, reading)] {
            let place = all.partition_point(|(stamp, _)| stamp.0 <= at);
            all.insert(place, (Instant(at), device(DeviceEvent::Square { square: *square, reading })));
        }
    }
    (all, lifted.len())
}

/// Checks that at any time the committed moves are those that were played.
#[track_caller]
fn only_what_was_played(reports: &Reports, played: &Played) -> CheckedGame {
    let mut checked = CheckedGame::new(config());
    for (at, input) in reports {
        checked.feed(*at, input);
        let moves = checked.list.len();
        if moves > 0 {
            let right = played.moves.get(moves - 1) == Some(&checked.list[moves - 1].uci.to_string());
            assert!(
                right,
                "at {at:?}: {:?} was not played, but {:?}",
                checked.moves(),
                &played.moves[..moves.min(played.moves.len())]
            );
        }
    }
    checked.advance_to(Instant(reports.last().expect("events").0.0 + 5_000_000));
    checked
}

/// Invariant 8, while a game is played.
#[test]
fn i08_a_lift_and_return_is_no_move() {
    let mut lifts = 0;
    campaign("invariant 8: lifts in a game", 81_000..81_012, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = game(&mut rng, if seed % 2 == 0 { BLITZ } else { RAPID }, 50);
        let (reports, count) = with_lifts(&mut rng, &played.reports, 60);
        lifts += count;
        let checked = only_what_was_played(&reports, &played);
        assert_eq!(checked.moves(), played.moves, "{count} lifts");
        assert_eq!((checked.revisions, checked.state().pending.len()), (0, 0));
        reports.len() as u64
    });
    assert!(!ordinary() || lifts > 100, "only {lifts} pieces were lifted");
}

/// Pairs of men that must not be off the board together: one captures, the other recaptures with a man like the captured one, and the
/// sensors cannot distinguish this from two lifts.
fn look_like_an_exchange(at: &Chess) -> BTreeSet<[u8; 2]> {
    let mut pairs = BTreeSet::new();
    let capture = |mv: &Move| Some((mv.from()?, mv.capture()?, mv.to()));
    for mv in at.legal_moves() {
        let Some((from, taken, to)) = capture(&mv) else { continue };
        let mut after = at.clone();
        after.play_unchecked(mv);
        for back in after.legal_moves() {
            let shows = back.promotion().unwrap_or(back.role());
            if let Some((other, _, there)) = capture(&back)
                && there == to
                && shows == taken
            {
                pairs.insert([u8::from(from), u8::from(other)]);
            }
        }
    }
    pairs
}

/// Invariant 8, with nothing but presses and lifts of several pieces at a time, by both players.
#[test]
fn i08_lifts_and_presses_alone_are_no_move() {
    campaign("invariant 8: lifts and presses", 82_000..82_030, |seed| {
        let mut rng = Rng::with_seed(seed);
        let plies = rng.usize(0..40);
        let played = game(&mut rng, BLITZ, plies);
        let mut checked = CheckedGame::after_inputs(&played.reports);
        let mut chaos = Chaos::after(rng.u64(..), &played.reports);
        let board: Placement = chaos.board;
        let standing: Vec<Square> = Square::all().filter(|&square| board.get(square) != Reading::Empty).collect();
        let exchanges = look_like_an_exchange(&position(&checked.state().fen));
        let rotated = checked.state().rotated;
        let mut inputs = played.reports.len();
        for _ in 0..60 {
            let mut hands: Vec<(u64, Option<Square>, Reading)> = Vec::new();
            let mut free = standing.clone();
            rng.shuffle(&mut free);
            let mut off: Vec<u8> = Vec::new();
            for square in free.into_iter().take(rng.usize(1..4)) {
                let from = rng.u64(0..1_500_000);
                let lasts = rng.choice([60_000, 400_000, 2_500_000, 7_000_000]).expect("times");
                let to = from + rng.u64(50_000..=lasts);
                let real = if rotated { square.rotated() } else { square }.index() as u8;
                if off.iter().any(|other| exchanges.contains(&[real, *other]) || exchanges.contains(&[*other, real])) {
                    continue;
                }
                off.push(real);
                hands.push((from, Some(square), Reading::Empty));
                hands.push((to, Some(square), board.get(square)));
            }
            for _ in 0..rng.choice([0, 0, 1, 2]).expect("counts") {
                hands.push((rng.u64(0..3_000_000), None, Reading::Empty));
            }
            hands.sort_by_key(|(at, ..)| *at);
            let began = chaos.now;
            inputs += hands.len();
            for (after, square, reading) in hands {
                chaos.now = Instant(began.0 + after);
                let (at, input) = match square {
                    Some(square) => chaos.put(square, reading),
                    None => chaos.press(),
                };
                checked.feed(at, &input);
                assert_eq!(checked.moves(), played.moves, "at {at:?}: {:?}", checked.list.last());
            }
            chaos.wait(rng.u64(300_000..6_000_000));
        }
        checked.advance_to(Instant(chaos.now.0 + 5_000_000));
        assert_eq!(checked.moves(), played.moves);
        assert_eq!(checked.state().pending, []);
        inputs as u64
    });
}
