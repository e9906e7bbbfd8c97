//! Emulates Certabo and Tabutronic boards, which send a frame of all squares a few times a second without a question
//! (`certabo/README.md`).
//!
//! Every piece of a board with tags has its own tag, which moves with it from square to square. A piece from the box is one
//! that was taken off before or, if there is none of its kind, a new one without calibration.

use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::drivers::certabo::Form;
use flagfall_protocols::drivers::certabo::host::{HostCommand, HostDecoder};
use flagfall_protocols::drivers::certabo::message::{NO_TAG, Tag, encode, may_be_tag, ranks, square};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The speed of a board by cable, in baud.
const BAUD: u64 = 38_400;
/// The largest size of one notification by Bluetooth LE, in bytes.
const NOTIFICATION: usize = 20;
/// The number of empty squares that have random bytes in each frame of a noisy board.
const NOISY: std::ops::RangeInclusive<usize> = 5..=16;
/// The number of frames after the last hand movement until the board counts as done: as many as a host may need to see the
/// movement, and one more for the line.
const SEEN: u32 = 4;

/// The settings of an emulated Certabo or Tabutronic board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertaboSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// Whether its pieces have tags.
    pub form: Form,
    /// The time from one frame to the next, 50 ms to 3 s.
    pub period: Duration,
    /// The seed of the random bytes on empty squares of a board with tags.
    pub noise: Option<u64>,
    /// A line break follows after this number of characters, even inside a number.
    pub wrap: Option<usize>,
    /// A space follows the last number.
    pub space: bool,
    /// Bytes leave at the pace of 38400 baud. Otherwise each frame leaves at once in notifications of 20 bytes, as by Bluetooth
    /// LE.
    pub paced: bool,
}

impl Default for CertaboSettings {
    /// A noisy board with tags, by cable, in the initial position.
    fn default() -> CertaboSettings {
        CertaboSettings {
            placement: Placement::initial(),
            form: Form::Tags,
            period: Duration::from_millis(250),
            noise: Some(1),
            wrap: None,
            space: true,
            paced: true,
        }
    }
}

/// The kinds of emulated Certabo and Tabutronic boards. A change is reported after at most two frames, the time of the second
/// frame on the line, and the silence or the `:` after it.
pub(super) const KINDS: &[Kind] = &[
    tags("", |start| begin(start, CertaboSettings::default())),
    tags("quiet", |start| begin(start, CertaboSettings { noise: None, ..CertaboSettings::default() })),
    tags("newline after every 64 characters", |start| {
        begin(start, CertaboSettings { wrap: Some(64), ..CertaboSettings::default() })
    }),
    tags("no space at the end", |start| begin(start, CertaboSettings { space: false, ..CertaboSettings::default() })),
    tags("not paced", |start| begin(start, CertaboSettings { paced: false, ..CertaboSettings::default() })),
    squares("", |start| begin(start, CertaboSettings { form: Form::Occupancy, ..CertaboSettings::default() })),
    squares("not paced, no space at the end", |start| {
        begin(start, CertaboSettings { form: Form::Occupancy, paced: false, space: false, ..CertaboSettings::default() })
    }),
];

/// The time in which a driver learns the set of pieces: seven frames, and the end of the last one.
const LEARNS: Duration = Duration::from_millis(8 * 250 + 100);

const fn tags(variant: &'static str, start: fn(&Start) -> Box<dyn Device>) -> Kind {
    Kind { driver: "certabo", variant, late: Duration::from_millis(3 * 250 + 100), learns: LEARNS, start }
}

const fn squares(variant: &'static str, start: fn(&Start) -> Box<dyn Device>) -> Kind {
    Kind { driver: "tabutronic", variant, late: Duration::from_millis(2 * 250 + 110), learns: Duration::ZERO, start }
}

fn begin(start: &Start, settings: CertaboSettings) -> Box<dyn Device> {
    Box::new(Certabo::new(CertaboSettings { placement: start.placement, ..settings }))
}

/// A board that sends frames like real ones. Lights are counted and acknowledged: plain ones with `L`, coloured ones with `D`.
#[derive(Clone, Debug)]
pub struct Certabo {
    settings: CertaboSettings,
    core: EmulatorCore,
    decoder: HostDecoder,
    pieces: Pieces,
    rng: Rng,
    /// The beginning of the next frame.
    frame: Instant,
    /// The number of frames that began since the squares changed.
    since: u32,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Frame,
}

impl Certabo {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: CertaboSettings) -> Certabo {
        let line = if settings.paced { Line::serial(BAUD) } else { Line::unpaced(NOTIFICATION) };
        let core = EmulatorCore::new(settings.placement, line);
        let mut pieces = Pieces::default();
        pieces.update(&core.seen());
        let mut board = Certabo {
            settings,
            core,
            decoder: HostDecoder::default(),
            pieces,
            rng: Rng::with_seed(settings.noise.unwrap_or(0)),
            frame: Instant::ZERO,
            since: 0,
        };
        board.power_up();
        board
    }

    fn power_up(&mut self) {
        self.decoder.reset();
        self.frame = self.core.now.after(self.period());
        self.since = 0;
    }

    fn period(&self) -> Duration {
        self.settings.period.clamp(Duration::from_millis(50), Duration::from_secs(3))
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        let frame = self.core.powered.then_some((self.frame, Next::Frame));
        [motion, frame].into_iter().flatten().min()
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.core.advance_time(at);
            match next {
                Next::Motion => {
                    if self.core.carry_out_motion() == Some(true) {
                        self.power_up();
                    }
                    if self.pieces.update(&self.core.seen()) {
                        self.since = 0;
                    }
                }
                Next::Frame => {
                    self.frame = at.after(self.period());
                    self.since = self.since.saturating_add(1);
                    self.send();
                }
            }
        }
        self.core.advance_time(to);
    }

    fn send(&mut self) {
        let mut text = Vec::new();
        let seen = self.core.seen();
        let numbers = match self.settings.form {
            Form::Tags => self.tags().as_flattened().to_vec(),
            Form::Occupancy => {
                let occupied = Square::all().filter(|square| seen.get(*square) != Reading::Empty).map(Square::bit);
                ranks(occupied.sum()).to_vec()
            }
        };
        encode(&mut text, &numbers, self.settings.space, self.settings.wrap);
        self.core.line.send(self.core.now, &text);
    }

    /// Returns the tags of all squares in the order of a frame, with noise.
    fn tags(&mut self) -> [Tag; 64] {
        let mut tags = [NO_TAG; 64];
        for (index, tag) in (0..64).zip(&mut tags) {
            *tag = square(index).and_then(|square| self.pieces.tags[square.index()]).map_or(NO_TAG, |(_, tag)| tag);
        }
        if self.settings.noise.is_some() {
            let mut empty: Vec<_> = (0..64).filter(|index| tags[*index] == NO_TAG).collect();
            self.rng.shuffle(&mut empty);
            for &index in empty.iter().take(self.rng.usize(NOISY)) {
                tags[index] = noise(&mut self.rng);
            }
        }
        tags
    }
}

/// Returns five random bytes of which at least three are not zero.
fn noise(rng: &mut Rng) -> Tag {
    loop {
        let tag = std::array::from_fn(|_| if rng.u8(..5) == 0 { 0 } else { rng.u8(..) });
        if may_be_tag(&tag) {
            return tag;
        }
    }
}

/// The pieces on the squares. Each piece has its own tag.
#[derive(Clone, Debug)]
struct Pieces {
    tags: [Option<(Reading, Tag)>; 64],
    /// Pieces that are not on the board. The most recently removed one is last.
    off: Vec<(Reading, Tag)>,
    /// The number of pieces so far.
    made: u16,
}

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces { tags: [None; 64], off: Vec::new(), made: 0 }
    }
}

impl Pieces {
    /// Moves the pieces to the squares where they are seen. Returns true if a piece moved.
    fn update(&mut self, seen: &Placement) -> bool {
        let differs = |tags: &[Option<(Reading, Tag)>; 64], square: Square| {
            seen.get(square) != tags[square.index()].map_or(Reading::Empty, |(reading, _)| reading)
        };
        let changed: Vec<_> = Square::all().filter(|square| differs(&self.tags, *square)).collect();
        for square in &changed {
            self.off.extend(self.tags[square.index()].take());
        }
        for square in &changed {
            let reading = seen.get(*square);
            if reading != Reading::Empty {
                self.tags[square.index()] = Some(self.take_piece(reading));
            }
        }
        !changed.is_empty()
    }

    fn take_piece(&mut self, reading: Reading) -> (Reading, Tag) {
        match self.off.iter().rposition(|(other, _)| *other == reading) {
            Some(index) => self.off.remove(index),
            None => {
                self.made = self.made.wrapping_add(1);
                let [high, low] = self.made.to_be_bytes();
                (reading, [3, 0, 84, 242 ^ high, low])
            }
        }
    }
}

impl Device for Certabo {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        for &byte in bytes {
            let answer: &[u8] = match self.decoder.push(byte) {
                None => continue,
                Some(HostCommand::Lights(_)) => b"L\r\n",
                Some(HostCommand::Coloured(_)) => b"D\r\n",
                Some(HostCommand::Unknown) => {
                    self.core.counters.unknown += 1;
                    continue;
                }
            };
            self.core.counters.lights += 1;
            self.core.line.send(self.core.now, answer);
        }
    }

    fn next(&self) -> Option<Instant> {
        let inner = self.next_event().map(|(at, _)| at);
        [inner, self.core.line.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        self.core.line.take_arrived(self.core.now, out);
    }

    fn done(&self) -> bool {
        self.core.next_motion().is_none() && (!self.core.powered || self.since >= SEEN)
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
