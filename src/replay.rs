//! A trace or journal fed to a station again: the same inputs, so the same outputs.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::game::{GameConfig, Rulings};
use flagfall_game::laws::answering;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_game::reconstruct::tuning::Tuning;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Record, Trace};

use crate::publish::delay::Delay;
use crate::publish::topics::Board;
use crate::restart::Restart;
use crate::station::{LinkState, Station, StationInput, StationOutput};

/// How long the last events of a trace are given to settle.
pub const SETTLE: Duration = Duration::from_secs(3);

/// What a replay needs to know beside the records: from the trace's head, where the command line does not say otherwise.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The driver that reads the bytes.
    pub driver: &'static DriverInfo,
    /// That of a clock on a link of its own.
    pub clock: Option<&'static DriverInfo>,
    /// What the driver is told about the board, for families that must be ([`DriverInfo::calibrated`]).
    pub calibration: Option<String>,
    /// The game.
    pub config: GameConfig,
    /// The board in topics.
    pub board: Board,
    /// How much later the public sees the board; none = it sees nothing.
    pub delay: Option<Delay>,
    /// First part of the events' ids.
    pub name: String,
    /// The header lines that say all this, for the journal.
    pub headers: Vec<(&'static str, String)>,
}

/// What the command line may say about a trace.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Time control in PGN notation.
    pub time_control: Option<String>,
    /// Which display is White's.
    pub white_clock: Option<ClockSide>,
    /// Castling is written the Chess960 way.
    pub chess960: bool,
}

impl Setting {
    /// The setting that a trace's head names (`driver`, `clock`, `calibration`, `time-control`, `chess960`, `white-clock`, `name`, `profile`,
    /// `rulings`, `observer`, `default-time`, `delay`).
    ///
    /// # Errors
    /// No or an unknown driver, a calibration that is none of its, a time control that is none, a side that is none, rules or a
    /// delay that is none: with the key.
    pub fn of(trace: &Trace<'_>, overrides: &Overrides) -> Result<Setting> {
        let Some(driver) = trace.header("driver") else {
            bail!("the trace's head has no `# driver: …` line; one may be written below its first line")
        };
        let driver = find("driver", driver)?;
        let clock = trace.header("clock").map(|name| find("clock", name)).transpose()?;
        let calibration = calibration(driver, trace.header("calibration"))?;
        let time_control_text = overrides.time_control.as_deref().or(trace.header("time-control"));
        let time_control = time_control(time_control_text)?;
        let white_clock = match (overrides.white_clock, trace.header("white-clock")) {
            (Some(side), _) => Some(side),
            (None, Some("left")) => Some(ClockSide::Left),
            (None, Some("right")) => Some(ClockSide::Right),
            (None, Some(other)) => bail!("white-clock: `{other}` is neither `left` nor `right`"),
            (None, None) => None,
        };
        let chess960 = overrides.chess960 || trace.header("chess960") == Some("true");
        let delay = match trace.header("delay") {
            Some(text) => Some(Delay::parse(text).with_context(|| format!("delay: `{text}` is not like `900 s 0 moves`"))?),
            None => None,
        };
        let name = trace.header("name").unwrap_or("replay").to_owned();
        let side = white_clock.map(|side| if side == ClockSide::Left { "left" } else { "right" });
        let rulebook = rulebook(trace.header("profile"))?;
        let rulings = rulings(trace.header("rulings"))?;
        let default_time_s = seconds(trace.header("default-time"))?;
        let observer = trace.header("observer") == Some("true");
        let casual = trace.header("casual") == Some("true");
        let headers = [
            ("driver", Some(driver.name)),
            ("clock", clock.map(|clock| clock.name)),
            ("calibration", calibration.as_deref()),
            ("name", Some(name.as_str())),
            ("time-control", time_control_text),
            ("white-clock", side),
            ("chess960", chess960.then_some("true")),
            ("profile", trace.header("profile")),
            ("rulings", trace.header("rulings")),
            ("default-time", trace.header("default-time")),
            ("observer", observer.then_some("true")),
            ("casual", casual.then_some("true")),
            ("delay", trace.header("delay")),
        ];
        let headers = headers.into_iter().filter_map(|(key, value)| Some((key, value?.to_owned()))).collect();
        let config = GameConfig {
            time_control,
            chess960,
            white_clock,
            clock_source: clock.unwrap_or(driver).clock_source(),
            own_clock: clock.map(|clock| clock.timing.press_delay),
            rulebook,
            rulings,
            observer,
            default_time_s,
            casual,
            tuning: Tuning::default(),
        };
        Ok(Setting { driver, clock, calibration, config, board: Board::default(), delay, name, headers })
    }

    /// The same with the rules, times, rulings, calibration and clock that a session was begun with: what was read, found and
    /// decided by them must neither vanish nor appear afterwards because the configuration is another one now. A session that was
    /// begun without a clock on a link of its own takes up the one that is configured.
    ///
    /// # Errors
    /// Rules, a time control or rulings that are none; a calibration that is none of the driver's; a clock that is none.
    pub fn with_rules_of(&self, header: impl Fn(&str) -> Option<String>) -> Result<Setting> {
        let mut setting = self.clone();
        setting.config.time_control = time_control(header("time-control").as_deref())?;
        setting.config.rulebook = rulebook(header("profile").as_deref())?;
        setting.config.default_time_s = seconds(header("default-time").as_deref())?;
        setting.config.rulings = rulings(header("rulings").as_deref())?;
        setting.config.observer = header("observer").as_deref() == Some("true");
        setting.config.casual = header("casual").as_deref() == Some("true");
        // That of another family would be none.
        let same = header("driver").is_some_and(|driver| driver == setting.driver.name);
        if same {
            setting.calibration = calibration(setting.driver, header("calibration").as_deref())?;
        }
        let clock = header("clock").map(|name| find("clock", &name)).transpose()?;
        if let Some(clock) = clock {
            setting.clock = Some(clock);
            setting.config.clock_source = clock.clock_source();
            setting.config.own_clock = Some(clock.timing.press_delay);
        }
        let of_the_round = OF_THE_ROUND.into_iter().filter(|key| match *key {
            "calibration" => same,
            "clock" => clock.is_some(),
            _ => true,
        });
        setting.headers.retain(|(key, _)| !of_the_round.clone().any(|other| other == *key));
        let kept = of_the_round.filter_map(|key| Some((key, header(key)?)));
        setting.headers.extend(kept);
        Ok(setting)
    }

    /// Rules, times, rulings, calibration and clock are those of `other`.
    pub fn has_rules_of(&self, other: &Setting) -> bool {
        let rules =
            |config: &GameConfig| (config.rulebook, config.rulings, config.observer, config.default_time_s, config.casual);
        rules(&self.config) == rules(&other.config)
            && self.config.time_control == other.config.time_control
            && self.calibration == other.calibration
            && self.clock.map(|clock| clock.name) == other.clock.map(|clock| clock.name)
    }

    /// A station as this setting wants it.
    ///
    /// # Errors
    /// The calibration is none of the driver's.
    pub fn station(&self) -> Result<Station> {
        let station = Station::new(self.driver, self.config.clone(), self.board.clone(), &self.name)
            .with_clock(self.clock)
            .with_public(self.delay);
        Ok(match &self.calibration {
            Some(text) => station.with_driver(self.driver.start_with(text).context("calibration")?),
            None => station,
        })
    }
}

/// Keys of a head that say by which rules and times a round is played, who decides, and how board and clock are read.
const OF_THE_ROUND: [&str; 8] =
    ["calibration", "clock", "time-control", "profile", "rulings", "default-time", "observer", "casual"];

/// The driver that a head names under a key.
fn find(key: &str, name: &str) -> Result<&'static DriverInfo> {
    drivers::find(name).with_context(|| format!("{key}: `{name}` is not one of {}", names()))
}

/// A head holds what the driver takes, or none.
fn calibration(driver: &DriverInfo, header: Option<&str>) -> Result<Option<String>> {
    let checked = |text: &str| driver.start_with(text).map(|_| text.to_owned()).context("calibration");
    header.map(checked).transpose()
}

fn time_control(header: Option<&str>) -> Result<Option<TimeControl>> {
    header.map(|text| TimeControl::parse(text).with_context(|| format!("time-control: `{text}`"))).transpose()
}

fn rulebook(header: Option<&str>) -> Result<Rulebook> {
    Ok(header.map(|text| Rulebook::parse(text).context("profile")).transpose()?.unwrap_or_default())
}

fn rulings(header: Option<&str>) -> Result<Rulings> {
    match header {
        None | Some("advise") => Ok(Rulings::Advise),
        Some("automatic") => Ok(Rulings::Automatic),
        Some(other) => bail!("rulings: `{other}` is neither `advise` nor `automatic`"),
    }
}

fn seconds(header: Option<&str>) -> Result<Option<u32>> {
    header.map(|text| text.parse().with_context(|| format!("default-time: `{text}` is no number of seconds"))).transpose()
}

fn names() -> String {
    drivers::DRIVERS.iter().map(|driver| driver.name).collect::<Vec<_>>().join(", ")
}

/// The input of a station that a record holds; none for what was sent out, and for what only the daemon wants to know.
///
/// # Errors
/// A command or answer that is not one of ours: with what is wrong in it.
pub fn input<'a>(body: &'a Body<'_>) -> Result<Option<StationInput<'a>>> {
    Ok(match body {
        Body::Rx { link, channel, bytes } => Some(StationInput::Bytes { link: *link, channel: *channel, bytes }),
        Body::Link { link, up, cause } => Some(StationInput::Link { link: *link, state: LinkState::of(*up, cause) }),
        Body::Cmd(json) => Some(command(json).context("command")?),
        Body::Answer(json) => Some(StationInput::Answer(serde_json::from_str(json).context("answer")?)),
        Body::Anchor(_) | Body::Boot(_) | Body::Tx { .. } | Body::Out { .. } | Body::Ack { .. } | Body::Snap(_) => None,
    })
}

/// A command with its admission, or the bare form of traces and older journals, which has its verb at the top.
fn command(json: &str) -> Result<StationInput<'static>> {
    #[derive(serde::Deserialize)]
    struct Top {
        verb: Option<serde::de::IgnoredAny>,
    }
    let Top { verb } = serde_json::from_str(json)?;
    Ok(match verb {
        Some(_) => StationInput::Command(serde_json::from_str(json)?),
        None => StationInput::Submitted(Box::new(serde_json::from_str(json)?)),
    })
}

/// Feeds one record to a station.
///
/// # Errors
/// As [`input`].
pub fn feed(station: &mut Station, record: &Record<'_>, out: &mut Vec<StationOutput>) -> Result<()> {
    if let Some(input) = input(&record.body).with_context(|| format!("record {}", record.seq))? {
        station.feed(record.at, &input, out);
    }
    Ok(())
}

/// Feeds a whole trace and lets its end settle; every output goes to `sink` in order.
///
/// # Errors
/// A damaged line, or as [`feed`]: with the line.
pub fn run(trace: &Trace<'_>, station: &mut Station, sink: &mut dyn FnMut(StationOutput) -> Result<()>) -> Result<()> {
    let mut out = Vec::new();
    let mut last = Instant::ZERO;
    for record in trace.records() {
        let (_, record) = record?;
        last = record.at;
        feed(station, &record, &mut out)?;
        out.drain(..).try_for_each(&mut *sink)?;
    }
    station.advance(last.after(SETTLE), &mut out);
    out.drain(..).try_for_each(sink)
}

/// What [`verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Recorded outputs that were compared.
    pub compared: usize,
    /// Recorded answers to the question of Article 6.9 whose proofs were looked at again.
    pub answers: usize,
    /// How many of both differ.
    pub differing: usize,
    /// Each difference in a line of its own, at most 100.
    pub differences: Vec<String>,
}

/// Feeds the inputs of a journal again and compares what comes out with the recorded outputs. Every recorded answer to a
/// question of Article 6.9 is checked whole, and asked for again: another verdict than the recorded one is a difference,
/// a question that was left open and can be settled now is none. Never changes anything.
///
/// # Errors
/// A damaged line, with its number.
pub fn verify(trace: &Trace<'_>, setting: &Setting) -> Result<Verified> {
    let mut restart = Restart::new(setting.station()?);
    for record in trace.records() {
        let (_, record) = record?;
        restart.feed(&record);
        if let Some((ask, answer)) = restart.answered() {
            restart.looked_again(record.seq, answering::again(&ask, &answer).as_deref());
        }
    }
    Ok(restart.verified())
}
