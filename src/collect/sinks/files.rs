//! Writes the tree of files that programs for broadcasts expect (`outputs/README.md#3`).

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::Folder;
use super::{Answer, Sink};
use crate::collect::body::{RoundBody, join};

/// Writes `tournament.json` and a folder for each round.
pub(crate) struct Files {
    dir: PathBuf,
    /// Whether each board has files of its own too.
    split: bool,
}

impl Files {
    pub(crate) fn new(dir: PathBuf, split: bool) -> Files {
        Files { dir, split }
    }

    /// The folder of a round.
    pub(crate) fn folder(&self, body: &RoundBody) -> PathBuf {
        self.dir.join(&body.event).join(round_folder(body))
    }

    /// Writes what differs from what is there. Returns whether anything was written.
    ///
    /// # Errors
    /// The first file that cannot be written, with its name.
    fn write(&self, body: &RoundBody) -> Result<bool, (String, io::Error)> {
        let at = |name: &str| {
            let name = name.to_owned();
            move |error| (name, error)
        };
        let event = Folder::open(&self.dir).and_then(|top| top.inner(&body.event)).map_err(at(&body.event))?;
        let name = round_folder(body);
        let round = event.inner(&name).map_err(at(&name))?;
        let mut boards: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        body.games.iter().for_each(|game| boards.entry(game.number).or_default().push(Arc::as_ref(game)));
        let mut written = false;
        let mut write = |folder: &Folder, name: &str, contents: &str| {
            written |= folder.write(name, contents).map_err(at(name))?;
            Ok(())
        };
        for (number, games) in boards.iter().filter(|_| self.split) {
            write(&round, &format!("game-{number}.pgn"), &join(games.iter().copied()))?;
            // The format has one game for each board: the last one.
            if let Some(last) = games.last() {
                write(&round, &format!("game-{number}.json"), &last.json)?;
            }
        }
        // A reader that sees the index finds the games that it lists.
        write(&round, "games.pgn", &body.pgn())?;
        write(&round, "index.json", &body.index)?;
        if body.is_current {
            write(&event, "tournament.json", &body.tournament)?;
        }
        Ok(written)
    }
}

impl Sink for Files {
    fn send(&mut self, body: &RoundBody) -> Answer {
        match self.write(body) {
            Ok(_) => Answer::accepted(),
            Err((name, error)) => Answer::failed(format!(
                "{}: {name} cannot be written: {error}. Make room on the disk, or give the user of this program the right to write there.",
                self.dir.display()
            )),
        }
    }
}

fn round_folder(body: &RoundBody) -> String {
    format!("round-{}", body.round)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::collect::body::GameBody;
    use crate::collect::sinks::Verdict;

    fn body() -> RoundBody {
        let game = |number: u32, pgn: &str| {
            let (pgn, json) = (pgn.to_owned(), format!("{{\"n\":{number}}}"));
            Arc::new(GameBody { board: number.to_string(), number, pgn, json, ..GameBody::default() })
        };
        let games = vec![game(1, "[Event \"a\"]\n\n*\n"), game(2, "[Event \"b\"]\n\n*\n"), game(2, "[Event \"c\"]\n\n*\n")];
        let text = str::to_owned;
        RoundBody {
            event: text("open26"),
            round: text("5"),
            is_current: true,
            games,
            tournament: text("{}"),
            index: text("[]"),
            ..RoundBody::default()
        }
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }

    #[test]
    fn a_round_is_a_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut files = Files::new(dir.path().to_owned(), true);
        assert_eq!(files.send(&body()), Answer::accepted());
        let round = dir.path().join("open26/round-5");
        assert_eq!(names(&dir.path().join("open26")), ["round-5", "tournament.json"]);
        assert_eq!(names(&round), ["game-1.json", "game-1.pgn", "game-2.json", "game-2.pgn", "games.pgn", "index.json"]);
        let text = |name: &str| std::fs::read_to_string(round.join(name)).expect("a file");
        assert_eq!(text("games.pgn"), "[Event \"a\"]\n\n*\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n\n*\n");
        assert_eq!(text("game-2.pgn"), "[Event \"b\"]\n\n*\n\n[Event \"c\"]\n\n*\n");
        assert!(!files.write(&body()).expect("readable"), "nothing is written twice");
    }

    #[test]
    fn a_round_without_single_games() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(Files::new(dir.path().to_owned(), false).send(&body()), Answer::accepted());
        assert_eq!(names(&dir.path().join("open26/round-5")), ["games.pgn", "index.json"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_answer() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("open26"), "a file").expect("written");
        let answer = Files::new(dir.path().to_owned(), true).send(&body());
        assert_eq!(answer.verdict, Verdict::Retry(None));
        assert!(answer.message.contains("open26"), "{answer:?}");
    }
}
