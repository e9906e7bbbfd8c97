use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::{Reading, Square};
use proptest::prelude::*;
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;

use super::*;

/// Placements, each with the milliseconds for which it stands.
type Steps = Vec<(Placement, u64)>;

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position")
}

fn shown(position: &Chess) -> Placement {
    men::placement(&men::of_board(position.board()))
}

/// The position after these moves.
fn after(start: &Chess, moves: &str) -> Chess {
    let mut position = start.clone();
    for text in moves.split_whitespace() {
        let san: SanPlus = text.parse().expect("SAN");
        let ply = san.san.to_move(&position).expect("legal");
        position.play_unchecked(ply);
    }
    position
}

fn without(placement: &Placement, squares: &str) -> Placement {
    let mut placement = *placement;
    for name in squares.split_whitespace() {
        placement.set(Square::parse(name).expect("a square"), Reading::Empty);
    }
    placement
}

fn line(follower: &Follower) -> String {
    follower.san().collect::<Vec<_>>().join(" ")
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO.after(Duration::from_millis(ms))
}

/// Feeds placements, each with the milliseconds for which it stands, and returns the line after each.
fn follow(start: &Chess, steps: &[(Placement, u64)]) -> Vec<String> {
    let mut follower = Follower::new(start.clone(), ms(0), &shown(start));
    let mut at = 1_000;
    follower.wake(ms(at));
    let mut lines = Vec::new();
    for (placement, stands) in steps {
        follower.see(ms(at), placement);
        at += stands;
        follower.wake(ms(at));
        lines.push(line(&follower));
    }
    lines
}

#[test]
fn moves_are_taken_when_they_stand_still() {
    let start = Chess::default();
    let at = |moves: &str| shown(&after(&start, moves));
    let table: &[(&str, Steps, &[&str])] = &[
        ("a move", vec![(without(&at(""), "e2"), 5_000), (at("e4"), 300)], &["", "e4"]),
        ("too short", vec![(at("e4"), 299), (at(""), 300)], &["", ""]),
        ("two plies at once", vec![(at("e4 e5"), 300)], &["e4 e5"]),
        ("three plies at once are not guessed", vec![(at("e4 e5 Nf3"), 60_000)], &[""]),
        ("a man that stops on its way", vec![(at("e3"), 500), (at("e4"), 999), (at("e4"), 1)], &["e3", "e3", "e4"]),
        (
            "taken back",
            vec![(at("e4"), 300), (at("e4 e5"), 300), (at("e4"), 999), (at("e4"), 1)],
            &["e4", "e4 e5", "e4 e5", "e4"],
        ),
        ("two moves taken back", vec![(at("e4"), 300), (at("e4 e5"), 300), (at(""), 1_000)], &["e4", "e4 e5", ""]),
        (
            "a man that is straightened",
            vec![(at("e4"), 300), (without(&at("e4"), "e4"), 5_000), (at("e4"), 300)],
            &["e4", "e4", "e4"],
        ),
    ];
    for (what, steps, lines) in table {
        assert_eq!(follow(&start, steps), *lines, "{what}");
    }
}

#[test]
fn castling_with_the_rook_first_is_corrected() {
    let start = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let rook = shown(&after(&start, "Rf1"));
    let castled = shown(&after(&start, "O-O"));
    assert_eq!(follow(&start, &[(rook, 300), (castled, 1_000)]), ["Rf1", "O-O"]);
    let king = without(&shown(&start), "e1");
    assert_eq!(follow(&start, &[(king, 2_000), (castled, 300)]), ["", "O-O"]);
}

#[test]
fn what_several_ways_lead_to_waits_for_the_next_change() {
    // The pawn became something, and the king took it.
    let start = position("8/3kP3/8/8/8/8/8/4K3 w - - 0 1");
    let taken = shown(&after(&start, "e8=Q+ Kxe8"));
    assert_eq!(follow(&start, &[(taken, 60_000)]), [""]);
    let queen = shown(&after(&start, "e8=Q+"));
    assert_eq!(follow(&start, &[(queen, 300), (taken, 300)]), ["e8=Q+", "e8=Q+ Kxe8"]);
}

#[test]
fn a_board_that_does_not_identify_men() {
    // Both captures of the knight leave the same squares occupied.
    let start = position("4k3/8/3p1p2/8/4N3/8/4P3/4K3 w - - 0 1");
    let at = |moves: &str| shown(&after(&start, moves)).occupied();
    let lifted = without(&at(""), "f6");
    for (steps, lines) in [
        (vec![(lifted, 100), (without(&lifted, "e4"), 100), (at("Nxf6+"), 999), (at("Nxf6+"), 1)], vec!["", "", "", "Nxf6+"]),
        (vec![(at("Nxf6+"), 60_000)], vec![""]),
        (vec![(at("e3"), 1_000)], vec!["e3"]),
    ] {
        assert_eq!(follow(&start, &steps), lines);
    }
    let start = position("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(follow(&start, &[(shown(&after(&start, "e8=N+")).occupied(), 1_000)]), ["e8=Q"]);
}

#[test]
fn the_placement_has_the_names_of_the_line() {
    let start = Chess::default();
    let mut follower = Follower::new(start.clone(), ms(0), &shown(&start).occupied());
    assert!(follower.is_match());
    let text = |follower: &Follower| alloc::format!("{}", follower.placement());
    assert_eq!(text(&follower), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    let e4 = shown(&after(&start, "e4")).occupied();
    follower.see(ms(10), &e4);
    assert_eq!((text(&follower).as_str(), follower.is_match()), ("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", false));
    assert!(follower.wake(ms(1_010)));
    assert_eq!((text(&follower).as_str(), follower.is_match()), ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", true));
    let mut strange = shown(&start);
    strange.0[0] = Reading::Unreadable;
    assert_eq!(alloc::format!("{}", with_names(&strange, &strange)), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR");
}

/// A random game as positions and SANs.
fn game(choices: &[u16]) -> (Vec<Chess>, Vec<String>) {
    let (mut positions, mut sans) = (Vec::from([Chess::default()]), Vec::new());
    for choice in choices {
        let mut position = positions[positions.len() - 1].clone();
        let legal = position.legal_moves();
        let Some(ply) = legal.get(usize::from(*choice) % legal.len().max(1)).copied() else { break };
        sans.push(SanPlus::from_move_and_play_unchecked(&mut position, ply).to_string());
        positions.push(position);
    }
    (positions, sans)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A game whose moves stand still is followed exactly, whatever is in the hands between them.
    #[test]
    fn a_game_is_followed(choices in prop::collection::vec((any::<u16>(), 0..64u8, 0..300u64, 301..2_000u64), 1..60)) {
        let (positions, sans) = game(&choices.iter().map(|choice| choice.0).collect::<Vec<_>>());
        let mut steps = Vec::new();
        for (position, (_, square, lifted, stands)) in positions.iter().skip(1).zip(&choices) {
            let mut in_hand = shown(position);
            in_hand.set(Square::wrapping(*square), Reading::Empty);
            steps.extend([(in_hand, *lifted), (shown(position), *stands)]);
        }
        let lines = follow(&positions[0], &steps);
        prop_assert_eq!(lines.last().map(|line| line.to_owned()).unwrap_or_default(), sans.join(" "));
    }

    /// Whatever the board shows, the line is legal, and it does not depend on how often it is asked.
    #[test]
    fn any_board_gives_a_legal_line(
        choices in prop::collection::vec(any::<u16>(), 1..20),
        shows in prop::collection::vec((any::<u8>(), any::<u8>(), any::<bool>(), 0..1_500u64), 1..40),
    ) {
        let (positions, _) = game(&choices);
        let begin = || Follower::new(Chess::default(), ms(0), &shown(&positions[0]));
        let (mut one, mut often, mut at) = (begin(), begin(), 0);
        for (index, square, occupied, stands) in shows {
            let mut placement = shown(&positions[usize::from(index) % positions.len()]);
            if square < 64 {
                placement.set(Square::wrapping(square), Reading::Empty);
            } else if square < 128 {
                placement.set(Square::wrapping(square), Reading::Unreadable);
            }
            let placement = if occupied { placement.occupied() } else { placement };
            one.see(ms(at), &placement);
            often.see(ms(at), &placement);
            for part in 1..=stands / 50 {
                // The deadline of the next placement's own time comes after it.
                if part * 50 < stands {
                    often.wake(ms(at + part * 50));
                }
            }
            at += stands;
            let legal = one.san().try_fold(Chess::default(), |position, san| {
                let ply = san.parse::<SanPlus>().ok()?.san.to_move(&position).ok()?;
                Some(played(&position, ply))
            });
            prop_assert!(legal.is_some(), "{}", line(&one));
        }
        one.wake(ms(at + 5_000));
        often.wake(ms(at + 5_000));
        prop_assert_eq!(line(&one), line(&often));
    }
}
