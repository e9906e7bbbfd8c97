//! What is played after an illegal move that was pressed (7.5.1, A.5.2; club point 15).

use flagfall_game::alarm::{AlarmKind, AlarmStatus};
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::health::sentence;
use flagfall_game::input::Command;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::{GameResult, Recommended};
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_protocols::square::{Piece, Reading, Square};

use crate::desk::Desk;
use crate::desk::event::{Event, PLAIN};

/// After 1.e4 e5 with White's queen on d4, Black to move.
const QUEEN_ON_D4: &str = "rnbqkbnr/pppp1ppp/8/4p3/3QP3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2";

fn under(rulebook: &'static str) -> Desk {
    let mut desk = Event { rulebook, ..PLAIN }.desk("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    desk.wait(3.0).play("e2e4").play("e7e5");
    desk
}

/// Lifts the man on one square and puts it on another one.
fn put(desk: &mut Desk, from: &str, to: &str, man: char) {
    let square = |name| Square::parse(name).expect("a square");
    desk.wait(0.6).square(square(from), Reading::Empty).wait(0.3);
    desk.square(square(to), Reading::Piece(Piece::from_letter(man).expect("a man"))).wait(0.5);
}

/// White's queen goes over his own pawn to d4 and is pressed.
fn queen_to_d4(desk: &mut Desk) {
    put(desk, "d1", "d4", 'Q');
    desk.press(0).wait(2.5).assume(QUEEN_ON_D4);
}

fn told(desk: &Desk) -> Vec<String> {
    let told = |effect: &Effect| match effect {
        Effect::LiveMove { audience: Audience::Live, played: mv } => vec![mv.uci.to_string()],
        Effect::LiveRevision { audience: Audience::Live, moves, .. } => moves.iter().map(|mv| mv.uci.to_string()).collect(),
        _ => Vec::new(),
    };
    desk.out.iter().flat_map(told).collect()
}

fn segments(desk: &Desk) -> Vec<Vec<String>> {
    desk.game.segments().map(|(_, moves)| moves.iter().map(|mv| mv.uci.to_string()).collect()).collect()
}

fn after_illegal(desk: &Desk) -> Option<Vec<String>> {
    desk.game.after_illegal_move().map(|(.., moves)| moves.iter().map(|mv| mv.uci.to_string()).collect())
}

fn illegal_alarm(desk: &Desk) -> AlarmStatus {
    desk.game.alarms().iter().find(|alarm| alarm.kind == AlarmKind::IllegalMove).expect("an alarm").status
}

/// The queen stands on d4 throughout: no move of a queen was made.
#[test]
fn a_move_that_nobody_played_is_never_reported() {
    for rulebook in ["fide-2023-standard", "fide-2023-blitz", "us-chess", "club-speed"] {
        let mut desk = under(rulebook);
        queen_to_d4(&mut desk);
        desk.play("b8c6").wait(10.0).command(Command::DeclareResult { result: GameResult::WhiteWins }).wait(5.0);
        let queens: Vec<String> = told(&desk).into_iter().chain(desk.moves()).filter(|uci| uci.starts_with("d1")).collect();
        assert_eq!(queens, [""; 0], "{rulebook}");
    }
}

#[test]
fn an_answered_illegal_move_stands_without_supervision() {
    for rulebook in ["fide-2023-rapid", "fide-2023-blitz", "club-speed"] {
        let mut desk = under(rulebook);
        queen_to_d4(&mut desk);
        assert_eq!(segments(&desk), [[""; 0]; 0], "{rulebook}: nobody has replied");
        desk.play("b8c6").play("d4a4").play("g8f6").wait(3.0);
        assert_eq!(
            (segments(&desk), desk.moves()),
            (vec![vec!["e2e4".to_owned(), "e7e5".to_owned()]], moves(AFTER)),
            "{rulebook}"
        );
        assert_eq!(shakmaty::fen::Fen::from_position(desk.game.start(), shakmaty::EnPassantMode::Legal).to_string(), QUEEN_ON_D4);
        assert_eq!(told(&desk), ["e2e4", "e7e5", "b8c6", "d4a4", "g8f6"], "{rulebook}");
        assert_eq!(illegal_alarm(&desk), AlarmStatus::Cured, "{rulebook}");
        let completed = desk.game.completed();
        assert_eq!((completed.white, completed.black), (Some(3), Some(3)), "{rulebook}: the illegal move counts");
    }
}

const AFTER: &str = "b8c6 d4a4 g8f6";

fn moves(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn under_supervision_it_waits_for_a_ruling() {
    let mut desk = under("fide-2023-standard");
    queen_to_d4(&mut desk);
    desk.play("b8c6").play("d4a4").play("g8f6").wait(3.0);
    assert_eq!((desk.moves(), after_illegal(&desk)), (moves("e2e4 e7e5"), Some(moves(AFTER))));
    assert_eq!(illegal_alarm(&desk), AlarmStatus::Open);
    // The arbiter lets it stand: the moves that were followed belong to the game.
    desk.command(Command::SetPosition { fen: QUEEN_ON_D4.to_owned() }).wait(1.0);
    assert_eq!((desk.refused(), desk.moves(), after_illegal(&desk)), (0, moves(AFTER), None));
    assert_eq!(segments(&desk), [moves("e2e4 e7e5")]);
    desk.play("a4c6").wait(3.0);
    assert_eq!(desk.moves().last().map(String::as_str), Some("a4c6"));
}

#[test]
fn the_position_before_it_is_restored() {
    for rulebook in ["fide-2023-standard", "fide-2023-blitz"] {
        let mut desk = under(rulebook);
        queen_to_d4(&mut desk);
        put(&mut desk, "d4", "d1", 'Q');
        desk.press(0).wait(1.0).assume("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        desk.play("d1g4").play("b8c6").wait(3.0);
        assert_eq!(desk.moves(), moves("e2e4 e7e5 d1g4 b8c6"), "{rulebook}");
        assert_eq!((segments(&desk), after_illegal(&desk)), (Vec::new(), None), "{rulebook}");
    }
}

/// A king is left in check, and the opponent makes another move: the reply has no notation, and the game goes on after it.
#[test]
fn a_king_left_in_check_and_not_captured() {
    for (rulebook, stands) in [("fide-2023-blitz", true), ("club-speed", true), ("fide-2023-standard", false)] {
        let mut desk = Event { rulebook, ..PLAIN }.desk("4r1k1/7p/8/8/8/8/R7/4K3 w - - 0 1");
        desk.wait(3.0);
        put(&mut desk, "a2", "a3", 'R');
        desk.press(0).wait(3.0);
        put(&mut desk, "h7", "h6", 'p');
        desk.press(0).wait(3.0).assume("4r1k1/8/7p/8/8/R7/8/4K3 w - - 0 2");
        desk.play("e1d2").play("g8f7").wait(3.0);
        assert_eq!(desk.moves(), if stands { moves("e1d2 g8f7") } else { Vec::new() }, "{rulebook}");
        let unruled = if stands { None } else { Some(moves("e1d2 g8f7")) };
        assert_eq!(after_illegal(&desk), unruled, "{rulebook}");
    }
}

/// The closed alarm says what the Laws leave; before the reply the finding says how long the move can be corrected (A.5.2).
#[test]
fn the_words_say_what_the_law_leaves() {
    let mut desk = under("fide-2023-rapid");
    queen_to_d4(&mut desk);
    let screen = Screen::of(&desk.found(), &Around::default());
    assert_eq!(screen.headline, "ILLEGAL MOVE BY WHITE");
    assert!(screen.why.contains("Once the opponent has made the next move"), "{}", screen.why);
    assert_eq!(screen.besides[0], "restore the position before the illegal move");
    desk.play("b8c6").wait(3.0);
    let closed = desk.game.alarms().iter().find(|alarm| alarm.kind == AlarmKind::IllegalMove).expect("an alarm");
    let sentence = sentence(closed).expect("a sentence");
    assert!(sentence.contains("does not restore") && sentence.contains("players may agree"), "{sentence}");
    let restores = |finding: &Finding| finding.recommended.contains(&Recommended::RestorePosition);
    assert!(!desk.game.findings().iter().any(restores), "what was answered is not restored: {:?}", desk.game.findings());
}
