//! The round as it was played, from the nodes' journals alone.

use std::path::{Path, PathBuf};

use flagfall::outputs::picture::Picture;
use flagfall::outputs::round::{Round, RoundGame, date_and_time};
use flagfall::session::replay;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::StationOutput;
use flagfall::system_clock::Utc;
use flagfall::wire::meta::PairingResult;
use flagfall::wire::player::Players;
use flagfall_game::clock::control::TimeControl;
use flagfall_protocols::trace::Trace;

use super::games::TIME_CONTROL;
use super::organiser::{DATE, EVENT, NAME, PLACE, players};
use crate::support::parts::Parts;

/// The round with the games of these journals, of which each is the folder of a board; the first one is that of board 1. `forfeit` is the
/// board whose Black is absent.
pub(super) fn round(number: u32, journals: &[PathBuf], forfeit: Option<usize>) -> Round {
    let game = |(board, journal): (usize, &PathBuf)| {
        let [white, black] = players(number, board);
        let shown = last_state(journal, &format!("{EVENT}-r{number}-b{board}"));
        RoundGame {
            board: board as u32,
            id: format!("{EVENT}-{number}-{board}"),
            players: Players { white: Some(white), black: Some(black) },
            began: shown.as_ref().and_then(|shown| Utc::parse(shown.began.as_deref()?)).map(date_and_time),
            shown,
            pairing_result: (forfeit == Some(board)).then_some(PairingResult::BlackForfeits),
            ..RoundGame::default()
        }
    };
    Round {
        event: NAME.to_owned(),
        site: PLACE.join(" "),
        number: Some(number),
        date: Some(DATE.to_owned()),
        time_control: Some(TimeControl::parse(TIME_CONTROL).expect("a time control")),
        chess960: false,
        games: (1..).zip(journals).map(game).collect(),
    }
}

/// What the live audience saw last in a session, by a replay of its journal; none if it saw nothing.
fn last_state(journal: &Path, session: &str) -> Option<flagfall::outputs::picture::Body> {
    let entries = std::fs::read_dir(journal).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    let ending = format!("-{session}.journal");
    let mut files: Vec<PathBuf> = entries.filter(|file| file.to_str().is_some_and(|name| name.ends_with(&ending))).collect();
    files.sort();
    assert!(files.len() < 2, "a session of several files: {files:?}");
    let text = std::fs::read(files.first()?).expect("a journal");
    // The last line may not be whole yet.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let trace = Trace::new(&text[..whole]).ok()?;
    let setting = Setting::from_trace(&trace, &Overrides::default()).expect("a setting");
    let (mut station, topic, mut last) = (setting.station().expect("a station"), setting.board.live_state(), None);
    let mut parts = Parts::default();
    replay::run(&trace, &mut station, &mut |output| {
        if let StationOutput::Message(message) = output {
            let payload = parts.joined(&message.topic, message.payload.as_bytes());
            last = if message.topic == topic { Some(payload) } else { last.take() };
        }
        Ok(())
    })
    .expect("a whole journal");
    last.map(|payload| Picture::read(&payload).expect("our own state").body)
}
