//! From the bytes of one message to its effects: time, allocations, memory.

use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::topics::Board;
use flagfall_protocols::time::Instant;

use crate::counting;
use crate::feed::{self, Core};
use crate::measure::{ROUNDS, Row, Table, middle, own_time, share, span, time, yardstick};
use crate::stream::{Kind, Piece};

/// A part of the program that is measured.
enum Subject {
    /// Driver and game.
    Core(Box<Core>),
    /// Driver, game and messages.
    Station(Box<Station>, Vec<StationOutput>),
}

type Make = fn() -> Subject;

const SUBJECTS: [(&str, Make); 2] = [
    ("bytes to effects", || Subject::Core(Box::new(Core::new(true)))),
    ("bytes to messages", || Subject::Station(Box::new(station()), Vec::new())),
];

const KINDS: [(Kind, &str); 3] = [(Kind::Field, "square update"), (Kind::Tick, "clock message"), (Kind::Press, "press")];

/// A station of the stream, with its link up.
pub(crate) fn station() -> Station {
    let mut station = Station::new(feed::driver(), feed::config(), Board::default(), "bench");
    station.feed(Instant::ZERO, &StationInput::link(true), &mut Vec::new());
    station
}

impl Subject {
    fn wait(&mut self, at: Instant) {
        match self {
            Subject::Core(core) => core.wait(at),
            Subject::Station(station, out) => {
                station.advance(Instant(at.micros() - 1), out);
                out.clear();
            }
        }
    }

    fn bytes(&mut self, piece: &Piece) {
        match self {
            Subject::Core(core) => core.bytes(piece.at, &piece.bytes),
            Subject::Station(station, out) => {
                station.feed(piece.at, &StationInput::bytes(0, &piece.bytes), out);
                out.clear();
            }
        }
    }
}

/// Plays the game with every subject, and measures each message.
pub(crate) fn measure(pieces: &[Piece], table: &mut Table) {
    for (subject, make) in SUBJECTS {
        let mut samples = KINDS.map(|_| Vec::new());
        let mut ratios = KINDS.map(|_| Vec::new());
        let own = own_time();
        for _ in 0..ROUNDS {
            let mut round = KINDS.map(|_| Vec::new());
            let mut subject = make();
            for piece in pieces {
                subject.wait(piece.at);
                let taken = time(|| subject.bytes(piece)) - own;
                if let Some(index) = index_of(piece.kind) {
                    round[index].push(taken);
                }
            }
            for (index, (kind, _)) in KINDS.into_iter().enumerate() {
                ratios[index].push(mean(&round[index]) / least(pieces, kind));
                samples[index].append(&mut round[index]);
            }
        }
        for (index, (_, kind)) in KINDS.into_iter().enumerate() {
            let (mean, most) = (mean(&samples[index]), share(&mut samples[index], 0.99));
            table.add(Row {
                what: format!("{subject}, {kind}"),
                value: span(mean),
                more: format!("99 %: {}", span(most)),
                ratio: Some(middle(&mut ratios[index])),
                goal: (subject == SUBJECTS[0].0).then_some(("10 us", mean <= 10_000.0)),
            });
        }
    }
    for (subject, make) in SUBJECTS {
        allocations(subject, make, pieces, table);
    }
}

/// The allocations of each kind of message, and the memory at the end.
fn allocations(name: &str, make: Make, pieces: &[Piece], table: &mut Table) {
    let before = counting::live();
    let mut subject = make();
    let empty = counting::live() - before;
    let mut calls = KINDS.map(|_| Vec::new());
    for piece in pieces {
        subject.wait(piece.at);
        let before = counting::calls();
        subject.bytes(piece);
        if let Some(index) = index_of(piece.kind) {
            calls[index].push((counting::calls() - before) as f64);
        }
    }
    let held = counting::live() - before;
    for (index, (kind, kind_name)) in KINDS.into_iter().enumerate() {
        let mean = mean(&calls[index]);
        table.add(Row {
            what: format!("{name}, {kind_name}: allocations"),
            value: format!("{mean:.2}"),
            more: format!("most: {}", share(&mut calls[index], 1.0)),
            ratio: None,
            goal: (name == SUBJECTS[0].0 && kind == Kind::Tick).then_some(("0", mean == 0.0)),
        });
    }
    table.add(Row {
        what: format!("{name}: memory held after the game"),
        value: format!("{:.1} KiB", held as f64 / 1024.0),
        more: format!("before: {:.1} KiB", empty as f64 / 1024.0),
        ratio: None,
        goal: None,
    });
    if let Subject::Core(core) = subject {
        assert!(core.made as usize > pieces.len() / 3, "the game was followed: {} effects", core.made);
    }
}

fn index_of(kind: Kind) -> Option<usize> {
    KINDS.iter().position(|(known, _)| *known == kind)
}

/// The yardstick for one message of this kind, nanoseconds.
fn least(pieces: &[Piece], kind: Kind) -> f64 {
    let of_kind: Vec<&Piece> = pieces.iter().filter(|piece| piece.kind == kind).collect();
    let mut buffer = Vec::with_capacity(64);
    let all = time(|| of_kind.iter().for_each(|piece| yardstick(&piece.bytes, &mut buffer)));
    all / of_kind.len().max(1) as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
