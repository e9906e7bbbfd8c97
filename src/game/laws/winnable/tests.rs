//! Which answers are accepted.

use alloc::vec;

use super::super::answering::{again, answer, read, shorter};
use super::super::proof::{End, Wall};
use super::*;

const OPEN: &str = "7k/8/8/5KQ1/8/8/8/8 w - - 0 1";
const LOCKED: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
const CLOSED: &str = "1k6/pPp4p/P1P5/8/8/8/7P/5K2 b - - 0 1";
const TAKEN: &str = "k7/1Q6/8/8/8/8/7p/K7 b - - 0 1";

fn asked(fen: &str, side: Color) -> (Questions, Chess, Ask) {
    let position = read(fen, CastlingMode::Standard).expect(fen);
    let mut questions = Questions::default();
    let mut ask = None;
    assert_eq!(questions.verdict(&position, side, &mut ask), Verdict::Pending, "{fen}");
    (questions, position, ask.expect(fen))
}

fn moves(line: &str) -> Answer {
    Answer { id: 1, line: Some(line.split(' ').map(ToString::to_string).collect()), ..Answer::default() }
}

#[test]
fn a_line_is_believed_only_if_it_mates() {
    let mut questions = Questions::default();
    let mut ask = None;
    let start = Chess::default();
    assert_eq!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Pending);
    assert_eq!(ask.as_ref().map(|ask| ask.id), Some(1));
    for (line, problem) in [
        ("f2f3 e7e5", "the line does not end in mate by the side asked about"),
        ("f2f5", "a move of the line is not legal"),
        ("zz", "a move of the line cannot be read"),
    ] {
        assert_eq!(questions.answer(&moves(line)), Err(problem));
        assert!(matches!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Undecided(_)));
    }
    assert_eq!(questions.answer(&moves("f2f3 e7e5 g2g4 d8h4")), Ok(()));
    let Verdict::Winnable(mate) = questions.verdict(&start, Color::Black, &mut ask) else { panic!("not believed") };
    assert_eq!((mate.san.as_str(), mate.shortest), ("1. f3 e5 2. g4 Qh4#", false));
    assert!(questions.answer(&Answer { id: 9, ..Answer::default() }).is_err());
    assert_eq!(questions.answer(&Answer { id: 1, ..Answer::default() }), Ok(()), "a proof that was accepted stays");
    assert!(matches!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Winnable(_)));
}

#[test]
fn every_kind_of_proof_is_written_read_and_believed() {
    for (fen, side, word) in [
        (LOCKED, Color::White, "locked-walls"),
        (CLOSED, Color::White, "exhausted-closure"),
        (TAKEN, Color::White, "forced-capture"),
    ] {
        let (mut questions, position, ask) = asked(fen, side);
        let told = answer(&ask);
        assert_eq!(told.refused, None, "{fen}");
        assert!(told.answer.checked && told.answer.proof.is_some(), "{fen}: {told:?}");
        let claim = told.answer.claim(&position).expect(fen);
        let mate::Answer::Unwinnable { reason } = &claim else { panic!("{fen}") };
        assert_eq!(Proof::of(reason, &position), told.answer.proof, "{fen}: it is read back unchanged");
        assert_eq!(questions.answer(&told.answer), Ok(()), "{fen}");
        let mut none = None;
        let Verdict::Unwinnable(why) = questions.verdict(&position, side, &mut none) else { panic!("{fen}") };
        assert_eq!((why.reason.name(), none), (word, None), "{fen}");
        assert_eq!(again(&ask, &told.answer), None, "{fen}");
    }
}

#[test]
fn a_tampered_proof_leaves_the_question_undecided() {
    let change = |fen: &str, change: &dyn Fn(&mut Answer), expected: &str| {
        let (mut questions, position, ask) = asked(fen, Color::White);
        let mut told = answer(&ask).answer;
        change(&mut told);
        assert_eq!(questions.answer(&told), Err(expected), "{fen}");
        let verdict = questions.verdict(&position, Color::White, &mut None);
        assert_eq!(verdict, Verdict::Undecided(Cost { nodes: told.nodes, walls: told.walls }), "{fen}");
        assert_eq!(again(&ask, &told).as_deref(), Some(expected), "{fen}");
    };
    let wall = |answer: &mut Answer, change: fn(&mut Wall)| {
        let Some(Proof::LockedWalls { wall }) = &mut answer.proof else { panic!("no wall: {answer:?}") };
        change(wall);
    };
    change(LOCKED, &|answer| wall(answer, |wall| wall.men[0] = "K1:zz".into()), "a wall cannot be read");
    change(LOCKED, &|answer| wall(answer, |wall| wall.men[0] = "é".into()), "a wall cannot be read");
    change(LOCKED, &|answer| wall(answer, |wall| wall.men[0] = "K1:0000000000000001".into()), "a wall can be passed");
    change(LOCKED, &|answer| wall(answer, |wall| wall.steady = "8/8".into()), "a wall cannot be read");
    change(LOCKED, &|answer| wall(answer, |wall| wall.guards.push("pé".into())), "a wall cannot be read");
    change(LOCKED, &|answer| answer.proof = Some(Proof::BareKing), "the position is not what the reason says");
    change(LOCKED, &|answer| answer.line = Some(vec![]), "both a line and a proof that there is none");
    let count = |answer: &mut Answer| {
        let Some(Proof::ExhaustedClosure { positions, .. }) = &mut answer.proof else { panic!("{answer:?}") };
        *positions -= 1;
    };
    change(CLOSED, &count, "the positions are not as many as counted");
    let other = |answer: &mut Answer| {
        answer.proof = Some(Proof::Forced { line: vec!["a8b8".into()], end: End::Material });
    };
    change(TAKEN, &other, "a move of the line is not legal");
    let end = |answer: &mut Answer| {
        answer.proof = Some(Proof::Forced { line: vec!["a8b7".into()], end: End::Stalemate });
    };
    change(TAKEN, &end, "the position is not what the reason says");
    let too_long = |answer: &mut Answer| {
        answer.proof = Some(Proof::Forced { line: vec!["a8b7".into(); 65], end: End::Circle });
    };
    change(TAKEN, &too_long, "the forced line is too long");
    let free = |answer: &mut Answer| {
        answer.proof = Some(Proof::Forced { line: vec!["e1e2".into()], end: End::Circle });
    };
    change(LOCKED, &free, "a move of the forced line is not the only one");
    let no_mate = |answer: &mut Answer| {
        answer.line = None;
        answer.proof = Some(Proof::ExhaustedClosure {
            positions: 5_000,
            depth: 40,
            material: 0,
            stalemates: 0,
            mated: 0,
            walled: 0,
            walls: vec![],
        });
    };
    change(OPEN, &no_mate, "a mate can arise after all");
    change(LOCKED, &|answer| wall(answer, |wall| wall.men = vec!["K1:01".into(); 65]), "a wall cannot be read");
    change(LOCKED, &|answer| wall(answer, |wall| wall.men[0] = "K:01".into()), "a wall cannot be read");
    change(LOCKED, &|answer| wall(answer, |wall| wall.men[0] = ":01".into()), "a wall cannot be read");
    // No pawn stands on that square.
    change(LOCKED, &|answer| wall(answer, |wall| wall.guards.push("Pa2".into())), "the position is not what the reason says");
    for guard in ["", "ka2", "P", "Pa9"] {
        let bad = |answer: &mut Answer| {
            let Some(Proof::LockedWalls { wall }) = &mut answer.proof else { panic!("no wall: {answer:?}") };
            wall.guards.push(guard.into());
        };
        change(LOCKED, &bad, "a wall cannot be read");
    }
    let walls = |answer: &mut Answer| {
        let wall = Wall { steady: "8/8/8/8/8/8/8/8".into(), men: vec![], guards: vec![] };
        let Some(Proof::ExhaustedClosure { walls, .. }) = &mut answer.proof else { panic!("{answer:?}") };
        *walls = vec![wall; 513];
    };
    change(CLOSED, &walls, "too many walls");
}

/// The journal keeps every reason, also those that need no search.
#[test]
fn a_reason_is_the_same_after_it_was_written_and_read() {
    let position = read(TAKEN, CastlingMode::Standard).expect(TAKEN);
    let line = || vec!["a8b7".to_string()];
    let wall = Wall {
        steady: "8/8/8/8/8/8/8/8".into(),
        men: vec!["K1:0000000000000707".into()],
        guards: vec!["Pa2".into(), "ph7".into()],
    };
    let closure =
        |walls| Proof::ExhaustedClosure { positions: 7, depth: 3, material: 1, stalemates: 2, mated: 3, walled: 1, walls };
    for proof in [
        Proof::Mated,
        Proof::Stalemate,
        Proof::BareKing,
        Proof::Material,
        Proof::Forced { line: line(), end: End::Mated },
        Proof::Forced { line: line(), end: End::Stalemate },
        Proof::Forced { line: line(), end: End::Material },
        Proof::Forced { line: line(), end: End::Circle },
        Proof::LockedWalls { wall: wall.clone() },
        closure(vec![wall]),
    ] {
        let reason = proof.read(&position).expect("a reason");
        assert_eq!(Proof::of(&reason, &position), Some(proof));
    }
    let Ok(mate::Reason::Exhausted(closure)) = closure(vec![]).read(&position) else { panic!("no closure") };
    let empty = mate::Wall { steady: shakmaty::Board::empty(), reaches: vec![], guards: vec![] };
    let large = mate::Reason::Exhausted(mate::Closure { walls: vec![empty; 513], ..closure });
    assert_eq!(Proof::of(&large, &position), None, "such a proof fits into no record");
}

/// `flagfall replay --verify` finds what it cannot confirm, and is content with an answer where none was.
#[test]
fn an_answer_that_is_not_found_again_is_reported() {
    let (_, _, ask) = asked(OPEN, Color::White);
    let told = answer(&ask).answer;
    assert_eq!(again(&ask, &Answer::open(&ask)), None, "an open question has an answer now");
    let less = Ask { nodes: 1, ..ask };
    assert_eq!(again(&less, &told).as_deref(), Some("this answer is not found again within the budget"));
    assert_eq!(again(&Ask { fen: "no position".into(), ..less }, &told), None, "nobody can ask that");
    let (_, _, ask) = asked("k7/8/8/8/8/n7/P7/K7 w - - 0 1", Color::Black);
    let told = answer(&ask).answer;
    let forced_win = told.forced_win.map(|forced| !forced);
    assert!(forced_win.is_some(), "{told:?}");
    let problem = again(&ask, &Answer { forced_win, ..told });
    assert_eq!(problem.as_deref(), Some("whether mate can be forced is answered otherwise now"));
}

#[test]
fn a_proof_too_large_for_the_entry_must_have_been_checked_before() {
    let (questions, position, ask) = asked(CLOSED, Color::White);
    let mut told = answer(&ask).answer;
    let Some(Proof::ExhaustedClosure { positions, .. }) = &mut told.proof else { panic!("{told:?}") };
    *positions = CHECKED_ON_ENTRY as u32 + 1;
    for (checked, expected) in [(true, Ok(())), (false, Err("the proof is too large to be looked at again"))] {
        let mut questions = questions.clone();
        assert_eq!(questions.answer(&Answer { checked, ..told.clone() }), expected);
        let verdict = questions.verdict(&position, Color::White, &mut None);
        assert_eq!(matches!(verdict, Verdict::Unwinnable(_)), checked);
    }
    assert_eq!(
        again(&ask, &told).as_deref(),
        Some("the positions are not as many as counted"),
        "the check of the whole answer finds it"
    );
}

#[test]
fn a_shortest_line_that_cannot_be_checked_is_only_a_line() {
    // Fool's mate after many moves: here nobody can check all shorter lines.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let (questions, position, ask) = asked(start, Color::Black);
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(3);
    let line = Answer { line: moves(&(shuffle + "f2f3 e7e5 g2g4 d8h4")).line, ..Answer::open(&ask) };
    for (checked, shortest) in [(false, false), (true, true)] {
        let mut questions = questions.clone();
        assert_eq!(questions.answer(&Answer { shortest: true, checked, ..line.clone() }), Ok(()));
        let Verdict::Winnable(mate) = questions.verdict(&position, Color::Black, &mut None) else { panic!("not believed") };
        assert_eq!(mate.shortest, shortest, "checked: {checked}");
    }
    let (mut questions, _, _) = asked(OPEN, Color::White);
    let longer = moves("f5f6 h8h7 f6f5 h7h8 f5f6 h8h7 g5g7");
    assert_eq!(questions.answer(&Answer { shortest: true, ..longer }), Err("a shorter line exists"));
}

#[test]
fn a_finished_position_is_not_asked_about_and_the_mate_comes_before_the_material() {
    // No game leads to this position: it has a mate that the material would exclude.
    for (fen, side, won) in [
        ("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1", Color::Black, true),
        ("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1", Color::White, false),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White, false),
        ("7k/8/8/8/8/8/8/6RK b - - 0 1", Color::Black, false),
    ] {
        let position = read(fen, CastlingMode::Standard).expect(fen);
        let mut ask = None;
        let verdict = Questions::default().verdict(&position, side, &mut ask);
        assert_eq!(ask, None, "{fen}");
        assert_eq!(matches!(verdict, Verdict::Winnable(_)), won, "{fen}: {verdict:?}");
        assert_eq!(matches!(verdict, Verdict::Unwinnable(_)), !won, "{fen}: {verdict:?}");
    }
}

#[test]
fn a_question_carries_the_castling_of_chess960() {
    let fen = "1k5r/8/8/8/8/8/8/RK5R w HAh - 0 1";
    let position = read(fen, CastlingMode::Chess960).expect(fen);
    let mut ask = None;
    assert_eq!(Questions::default().verdict(&position, Color::White, &mut ask), Verdict::Pending);
    let ask = ask.expect("asked");
    assert!(ask.chess960);
    let told = answer(&ask);
    assert!(told.answer.line.is_some(), "{told:?}");
    assert_eq!(told.answer.claim(&position).map(|_| ()), Ok(()));
}

#[test]
fn the_answer_says_that_no_line_is_shorter() {
    let (_, _, ask) = asked(OPEN, Color::White);
    assert!(answer(&ask).answer.shortest);
}

#[test]
fn a_line_may_be_as_long_as_its_bound() {
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].map(ToString::to_string);
    let line = |plies| knights.iter().cycle().take(plies).cloned().collect();
    let claim = |plies| Answer { line: Some(line(plies)), ..Answer::default() }.claim(&Chess::default());
    assert!(matches!(claim(LONGEST_LINE), Ok(mate::Answer::Winnable { .. })));
    assert_eq!(claim(LONGEST_LINE + 1), Err("the line is too long"));
}

#[test]
fn a_budget_that_is_spent_answers_with_what_it_cost() {
    let (mut questions, position, ask) = asked(OPEN, Color::White);
    let told = answer(&Ask { nodes: 1, ..ask }).answer;
    assert!(told.line.is_none() && told.proof.is_none() && told.nodes > 0, "{told:?}");
    assert_eq!(questions.answer(&told), Ok(()));
    let verdict = questions.verdict(&position, Color::White, &mut None);
    assert_eq!(verdict, Verdict::Undecided(Cost { nodes: told.nodes, walls: told.walls }));
    let nonsense = Ask { id: 3, in_game: 3, fen: "no position".into(), chess960: false, side: "white", nodes: 1 };
    assert_eq!(answer(&nonsense).answer, Answer::open(&nonsense));
}

/// A false count for one position, sent as the proof of another position. The checker does not even run.
#[test]
fn an_answer_settles_no_question_but_its_own() {
    let (mut questions, _, first) = asked(CLOSED, Color::White);
    let mut late = answer(&first).answer;
    let Some(Proof::ExhaustedClosure { positions, .. }) = &mut late.proof else { panic!("{late:?}") };
    *positions = CHECKED_ON_ENTRY as u32 + 1;
    questions.next_game();
    let open = read(OPEN, CastlingMode::Standard).expect(OPEN);
    let mut ask = None;
    assert_eq!(questions.verdict(&open, Color::White, &mut ask), Verdict::Pending);
    let second = ask.take().expect("asked");
    assert_eq!((first.id, second.id), (1, 2), "numbers go on from game to game");
    let forged = Answer { id: second.id, ..late.clone() };
    let other_side = Answer { side: Some("black".into()), ..Answer::open(&second) };
    for wrong in [late.clone(), forged, Answer::open(&first), other_side] {
        assert_eq!(questions.answer(&wrong), Err("no such open question"), "{wrong:?}");
        assert_eq!(questions.verdict(&open, Color::White, &mut ask), Verdict::Pending, "{wrong:?}");
    }
    assert_eq!(questions.answer(&answer(&second).answer), Ok(()));
    assert!(matches!(questions.verdict(&open, Color::White, &mut ask), Verdict::Winnable(_)));
}

/// In older journals answers do not name their position: the numbers count for each game, and every proof is checked.
#[test]
fn an_answer_that_names_no_position_is_looked_at_whole() {
    let (mut questions, ..) = asked(OPEN, Color::White);
    questions.next_game();
    let closed = read(CLOSED, CastlingMode::Standard).expect(CLOSED);
    let mut ask = None;
    assert_eq!(questions.verdict(&closed, Color::White, &mut ask), Verdict::Pending);
    let good = Answer { id: 1, fen: None, side: None, ..answer(&ask.expect("asked")).answer };
    let mut false_one = good.clone();
    let Some(Proof::ExhaustedClosure { positions, .. }) = &mut false_one.proof else { panic!("{good:?}") };
    *positions = CHECKED_ON_ENTRY as u32 + 1;
    assert!(false_one.checked);
    assert_eq!(questions.answer(&false_one), Err("the positions are not as many as counted"));
    assert_eq!(questions.answer(&good), Ok(()));
    assert!(matches!(questions.verdict(&closed, Color::White, &mut None), Verdict::Unwinnable(_)));
}

#[test]
fn a_line_is_replaced_only_by_a_better_one() {
    let (mut questions, position, _) = asked(OPEN, Color::White);
    let mut plies = |answer: &Answer| {
        assert_eq!(questions.answer(answer), Ok(()));
        let Verdict::Winnable(mate) = questions.verdict(&position, Color::White, &mut None) else { panic!("not believed") };
        (mate.line.len(), mate.shortest)
    };
    let long = moves("f5f6 h8h7 f6f5 h7h8 f5f6 h8h7 g5g7");
    let short = moves("f5f6 h8h7 g5g7");
    assert_eq!(plies(&long), (7, false));
    assert_eq!(plies(&short), (3, false));
    assert_eq!(plies(&long), (3, false), "a longer line does not come back");
    assert_eq!(plies(&Answer { shortest: true, ..short }), (3, true));
    assert_eq!(plies(&moves("f5f6 h8h7 g5h5")), (3, true), "a line that is no better is not even looked at");
    let (mut questions, position, _) = asked(OPEN, Color::White);
    assert_eq!(questions.answer(&long), Ok(()));
    assert_eq!(questions.answer(&moves("f5f6 h8h7 g5h4")), Err("the line does not end in mate by the side asked about"));
    let verdict = questions.verdict(&position, Color::White, &mut None);
    assert!(matches!(verdict, Verdict::Winnable(mate) if mate.line.len() == 7), "a wrong line leaves the known one");
}

#[test]
fn a_shorter_line_is_a_second_answer_to_the_same_question() {
    let (mut questions, position, ask) = asked("8/8/4k3/8/8/3NK3/5r2/8 b - - 0 1", Color::White);
    let first = answer(&ask).answer;
    assert_eq!(questions.answer(&first), Ok(()));
    let second = shorter(&ask, &first, &|| true).expect("a shorter line");
    assert_eq!((second.id, second.fen.as_ref(), second.shortest, second.checked), (first.id, first.fen.as_ref(), true, true));
    assert_eq!(questions.answer(&second), Ok(()));
    let Verdict::Winnable(mate) = questions.verdict(&position, Color::White, &mut None) else { panic!("not believed") };
    assert_eq!((mate.line.len(), mate.shortest), (10, true));
    assert_eq!(shorter(&ask, &second, &|| true), None, "nothing is better");
    assert_eq!(shorter(&ask, &first, &|| false), None, "the search was ended");
}
