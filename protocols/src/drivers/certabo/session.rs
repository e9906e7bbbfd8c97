//! Turns the text of a Certabo or Tabutronic board into events. The session sends nothing, and it uses time only to detect that
//! the board is silent.
//!
//! A picture is reported when it differs from the last reported one, when the board came back, and when the game asks for it.

use alloc::boxed::Box;
use core::time::Duration;

use super::calibration::Calibration;
use super::frames::{RankFrames, TagFrames};
use super::framing::{Form, Framed, Framing};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::outbox::Outbox;
use crate::drivers::picture_tracker::PictureTracker;
use crate::event::{ByteRange, DeviceEvent};
use crate::square::Placement;
use crate::time::Instant;

/// The time without a frame after which a board counts as silent.
const SILENCE: Duration = Duration::from_secs(3);
/// The assumed time from one frame to the next, until the real one is known: a few frames come per second
/// (`certabo/README.md#2`).
pub(in crate::drivers) const USUAL_PACE: Duration = Duration::from_millis(300);
/// The number of frames over which the pace of a board is measured.
const PACED: u32 = 16;

/// Returns the longest delay of a change on a board with this time between frames. The change waits for a frame and for a
/// second frame with the same content. A frame of tags occupies the line until the next one, so the end of a running frame may
/// come first.
pub(in crate::drivers) const fn delay(form: Form, pace: Duration) -> Duration {
    let frames = match form {
        Form::Tags => 3,
        Form::Occupancy => 2,
    };
    pace.saturating_mul(frames).saturating_add(Duration::from_millis(100))
}

/// The session with one board on one link: it decodes frames and sends nothing.
///
/// It supports the command [`DeviceCommand::ReadBoard`]: the next picture is reported even if it is the same.
#[derive(Debug)]
pub struct Session {
    framing: Framing,
    reader: Reader,
    /// The time of the last byte.
    touched: Instant,
    now: Instant,
}

/// Everything except the framing, because the frames borrow its buffer.
#[derive(Debug)]
struct Reader {
    out: Outbox,
    pictures: PictureTracker,
    sight: Sight,
    /// The link is up. Only then the driver reports whether the board answers.
    linked: bool,
    responding: bool,
    /// The time of the last frame.
    last_message: Instant,
    pace: Pace,
}

/// The last frames.
#[derive(Debug)]
enum Sight {
    Tags(Box<TagFrames>),
    Ranks(RankFrames),
}

/// The measured pace of frames.
#[derive(Debug, Default)]
struct Pace {
    began: Instant,
    frames: u32,
    /// The slowest pace that was reported.
    reported: Duration,
}

impl Session {
    /// Creates a session for a board of this form. With tags, the session learns the calibration from the initial position.
    pub fn new(form: Form) -> Session {
        Session::begin(form, Calibration::default())
    }

    /// Creates a session for a board with known tags.
    pub fn with(table: Calibration) -> Session {
        Session::begin(Form::Tags, table)
    }

    /// Returns the known tags, given or learned; `None` if there are none.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.frames().map(|frames| &frames.table).filter(|table| !table.entries().is_empty())
    }

    /// Returns the last frames of a board with tags.
    pub(super) fn frames(&self) -> Option<&TagFrames> {
        match &self.reader.sight {
            Sight::Tags(frames) => Some(frames),
            Sight::Ranks(_) => None,
        }
    }

    fn begin(form: Form, table: Calibration) -> Session {
        let sight = match form {
            Form::Tags => Sight::Tags(Box::new(TagFrames::new(table))),
            Form::Occupancy => Sight::Ranks(RankFrames::default()),
        };
        let reader = Reader {
            out: Outbox::default(),
            pictures: PictureTracker::default(),
            sight,
            linked: false,
            responding: false,
            last_message: Instant::ZERO,
            pace: Pace { reported: USUAL_PACE, ..Pace::default() },
        };
        Session { framing: Framing::new(form), reader, touched: Instant::ZERO, now: Instant::ZERO }
    }

    fn set_link(&mut self, up: bool) {
        self.framing.reset();
        self.reader.forget();
        (self.reader.linked, self.reader.responding) = (up, false);
    }

    /// Returns the time at which the incomplete text ends.
    fn text_ends_at(&self) -> Option<Instant> {
        self.framing.patience().map(|patience| self.touched.after(patience))
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.text_ends_at().is_some_and(|end| end <= at)
            && let Some(framed) = self.framing.silence()
        {
            self.reader.handle_framed(at, framed);
        }
        if self.reader.silent_at().is_some_and(|end| end <= at) {
            let here = self.framing.offset();
            self.reader.forget();
            self.reader.responding = false;
            self.reader.out.event(DeviceEvent::Silent, ByteRange { channel: 0, start: here, end: here });
        }
    }
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        debug_assert!(self.reader.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(true),
            Input::LinkDown => self.set_link(false),
            Input::Bytes { bytes, .. } => {
                for &byte in bytes {
                    self.touched = at;
                    if let Some(framed) = self.framing.push(byte) {
                        self.reader.handle_framed(at, framed);
                    }
                }
            }
            Input::Command(DeviceCommand::ReadBoard) => self.reader.pictures.request_repeat(),
            // The board has no clock, no battery and no log.
            Input::Command(_) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.reader.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        [self.text_ends_at(), self.reader.silent_at()].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }
}

impl Reader {
    /// Forgets the frames. The pieces and their tags stay the same.
    fn forget(&mut self) {
        self.pictures.forget();
        self.pace = Pace { reported: self.pace.reported, ..Pace::default() };
        match &mut self.sight {
            Sight::Tags(frames) => frames.forget(),
            Sight::Ranks(frames) => frames.forget(),
        }
    }

    /// Returns the time at which the board counts as silent.
    fn silent_at(&self) -> Option<Instant> {
        self.responding.then(|| self.last_message.after(SILENCE))
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed<'_>) {
        match framed {
            Framed::Frame { numbers, at: bytes } => self.handle_frame(at, numbers, bytes),
            Framed::Anomaly { anomaly, at: bytes } => self.out.anomaly(anomaly, bytes),
        }
    }

    fn handle_frame(&mut self, at: Instant, numbers: &[u8], bytes: ByteRange) {
        self.last_message = at;
        if self.linked && !self.responding {
            self.responding = true;
            self.out.event(DeviceEvent::Responding, bytes);
        }
        let picture = match &mut self.sight {
            Sight::Tags(frames) => (Form::Tags, frames.push(numbers)),
            Sight::Ranks(frames) => (Form::Occupancy, frames.push(numbers)),
        };
        if let Some(pace) = self.pace.note_frame(at) {
            self.out.event(DeviceEvent::Delay(delay(picture.0, pace)), bytes);
        }
        if let (_, Some(placement)) = picture {
            self.report_picture(&placement, bytes);
        }
    }

    fn report_picture(&mut self, placement: &Placement, bytes: ByteRange) {
        if self.pictures.record_picture(placement).0 {
            self.out.event(DeviceEvent::Frame(*placement), bytes);
        }
    }
}

impl Pace {
    /// Records a frame. Returns the pace of the last frames, in steps of 50 ms, if it is slower than every pace reported
    /// before.
    fn note_frame(&mut self, at: Instant) -> Option<Duration> {
        if self.frames == 0 {
            self.began = at;
        }
        self.frames += 1;
        if self.frames <= PACED {
            return None;
        }
        let millis = at.since(self.began).as_millis() as u64 / u64::from(PACED);
        let pace = Duration::from_millis(millis.next_multiple_of(50));
        (self.began, self.frames) = (at, 1);
        (pace > self.reported).then(|| {
            self.reported = pace;
            pace
        })
    }
}
