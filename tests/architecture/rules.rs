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
    &["system_clock", "random", "calibration", "import", "listening"],
    &["wire"],
    &["config"],
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
