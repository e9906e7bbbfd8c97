//! The check of 5.2.2 after every move of played games.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flagfall_game::mate::{Life, Watch, watched};
use shakmaty::san::San;
use shakmaty::{Chess, Move, Position};

use flagfall_bench_winnable::{Times, fastest};

/// One game by hand, if there are no files.
const OWN: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 7. Nxd4 c5 8. Ne2 Qxd1 9. Rxd1 Bd7 1/2-1/2";

/// Measures each move of each game.
pub(crate) fn watch(out: &mut dyn Write) -> io::Result<()> {
    let dir = Path::new(crate::ROOT).join("../shared/data/games");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&dir).map_or(Vec::new(), |all| all.flatten().map(|file| file.path()).collect());
    files.retain(|path| path.extension().is_some_and(|ext| ext == "pgn") && !path.ends_with("artefacts.pgn"));
    files.sort();
    if files.is_empty() {
        writeln!(out, "{} has no games: one of our own instead", dir.display())?;
    }
    let texts: io::Result<Vec<String>> = files.iter().map(std::fs::read_to_string).collect();
    let mut texts = texts?;
    if texts.is_empty() {
        texts.push(OWN.to_owned());
    }
    let mut times = Times::none();
    let [mut games, mut free, mut most, mut dead, mut unknown] = [0_u64; 5];
    for moves in texts.iter().flat_map(|text| read(text)) {
        games += 1;
        let mut watch = Watch::default();
        let mut at = Chess::default();
        for step in moves {
            at.play_unchecked(step);
            let before = watch.clone();
            let ((life, cost), taken) = fastest(|| {
                watch.clone_from(&before);
                watched(&at, &mut watch)
            });
            times.add(taken);
            free += u64::from(cost.nodes == 0);
            most = most.max(cost.nodes);
            dead += u64::from(matches!(life, Life::Dead { .. }));
            unknown += u64::from(life == Life::Unknown);
        }
    }
    let count = times.count();
    times.print("watch after every move", None, out)?;
    writeln!(
        out,
        "    {count} moves of {games} games: {free} without a search, {unknown} unknown, {dead} dead; at most {most} positions"
    )
}

/// The moves of each game of a file, up to the first text that is no legal move.
fn read(text: &str) -> Vec<Vec<Move>> {
    let mut games = vec![(Chess::default(), Vec::new())];
    // Comments stand in braces, variations in brackets.
    let mut aside = 0;
    for line in text.lines() {
        if line.starts_with('[') {
            if games.last().is_some_and(|(_, moves)| !moves.is_empty()) {
                games.push((Chess::default(), Vec::new()));
            }
            aside = 0;
            continue;
        }
        for word in line.replace(['{', '('], " ( ").replace(['}', ')'], " ) ").split_whitespace() {
            match word {
                "(" => aside += 1,
                ")" => aside -= 1,
                _ if aside > 0 => {}
                _ => {
                    let (at, moves) = games.last_mut().expect("begins with one");
                    let san = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
                    if let Ok(step) = san.parse::<San>().map_err(|_| ()).and_then(|san| san.to_move(at).map_err(|_| ())) {
                        at.play_unchecked(step);
                        moves.push(step);
                    }
                }
            }
        }
    }
    games.into_iter().map(|(_, moves)| moves).collect()
}
