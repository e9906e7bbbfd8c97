//! The PGN of a board for the live audience and for the public: always what their states show, over delays and restarts.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::score_sheet;
use flagfall::journal::Limits;
use flagfall::outputs::board_games::MAX_EARLIER;
use flagfall::outputs::pgn::{Profile, write_round};
use flagfall::outputs::picture::{Body, Picture};
use flagfall::outputs::round::{Round, RoundGame};
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::record_input::read_input;
use flagfall::session::recorder::Recorder;
use flagfall::session::setting::Setting;
use flagfall::session::station::{ChangedPgn, Station, StationOutput};
use flagfall::wire::time::TimeSource;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;

use crate::round_games::{DELAY, bound, evening, started, tape};
use crate::support::parts::Parts;
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, tapes};

const BOTH: ChangedPgn = ChangedPgn { live: true, public: true };

/// The last state of each game of an audience, by the number of the game.
#[derive(Default)]
struct LastStates([BTreeMap<u32, Picture>; 2], Parts);

impl LastStates {
    fn take(&mut self, outputs: &[StationOutput], setting: &Setting) {
        let topics = [setting.board.live_state(), setting.board.public_state()];
        for output in outputs {
            let StationOutput::Message(message) = output else { continue };
            let payload = self.1.joined(&message.topic, message.payload.as_bytes());
            for (topic, states) in topics.iter().zip(&mut self.0) {
                if *topic == message.topic {
                    let picture = Picture::read(&payload).expect("our own state");
                    states.insert(picture.body.game_no, picture);
                }
            }
        }
    }

    /// Checks that every game in the PGN is what `outputs::pgn` makes of its last state, and that the last one is there.
    fn check(&self, name: &str, setting: &Setting, message: &Message) {
        let states = &self.0[usize::from(message.audience == Audience::Public)];
        let texts = games(&message.payload);
        assert!(texts.len() <= MAX_EARLIER + 1, "{name}");
        let written = |(_, picture): (&u32, &Picture)| write(setting, picture);
        let should: Vec<String> = states.iter().map(written).collect();
        for text in &texts {
            assert!(should.contains(text), "{name}: {}\n{text}\nis none of {should:#?}", message.topic);
        }
        // A game without moves is left out behind others.
        let (_, last) = states.last_key_value().expect("a state");
        let is_there = last.body.plies() > 0 || states.len() == 1;
        assert!(!is_there || texts.last() == should.last(), "{name}: {}", message.topic);
    }
}

/// The games of a PGN without the times of their first moves.
fn games(pgn: &str) -> Vec<String> {
    let mut games: Vec<String> = Vec::new();
    for line in pgn.lines().filter(|line| !line.starts_with("[UTC")) {
        if line.starts_with("[Event ") {
            games.push(String::new());
        }
        let game = games.last_mut().expect("it begins with the event");
        game.push_str(line);
        game.push('\n');
    }
    // Parts of one game are games of their own in PGN; the blank line between games belongs to none of them.
    games.iter().map(|game| format!("{}\n", game.trim_end())).collect()
}

fn write(setting: &Setting, picture: &Picture) -> String {
    let game = RoundGame {
        board: 1,
        id: picture.game.clone(),
        players: picture.body.players.clone().unwrap_or_default(),
        shown: Some(picture.body.clone()),
        ..RoundGame::default()
    };
    let round = Round {
        event: setting.board.event.clone(),
        number: setting.board.round.parse().ok(),
        time_control: setting.config.time_control.clone(),
        chess960: setting.config.chess960,
        games: vec![game],
        ..Round::default()
    };
    write_round(&round, Profile::Full)
}

fn made(station: &mut Station, at: Instant, which: ChangedPgn) -> Vec<Message> {
    let mut out = Vec::new();
    station.make_pgn(at, which, &mut out);
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    out.into_iter().filter_map(message).collect()
}

/// The last PGN of the live audience and of the public.
pub(crate) fn last_pgn(station: &mut Station, at: Instant) -> [Option<String>; 2] {
    let all = made(station, at, BOTH);
    [Audience::Live, Audience::Public]
        .map(|audience| all.iter().find(|message| message.audience == audience).map(|message| message.payload.clone()))
}

#[test]
fn a_pgn_shows_what_the_last_states_show() {
    let (mut live, mut public) = (0, 0);
    for mut tape in tapes() {
        tape.setting.delay = Some(Delay { time: Duration::from_secs(7), moves: 1 });
        let (mut station, mut states) = (tape.setting.station().expect("a station"), LastStates::default());
        let inputs = tape.inputs.iter().map(|(at, body)| (*at, read_input(body).expect("readable")));
        let end = [(tape.end(), None), (tape.end().after(Duration::from_secs(60)), None)];
        for (at, input) in inputs.chain(end) {
            let mut out = Vec::new();
            match input {
                Some(input) => station.feed(at, &input, &mut out),
                None => station.advance(at, &mut out),
            }
            states.take(&out, &tape.setting);
            let changed = station.changed_pgn();
            for message in made(&mut station, at, changed) {
                states.check(&tape.name, &tape.setting, &message);
                let is_public = message.audience == Audience::Public;
                let topic = if is_public { tape.setting.board.public_pgn() } else { tape.setting.board.live_pgn() };
                assert_eq!((&message.topic, message.number, message.retain, message.at), (&topic, 0, true, at));
                (live, public) = (live + usize::from(!is_public), public + usize::from(is_public));
            }
            assert!(!station.changed_pgn().live && !station.changed_pgn().public, "{}: all is made", tape.name);
        }
        // What the states hold in the program is what a collector reads.
        let own = Body::from(&flagfall::publish::states::live_state(station.game()));
        let (_, read) = states.0[0].last_key_value().expect("a state");
        assert_eq!(
            (own.moves, own.segments, own.result),
            (read.body.moves.clone(), read.body.segments.clone(), read.body.result)
        );
    }
    assert!(live > 100 && public > 100, "{live} {public}");
}

#[test]
fn a_live_audience_without_a_public_has_its_pgn() {
    let tape = tapes().remove(0);
    let (mut station, _) = tape.play();
    let [live, public] = last_pgn(&mut station, tape.end());
    assert!(live.is_some_and(|pgn| pgn.contains("\n1. ")) && public.is_none());
}

/// The ids of the games and the times of their first moves.
fn tags(pgn: &str) -> Vec<(&str, &str, &str)> {
    let value = |name: &str| {
        let tags = pgn.lines().filter_map(move |line| line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(" \""));
        tags.map(|value| value.trim_end_matches("\"]")).collect::<Vec<_>>()
    };
    let (ids, dates, times) = (value("GameId"), value("UTCDate"), value("UTCTime"));
    assert!(dates.len() == ids.len() && times.len() == ids.len() || times.is_empty(), "{pgn}");
    let time = |at: usize| times.get(at).copied().unwrap_or_default();
    ids.iter().enumerate().map(|(at, id)| (*id, dates.get(at).copied().unwrap_or_default(), time(at))).collect()
}

#[test]
fn all_games_of_the_board_are_there_with_the_times_of_their_first_moves() {
    let tape = tape(&mut evening());
    for (games, ids) in [(1, &["replay-1-1-g1"][..]), (2, &["replay-1-1-g1", "replay-1-1-g2"])] {
        for sync in [TimeSource::Ntp, TimeSource::None] {
            let tape = started(tape.clone(), &[(0.0, Some(bound(games, None)))], sync);
            let (mut station, mut out) = tape.play();
            station.advance(tape.end().after(DELAY * 2), &mut out);
            let [live, public] = last_pgn(&mut station, tape.end().after(DELAY * 2));
            let (live, public) = (live.expect("a PGN"), public.expect("a PGN"));
            assert_eq!(live, public);
            let tags = tags(&live);
            assert_eq!(tags.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), ids);
            for (number, (_, date, time)) in tags.iter().enumerate() {
                let first = |message: &&StationOutput| {
                    matches!(message, StationOutput::Message(message)
                    if message.audience == Audience::Live && message.number > 0
                        && message.payload.contains(&format!("-g{}\"", number + 1)))
                };
                let Some(StationOutput::Message(first)) = out.iter().find(first) else { panic!("no move of {number}") };
                // A move is made up to two seconds before it is published.
                let seconds = |text: &str| text.rsplit(':').next().and_then(|text| text.parse::<u64>().ok()).expect("seconds");
                let is_right = || (first.at.0 / 1_000_000 - 2..=first.at.0 / 1_000_000).contains(&seconds(time));
                match sync {
                    TimeSource::Ntp => assert!(*date == "2026.11.24" && time.starts_with("10:00:") && is_right(), "{time}"),
                    _ => assert_eq!((*date, *time), ("", ""), "nobody knows when it began"),
                }
            }
        }
    }
}

/// The journal of a tape that is cut off anywhere: after the restart nobody sees more than before, and at the end everything.
#[test]
fn a_restart_gives_the_same_pgn() {
    let tape = started(tape(&mut evening()), &[(0.0, None)], TimeSource::Ntp);
    let end = tape.end().after(DELAY * 2);
    let mut whole = Rig::open(&tape, Memory::default());
    whole.feed(&tape, tape.inputs.len(), end);
    let should = last_pgn(whole.recorder.station_mut(), end);
    assert!(should.iter().flatten().all(|pgn| tags(pgn).len() == 2), "{should:?}");
    let [(_, text)] = &whole.memory.files()[..] else { panic!("one file") };
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in lines.iter().skip(lines.len() / 9).step_by(lines.len() / 30) {
        let mut rig = Rig::open(&tape, Memory::with("00000001-test.journal", &text[..*cut]));
        let last = rig.recorder.journal().standing().last_at;
        let [_, public] = last_pgn(rig.recorder.station_mut(), last);
        let known = |pgn: &str| score_sheet::read(pgn.as_bytes()).expect("readable").last().map_or(0, |sheet| sheet.moves.len());
        // The public knows no more than the live audience did before the delay.
        let early = tape.inputs.partition_point(|(at, _)| at.after(DELAY) <= last);
        let mut before = Rig::open(&tape, Memory::default());
        let until = Instant(last.0.saturating_sub(DELAY.as_micros() as u64));
        before.feed(&tape, early, until);
        let [live, _] = last_pgn(before.recorder.station_mut(), until);
        let numbers = [&public, &live].map(|pgn| pgn.as_ref().map(|pgn| (tags(pgn).len(), known(pgn))));
        assert!(numbers[0] <= numbers[1], "{numbers:?} at {last:?}");
        rig.feed(&tape, tape.inputs.len(), end);
        assert_eq!(last_pgn(rig.recorder.station_mut(), end), should, "cut at {cut}");
    }
}

struct Rig {
    memory: Memory,
    recorder: Recorder,
    known: usize,
}

impl Rig {
    fn open(tape: &Tape, memory: Memory) -> Rig {
        let fs = Box::new(memory.clone());
        let (recorder, restored) = Recorder::open(fs, Limits::default(), &tape.setting, "test", &mut |_| Ok(())).expect("opens");
        Rig { memory, recorder, known: restored.inputs as usize }
    }

    fn feed(&mut self, tape: &Tape, upto: usize, end: Instant) {
        for (at, body) in tape.inputs.get(self.known..upto).unwrap_or_default() {
            self.recorder.feed(*at, body, &mut |_| Ok(())).expect("an input");
        }
        self.recorder.advance(end, &mut |_| Ok(())).expect("kept");
        self.recorder.flush(end).expect("written");
    }
}
