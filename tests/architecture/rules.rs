//! Every rule and every exception, as tables.

/// The rules for the manifest of one crate of the workspace.
pub(crate) struct CrateRule {
    pub(crate) name: &'static str,
    /// Its folder, `""` for the root.
    pub(crate) folder: &'static str,
    pub(crate) licence: &'static str,
    /// Files with the text of the licence, which must be in the folder.
    pub(crate) licence_files: &'static [&'static str],
    /// The only crates it may depend on; `None` = any that is not forbidden. Tests may use more.
    pub(crate) only: Option<&'static [&'static str]>,
    /// The crates that it must never depend on, not even in tests.
    pub(crate) never: &'static [&'static str],
    /// Whether it is compiled without the standard library and without `unsafe`.
    pub(crate) no_std: bool,
}

pub(crate) const CRATES: &[CrateRule] = &[
    CrateRule {
        name: "flagfall-protocols",
        folder: "protocols",
        licence: "MIT OR Apache-2.0",
        licence_files: &["LICENSE-MIT", "LICENSE-APACHE"],
        only: Some(&[]),
        never: &["flagfall", "flagfall-game", "flagfall-hardware"],
        no_std: true,
    },
    CrateRule {
        name: "flagfall-game",
        folder: "src/game",
        licence: "GPL-3.0-or-later",
        licence_files: &[],
        // No serde: every JSON type is in `src/wire`, and is made from the game's values.
        only: Some(&["flagfall-protocols", "shakmaty"]),
        never: &["flagfall", "flagfall-hardware"],
        no_std: true,
    },
    CrateRule {
        name: "flagfall-hardware",
        folder: "hardware",
        licence: "GPL-3.0-or-later",
        licence_files: &[],
        only: None,
        never: &["flagfall", "flagfall-game"],
        no_std: false,
    },
    CrateRule {
        name: "flagfall",
        folder: "",
        licence: "GPL-3.0-or-later",
        licence_files: &["LICENSE"],
        only: None,
        never: &["chasolver", "chess"],
        no_std: false,
    },
    CrateRule {
        name: "flagfall-bench-winnable",
        folder: "tests/bench/winnable",
        licence: "GPL-3.0-or-later",
        licence_files: &[],
        only: None,
        never: &["flagfall"],
        no_std: false,
    },
];

/// The top-level modules of `src` from the lowest floor up: each names only modules of lower floors. The other crates lie below all of
/// them.
pub(crate) const FLOORS: &[&[&str]] = &[
    &["system_clock", "random", "calibration", "import", "listening", "files", "descriptors"],
    &["wire", "log_limit"],
    &["config", "strangers"],
    &["journal", "arbiter", "mqtt", "health", "broker", "http"],
    &["outputs"],
    &["publish", "event", "fleet"],
    &["session"],
    // The daemon, the collector and the screens know nothing of each other: only the command starts them.
    &["daemon", "emulate", "collect", "screens"],
    &["cli"],
];

/// Words that sources may not contain.
pub(crate) struct Ban {
    pub(crate) words: &'static [&'static str],
    /// The rule holds for paths with these beginnings.
    pub(crate) within: &'static [&'static str],
    /// The rule holds for paths with these ends; if the list is empty, for every file.
    pub(crate) named: &'static [&'static str],
    /// The rule does not hold for paths with these beginnings: files or folders.
    pub(crate) except: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// The words that are banned outside tests.
pub(crate) const BANS: &[Ban] = &[
    Ban {
        words: &["std::", "extern crate std"],
        within: &["protocols/src/", "src/game/"],
        named: &[],
        except: &[],
        reason: "the deterministic part has no clock, no IO and no random order: core and alloc only",
    },
    Ban {
        words: &["#[path", "include!"],
        within: &["protocols/src/", "src/", "hardware/src/"],
        named: &[],
        except: &[],
        reason: "includes source of another place and avoids the rule for dependencies",
    },
    Ban {
        words: &["mod game"],
        within: &["src/"],
        named: &["src/lib.rs", "src/main.rs"],
        except: &[],
        reason: "the game is the crate flagfall-game, without the standard library, never a module",
    },
    Ban {
        words: &["println!", "eprintln!", "print!", "eprint!", "dbg!"],
        within: &["protocols/", "src/", "hardware/"],
        named: &[],
        except: &["src/cli/", "src/main.rs"],
        reason: "only commands speak to the terminal",
    },
    Ban {
        words: PLAYERS_SEE,
        within: &["src/"],
        named: &[],
        except: &[],
        reason: "the daemon never changes what players see: queries and reporting modes only",
    },
    Ban {
        words: PLAYERS_SEE,
        within: &["protocols/src/drivers/"],
        named: &[],
        except: &["*/host.rs", "protocols/src/drivers/dgt/host_decoder.rs", "protocols/src/drivers/dgt/clock_command.rs"],
        reason: "a session never changes what players see: queries and reporting modes only",
    },
];

/// Encoders of commands that change a clock or its display; they are for emulators and tests.
pub(crate) const PLAYERS_SEE: &[&str] =
    &["HostMessage", "HostCommand", "ClockCommand", "clock_command::", "SetAndRun", "Rev2Ascii"];

/// A file with an exception.
pub(crate) struct Excuse {
    pub(crate) file: &'static str,
    pub(crate) reason: &'static str,
}

/// Files that may call what clippy.toml disallows, with `#[allow(clippy::disallowed_methods, reason = "...")]`.
pub(crate) const MAY_CALL: &[Excuse] = &[
    Excuse { file: "src/system_clock.rs", reason: "the one place that asks the operating system for time and waits" },
    Excuse { file: "src/config/environment.rs", reason: "the configuration layer: the one place that reads the environment" },
];

/// Modules on a stranger's path: what a client of the broker, a visitor of a page, another node or a device sends leads there. Their log
/// lines go through `src/log_limit.rs`, so that nobody can fill a log.
pub(crate) const STRANGERS: &[&str] = &[
    "src/arbiter/",
    "src/broker",
    "src/cli/run/",
    "src/collect/",
    "src/daemon/",
    "src/event/",
    "src/http/",
    "src/mqtt/",
    "src/outputs/",
    "src/publish/",
    "src/screens/",
    "src/session/",
    "src/strangers/",
    "src/wire/",
];

/// A log line on a stranger's path that needs no limit.
pub(crate) struct MayLog {
    pub(crate) file: &'static str,
    /// A part of the line, or of one of the two lines below it.
    pub(crate) words: &'static [&'static str],
    pub(crate) reason: &'static str,
}

const fn may_log(file: &'static str, words: &'static [&'static str], reason: &'static str) -> MayLog {
    MayLog { file, words, reason }
}

/// Every line of a file.
const EVERY: &[&str] = &[""];
const ONCE: &str = "once for each start or stop of this part, which only its owner can cause";
const A_CONNECTION: &str = "once for each connection of ours, between which there is a pause";
const OUR_DISK: &str = "of our own files, which no stranger can touch";
const OUR_FAULT: &str = "a fault of the program or of the machine, with a pause before the next one";
const A_CHANGE: &str = "only when a person or the state of a receiver has changed it, with a pause before the next attempt";

/// The exceptions.
pub(crate) const MAY_LOG: &[MayLog] = &[
    may_log("src/broker.rs", EVERY, ONCE),
    may_log("src/cli/run/follow.rs", &["{}: {error}: it is ignored", "the organiser's messages are not there"], ONCE),
    may_log("src/cli/run/follow.rs", &["publication {rev} of the organiser"], "a message of the organiser alone that is taken"),
    may_log("src/cli/run/follow.rs", &["a start without the broker uses an older"], OUR_DISK),
    may_log("src/collect/collector.rs", &["the collector has started", "the collector has stopped"], ONCE),
    may_log(
        "src/collect/collector.rs",
        &["connected to the broker", "the broker refuses {denied} of the topics", "no connection to the {why}"],
        A_CONNECTION,
    ),
    may_log("src/collect/collector.rs", &["cannot be written: {error}"], OUR_DISK),
    may_log("src/collect/outputs.rs", EVERY, A_CHANGE),
    may_log("src/collect/store.rs", EVERY, OUR_DISK),
    may_log("src/collect/worker.rs", &["an output panicked"], OUR_FAULT),
    may_log("src/daemon/disk.rs", EVERY, OUR_DISK),
    may_log("src/daemon/fenced_journal.rs", EVERY, OUR_DISK),
    may_log("src/daemon/line.rs", &["a line with several boards begins anew"], OUR_FAULT),
    may_log("src/daemon/live.rs", &["{what}{problem}"], "only when a device is lost, or why it is not found has changed"),
    may_log("src/daemon/live.rs", &["the journal's end is not", "board {}: {error}"], OUR_DISK),
    may_log("src/daemon/live.rs", &["an earlier start recorded nothing"], ONCE),
    may_log("src/daemon/live/opening.rs", EVERY, ONCE),
    may_log("src/daemon/node.rs", &["the wall clock moved"], "of this machine's clock"),
    may_log("src/daemon/parked.rs", EVERY, OUR_DISK),
    may_log("src/daemon/quiet.rs", &["the organiser's publication waits"], A_CHANGE),
    may_log("src/daemon/shared.rs", EVERY, OUR_DISK),
    may_log("src/daemon/station.rs", EVERY, OUR_FAULT),
    may_log("src/daemon/supervised_station.rs", &["{how}: {what}"], OUR_FAULT),
    may_log("src/daemon/supervised_station.rs", &["its station does not end"], ONCE),
    may_log("src/daemon/supervisor.rs", EVERY, ONCE),
    may_log("src/daemon/worker.rs", EVERY, OUR_FAULT),
    may_log("src/http/mod.rs", &["ended by a fault of the program"], ONCE),
    may_log("src/mqtt/client_id.rs", EVERY, OUR_DISK),
    may_log("src/mqtt/connection.rs", &["stopping"], ONCE),
    may_log("src/mqtt/mod.rs", &["no connection to the broker at"], A_CONNECTION),
    may_log("src/mqtt/mod.rs", &["stopped while the broker was away"], ONCE),
    may_log("src/mqtt/session/arriving.rs", &["an earlier start was not counted"], ONCE),
    may_log("src/mqtt/session/birth.rs", EVERY, A_CONNECTION),
    may_log("src/mqtt/session/sending.rs", &["the broker refuses a publication"], "once for each kind of topic"),
    may_log("src/mqtt/session/stale.rs", &["what the broker retains of our boards cannot be read"], A_CONNECTION),
    may_log("src/outputs/livechess/server.rs", EVERY, ONCE),
    may_log("src/screens/mod.rs", EVERY, ONCE),
];

/// A file that may name a driver although it is not the driver's own file.
pub(crate) struct Named {
    pub(crate) driver: &'static str,
    /// The beginning of its path.
    pub(crate) file: &'static str,
    #[allow(dead_code, reason = "for readers")]
    pub(crate) reason: &'static str,
}

const fn named(driver: &'static str, file: &'static str, reason: &'static str) -> Named {
    Named { driver, file, reason }
}

/// Files that name drivers. A new driver needs no row here.
pub(crate) const NAMED: &[Named] = &[
    named("chesslink", "src/emulate/", "the simulation plays at three kinds of boards"),
    named("dgt_pegasus", "src/emulate/", "the simulation plays at three kinds of boards"),
    named("dgt_bus", "src/daemon/line", "the owner of a line runs its master"),
    named("dgt_bus", "src/cli/emulate.rs", "a whole chain answers on one path"),
];

/// Drivers with two rows in the registry: the common code is in the files of the first driver.
pub(crate) const TWO_ROWS: &[(&str, &str)] = &[
    ("certabo", "tabutronic"),
    ("chesslink", "chesslink_eone"),
    ("chessnut", "chessnut_move"),
    ("hos", "hos_usb"),
    ("square_off", "square_off_neo"),
];

/// Rust sources that may have more than [`LONGEST`] lines.
pub(crate) const LONG_FILES: &[Excuse] = &[];

/// Files of the pages in `src/screens/web` that may be long.
pub(crate) const LONG_PAGES: &[Excuse] = &[];

/// A source file with more lines than this needs a reason.
pub(crate) const LONGEST: usize = 400;

/// Folders that the checks leave out: build results, and data that is compared byte for byte.
pub(crate) const SKIPPED: &[&str] = &[".git", "target", "tests/golden", "tests/traces"];

/// The endings of text files, whose white space is checked.
pub(crate) const TEXT: &[&str] =
    &[".rs", ".toml", ".md", ".service", ".conf", ".rules", ".yml", ".sh", ".ci/run", "tests/run", "tests/soak", ".gitignore"];

/// Marks of unfinished work; they are written in halves, so that these lines have none.
pub(crate) const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
