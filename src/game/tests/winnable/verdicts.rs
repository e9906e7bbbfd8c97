//! Every row's verdict, and every proof.

use flagfall_game::mate::check::check;
use flagfall_game::mate::{Answer, Budget, counted};

use crate::rows::{Row, all_rows, position};
use crate::tally::{Tally, print_line};

/// Asks for the answers of the rows; fails at the end with every wrong answer and every refused proof.
fn answer<'a>(rows: impl Iterator<Item = &'a Row>) -> Tally {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for row in rows {
        let at = position(&row.fen);
        let (answer, counters) = counted(&at, row.side, Budget::FULL);
        if let Err(refused) = check(&at, row.side, &answer) {
            wrong.push(format!("{} {}: proof refused: {refused:?}: {answer:?}", row.fen, row.side));
        }
        let decided = match &answer {
            Answer::Winnable { .. } => Some(true),
            Answer::Unwinnable { .. } => Some(false),
            Answer::Undecided { .. } => None,
        };
        let says = format!("{} {}: {answer:?}", row.fen, row.side);
        match decided {
            None => print_line(&format!("undecided ({}): {says}", row.hardness)),
            Some(winnable) if winnable == row.winnable => {}
            Some(_) if row.probable => print_line(&format!("not as agreed, but proved: {says}")),
            Some(_) => wrong.push(says),
        }
        let real = if row.real { "real " } else { "" };
        tally.add(&format!("{real}{}", row.hardness), decided.is_some(), counters.nodes);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    tally
}

/// The rows; none if they are not there.
fn reference_rows() -> Option<Vec<Row>> {
    let all = all_rows();
    if all.is_empty() {
        print_line("no reference rows beside the clone: nothing is asked");
        return None;
    }
    assert_eq!(all.len(), 31_035);
    Some(all)
}

#[test]
fn a_sample_of_the_rows() {
    let Some(all) = reference_rows() else { return };
    let easy: Vec<&Row> = all.iter().filter(|row| row.hardness == "easy" && row.real).collect();
    assert!(easy.len() > 5_000, "{} rows", easy.len());
    let tally = answer(easy.into_iter().step_by(61));
    assert_eq!(tally.undecided("real easy"), 0);
}

#[test]
#[ignore = "2,700 rows of every hardness and their proofs: seconds, in a release build"]
fn a_sample_of_every_hardness() {
    let Some(all) = reference_rows() else { return };
    let mut tally = answer(all.iter().step_by(11));
    tally.print();
    for group in ["easy", "medium", "real easy", "real medium", "hard"] {
        assert_eq!(tally.undecided(group), 0, "{group}");
    }
}

#[test]
#[ignore = "31,035 rows and their proofs: minutes, in a release build"]
fn all_rows_and_proofs() {
    let Some(all) = reference_rows() else { return };
    let mut tally = answer(all.iter());
    tally.print();
    for group in ["easy", "medium", "real easy", "real medium", "hard"] {
        assert_eq!(tally.undecided(group), 0, "{group}");
    }
}
