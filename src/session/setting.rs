//! Defines the setting with which a session begins: driver, rules, times. The head of its journal records it, one line for each
//! key.

use anyhow::{Context, Result, bail};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, Rulings, UntilPress};
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::trace::Trace;

use super::station::Station;
use crate::publish::delay::Delay;
use crate::wire::player::Players;
use crate::wire::round_games::RoundBound;
use crate::wire::topics::Board;

/// The values that a station needs besides the records of its session.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The driver that reads the bytes.
    pub driver: &'static DriverInfo,
    /// The driver of a clock that has a link of its own.
    pub clock: Option<&'static DriverInfo>,
    /// What the driver must know about the board, for families that need it ([`DriverInfo::calibrated`]).
    pub calibration: Option<String>,
    /// The game.
    pub config: GameConfig,
    /// The board in topics.
    pub board: Board,
    /// The delay of the public audience; none = it sees nothing.
    pub delay: Option<Delay>,
    /// The players, if they are known. The head of the journal has no names: no game depends on them, a corrected name holds from the
    /// next start, and a copy of a journal can be given away.
    pub players: Option<Players>,
    /// The bound on the games of the round. It is no line of the head, since each start of the node may have another one: the
    /// record of the start has it.
    pub bound: Option<RoundBound>,
    /// For which audiences made moves wait for their press. The record of the start has it too.
    pub until_press: UntilPress,
    /// The first part of the events' ids.
    pub name: String,
    /// Header lines for people: the configuration and the program that began the session. No program reads them again.
    pub notes: Vec<(&'static str, String)>,
}

/// One line of a journal's head: how it is read into a setting, and how it is printed.
struct Key {
    name: &'static str,
    /// A round that was begun with this value continues with it, whatever the configuration says now.
    of_the_round: bool,
    /// Sets the value, or the default if the head has no such line.
    read: fn(&mut Setting, Option<&str>) -> Result<()>,
    /// Returns the value; none if it is the default. Two settings agree in a key if they print the same.
    print: fn(&Setting) -> Option<String>,
}

/// The key of the driver.
const DRIVER: &str = "driver";
/// The key of the calibration.
const CALIBRATION: &str = "calibration";
/// The key of the time control.
const TIME_CONTROL: &str = "time-control";
/// The key of the side of the clock that is White's.
const WHITE_CLOCK: &str = "white-clock";
/// The key of the switch for Chess960.
const CHESS960: &str = "chess960";

/// All keys that a program reads, in the order of printing. The driver is first, since other keys depend on it.
const KEYS: [Key; 13] = [
    Key {
        name: DRIVER,
        of_the_round: false,
        read: |setting, value| {
            setting.driver = find_driver(value.unwrap_or_default())?;
            Ok(())
        },
        print: |setting| Some(setting.driver.name.to_owned()),
    },
    Key {
        name: "clock",
        of_the_round: true,
        // A session that was begun without a clock on a link of its own uses the configured one.
        read: |setting, value| value.map_or(Ok(()), |name| find_driver(name).map(|clock| setting.clock = Some(clock))),
        print: |setting| setting.clock.map(|clock| clock.name.to_owned()),
    },
    Key {
        name: CALIBRATION,
        of_the_round: true,
        read: |setting, value| {
            value.map(|text| setting.driver.start_with(text)).transpose()?;
            setting.calibration = value.map(str::to_owned);
            Ok(())
        },
        print: |setting| setting.calibration.clone(),
    },
    Key {
        name: "name",
        of_the_round: false,
        read: |setting, value| {
            value.unwrap_or(REPLAY).clone_into(&mut setting.name);
            Ok(())
        },
        print: |setting| Some(setting.name.clone()),
    },
    Key {
        name: TIME_CONTROL,
        of_the_round: true,
        read: |setting, value| {
            setting.config.time_control =
                value.map(|text| TimeControl::parse(text).with_context(|| format!("`{text}`"))).transpose()?;
            Ok(())
        },
        print: |setting| setting.config.time_control.as_ref().map(TimeControl::to_string),
    },
    Key {
        name: WHITE_CLOCK,
        of_the_round: false,
        read: |setting, value| {
            setting.config.white_clock = match value {
                None => None,
                Some("left") => Some(ClockSide::Left),
                Some("right") => Some(ClockSide::Right),
                Some(other) => bail!("`{other}` is neither `left` nor `right`"),
            };
            Ok(())
        },
        print: |setting| setting.config.white_clock.map(|side| name_of_side(side).to_owned()),
    },
    Key {
        name: CHESS960,
        of_the_round: false,
        read: |setting, value| {
            setting.config.chess960 = value == Some(YES);
            Ok(())
        },
        print: |setting| yes(setting.config.chess960),
    },
    Key {
        name: "casual",
        of_the_round: true,
        read: |setting, value| {
            setting.config.casual = value == Some(YES);
            Ok(())
        },
        print: |setting| yes(setting.config.casual),
    },
    Key {
        name: "profile",
        of_the_round: true,
        read: |setting, value| {
            setting.config.rulebook = value.map(Rulebook::parse).transpose()?.unwrap_or_default();
            Ok(())
        },
        print: |setting| Some(setting.config.rulebook.to_string()),
    },
    Key {
        name: "rulings",
        of_the_round: true,
        read: |setting, value| {
            setting.config.rulings = match value {
                None | Some("advise") => Rulings::Advise,
                Some("automatic") => Rulings::Automatic,
                Some(other) => bail!("`{other}` is neither `advise` nor `automatic`"),
            };
            Ok(())
        },
        print: |setting| (setting.config.rulings == Rulings::Automatic).then(|| "automatic".to_owned()),
    },
    Key {
        name: "default-time",
        of_the_round: true,
        read: |setting, value| {
            let seconds = |text: &str| text.parse().with_context(|| format!("`{text}` is no number of seconds"));
            setting.config.default_time_s = value.map(seconds).transpose()?;
            Ok(())
        },
        print: |setting| setting.config.default_time_s.map(|seconds| seconds.to_string()),
    },
    Key {
        name: "observer",
        of_the_round: true,
        read: |setting, value| {
            setting.config.observer = value == Some(YES);
            Ok(())
        },
        print: |setting| yes(setting.config.observer),
    },
    Key {
        name: "delay",
        of_the_round: false,
        read: |setting, value| {
            let delay = |text: &str| Delay::parse(text).with_context(|| format!("`{text}` is not like `900 s 0 moves`"));
            setting.delay = value.map(delay).transpose()?;
            Ok(())
        },
        print: |setting| setting.delay.map(|delay| delay.to_string()),
    },
];

/// The name of a trace whose head gives none.
const REPLAY: &str = "replay";
/// The value of a switch that is on; a switch that is off has no line.
const YES: &str = "true";

/// The values that the command line may set for a trace.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Time control in PGN notation.
    pub time_control: Option<String>,
    /// The display that is White's.
    pub white_clock: Option<ClockSide>,
    /// Castling is written in the Chess960 way.
    pub chess960: bool,
}

impl Overrides {
    fn value(&self, key: &str) -> Option<&str> {
        match key {
            TIME_CONTROL => self.time_control.as_deref(),
            WHITE_CLOCK => self.white_clock.map(name_of_side),
            CHESS960 => self.chess960.then_some(YES),
            _ => None,
        }
    }
}

impl Setting {
    /// Makes a setting with a driver and defaults.
    pub fn new(driver: &'static DriverInfo) -> Setting {
        Setting {
            driver,
            clock: None,
            calibration: None,
            config: GameConfig { clock_source: driver.clock_source(), ..GameConfig::default() },
            board: Board::default(),
            delay: None,
            players: None,
            bound: None,
            until_press: UntilPress::default(),
            name: REPLAY.to_owned(),
            notes: Vec::new(),
        }
    }

    /// Reads the setting from a trace's head. Values of the command line come first.
    ///
    /// # Errors
    /// The head names no driver, or a value cannot be read: with its key.
    pub fn from_trace(trace: &Trace<'_>, overrides: &Overrides) -> Result<Setting> {
        let Some(driver) = trace.header(DRIVER) else {
            bail!("the trace's head has no `# driver: …` line; one may be written below its first line")
        };
        let mut setting = Setting::new(find_driver(driver).context(DRIVER)?);
        for key in &KEYS {
            let value = overrides.value(key.name).or_else(|| trace.header(key.name));
            (key.read)(&mut setting, value).context(key.name)?;
        }
        Ok(setting.with_clock())
    }

    /// Returns the same setting with the rules, times, rulings, calibration and clock that a session was begun with. What was
    /// read, found and decided with them must neither vanish nor appear later because the configuration has changed. `header`
    /// gives the values of the session's head.
    ///
    /// # Errors
    /// A value cannot be read: with its key.
    pub fn with_rules_of(&self, header: impl Fn(&str) -> Option<String>) -> Result<Setting> {
        let mut setting = self.clone();
        // The calibration of another driver means nothing to this one.
        let same_driver = header(DRIVER).is_some_and(|driver| driver == self.driver.name);
        for key in KEYS.iter().filter(|key| key.of_the_round && (key.name != CALIBRATION || same_driver)) {
            (key.read)(&mut setting, header(key.name).as_deref()).context(key.name)?;
        }
        Ok(setting.with_clock())
    }

    /// Whether rules, times, rulings, calibration and clock are those of `other`.
    pub fn has_rules_of(&self, other: &Setting) -> bool {
        KEYS.iter().filter(|key| key.of_the_round).all(|key| (key.print)(self) == (key.print)(other))
    }

    /// The header lines for the journal.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let keys = KEYS.iter().filter_map(|key| Some((key.name, (key.print)(self)?)));
        keys.chain(self.notes.iter().cloned()).collect()
    }

    /// Returns the same setting with a game that reads its clock where it is: on a link of its own, or on the board's.
    #[must_use]
    pub fn with_clock(mut self) -> Setting {
        self.config.clock_source = self.clock.unwrap_or(self.driver).clock_source();
        self.config.own_clock = self.clock.map(|clock| clock.timing.press_delay);
        self
    }

    /// Makes the station of this setting.
    ///
    /// # Errors
    /// The driver refuses the calibration.
    pub fn station(&self) -> Result<Station> {
        let station = Station::new(self.driver, self.config.clone(), self.board.clone(), &self.name)
            .with_clock(self.clock)
            .with_public(self.delay)
            .with_until_press(self.until_press)
            .with_players(self.players.clone());
        Ok(match &self.calibration {
            Some(text) => station.with_driver(self.driver.start_with(text).context(CALIBRATION)?),
            None => station,
        })
    }
}

fn find_driver(name: &str) -> Result<&'static DriverInfo> {
    let names = || drivers::DRIVERS.iter().map(|driver| driver.name).collect::<Vec<_>>().join(", ");
    drivers::find(name).with_context(|| format!("`{name}` is not one of {}", names()))
}

const fn name_of_side(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

fn yes(value: bool) -> Option<String> {
    value.then(|| YES.to_owned())
}
