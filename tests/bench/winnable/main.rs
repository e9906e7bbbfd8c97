//! `cargo bench -p flagfall-bench-winnable`: the time of answers on Article 6.9, compared with the published solver `chasolver`.
//!
//! Both solvers get every question, in turns and in one run. The bench compares our answer with its proof with the full mode of
//! `chasolver`, which proves unwinnable positions. The table also has its fast mode, which only searches for unwinnable positions.

mod games;
mod sets;

use std::hint::black_box;
use std::io::{self, Write};
use std::str::FromStr;

use flagfall_bench_winnable::{Times, fastest, heading};
use flagfall_game::mate::{Answer, Budget, counted, shorten};
use shakmaty::Color;

use sets::Question;

/// The root of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

fn main() -> io::Result<()> {
    let only: Option<String> = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let mut out = io::stdout().lock();
    let (sets, missing) = sets::all();
    if let Some(missing) = missing {
        writeln!(out, "{missing} is not there: a few positions of our own instead, of which nothing follows\n")?;
    }
    heading(&mut out)?;
    for (name, questions) in sets {
        if wanted(name) {
            compare(name, &questions, &mut out)?;
        }
    }
    if wanted("watch") {
        games::watch(&mut out)?;
    }
    Ok(())
}

/// The answers of one side of the comparison, counted.
struct Count {
    wrong: u32,
    undecided: u32,
}

impl Count {
    fn add(&mut self, says: Option<bool>, question: &Question) {
        match says {
            None => self.undecided += 1,
            Some(winnable) if winnable != question.winnable && !question.probable => self.wrong += 1,
            Some(_) => {}
        }
    }
}

/// One of this many questions is also asked for a shorter line.
const SHORTENED: usize = 10;

/// The times of one kind of answer: ours and theirs.
struct Pair([Times; 2]);

fn compare(name: &str, questions: &[Question], out: &mut dyn Write) -> io::Result<()> {
    let [mut all, mut yes, mut no] = [const { Pair([const { Times::none() }; 2]) }; 3];
    let [mut fast, mut lines] = [const { Times::none() }; 2];
    let [mut right, mut theirs] = [const { Count { wrong: 0, undecided: 0 } }; 2];
    let (mut long, mut short, mut shortest) = (0, 0, 0_u32);
    for (number, question) in questions.iter().enumerate() {
        let (answer, taken) = fastest(|| counted(&question.position, question.side, Budget::FULL).0);
        let says = match &answer {
            Answer::Winnable { .. } => Some(true),
            Answer::Unwinnable { .. } => Some(false),
            Answer::Undecided { .. } => None,
        };
        right.add(says, question);
        let board = chess::Board::from_str(&format!("{} 0 1", question.fen)).expect("a position");
        let side = if question.side == Color::White { chess::Color::White } else { chess::Color::Black };
        let (said, beside) = fastest(|| chasolver::winnability(&board, side));
        theirs.add(said.map(|said| said != chasolver::Winnability::Unwinnable), question);
        fast.add(fastest(|| black_box(chasolver::is_unwinnable_fast(&board, side))).1);
        for pair in [&mut all, if question.winnable { &mut yes } else { &mut no }] {
            pair.0[0].add(taken);
            pair.0[1].add(beside);
        }
        if let Answer::Winnable { line, .. } = &answer
            && number % SHORTENED == 0
        {
            long += line.len();
            let (shorter, taken) = fastest(|| shorten(&question.position, question.side, answer.clone(), Budget::FULL));
            lines.add(taken);
            if let Answer::Winnable { line, shortest: known } = shorter {
                short += line.len();
                shortest += u32::from(known);
            }
        }
    }
    for (what, Pair([ours, full])) in [("", &mut all), (", winnable", &mut yes), (", unwinnable", &mut no)] {
        ours.print(&format!("{name}{what}: answer and proof"), Some(full), out)?;
        full.print(&format!("{name}{what}: chasolver, full"), None, out)?;
    }
    fast.print(&format!("{name}: chasolver, fast"), None, out)?;
    lines.print(&format!("{name}: a shorter line as well"), None, out)?;
    let count = questions.len();
    let [ours, theirs] = [right, theirs].map(|count| format!("{} wrong, {} undecided", count.wrong, count.undecided));
    writeln!(out, "    {count} questions; here {ours}; chasolver {theirs};")?;
    let (count, mean) = (lines.count(), |sum: usize| sum as f64 / lines.count().max(1) as f64);
    let (long, short) = (mean(long), mean(short));
    writeln!(
        out,
        "    lines of {long:.1} half-moves in the mean, shortened {short:.1}; {shortest} of {count} then known to be shortest\n"
    )
}
