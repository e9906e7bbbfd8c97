//! Every registered driver has a drawing of its bytes, a row in the list for users and udev rules for its USB devices, and its name
//! appears only in its own files and on its lines of the registries.

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::DRIVERS;

use crate::assert_none;
use crate::files::{self, File};
use crate::rules::{NAMED, Named, TWO_ROWS};

const REGISTRY: &str = "protocols/src/drivers/mod.rs";
const EMULATORS: &str = "hardware/src/emulator/mod.rs";
const BOARDS: &str = "README.md";
const RULES: &str = "hardware/udev/60-flagfall.rules";

/// The first module of every entry of the slice `DRIVERS`, in its order.
fn registered(registry: &str) -> Vec<String> {
    let code = crate::lexer::split(registry).code;
    let slice = code.split_once("DRIVERS: &[DriverInfo] = &[").and_then(|(_, rest)| rest.split_once("];"));
    let entries = slice.unwrap_or_else(|| panic!("{REGISTRY}: no slice DRIVERS")).0.split(',').map(str::trim);
    let module = |entry: &str| entry.trim_start_matches("self::").split("::").next().unwrap_or_default().to_string();
    entries.filter(|entry| !entry.is_empty()).map(module).collect()
}

/// A driver's head draws its bytes: a fenced block of `text` in the `//!` lines.
fn is_drawn(text: &str) -> bool {
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let opened = head.iter().position(|line| line.trim_end() == "//! ```text");
    opened.is_some_and(|start| head[start + 1..].iter().position(|line| line.trim_end() == "//! ```").is_some_and(|end| end > 0))
}

fn missing_diagram(module: &str, files: &[File]) -> Vec<String> {
    let paths = [format!("protocols/src/drivers/{module}.rs"), format!("protocols/src/drivers/{module}/mod.rs")];
    match files.iter().find(|file| paths.contains(&file.path)) {
        None => vec![format!("{REGISTRY}: no file for the driver module `{module}`")],
        Some(file) if !is_drawn(&file.text) => {
            vec![format!("{}:1: the head draws no bytes: a fenced block of `text` in the `//!` lines", file.path)]
        }
        Some(_) => Vec::new(),
    }
}

/// Drivers without a row in the table of boards for users. Several drivers may share a row; its first cell has their names as code.
fn boards_missing(names: &[&str], readme: &str) -> Vec<String> {
    let cells: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    let missing = names.iter().filter(|name| !cells.iter().any(|cell| cell.contains(&format!("`{name}`"))));
    missing.map(|name| format!("{BOARDS}: no row for the driver under \"Boards\": | `{name}` | boards | link | ... |")).collect()
}

/// The udev rule of one USB device.
fn rule(driver: &str, vendor: u16, product: u16) -> String {
    format!(
        "ENV{{ID_VENDOR_ID}}==\"{vendor:04x}\", ENV{{ID_MODEL_ID}}==\"{product:04x}\", GROUP=\"dialout\", MODE=\"0660\", \
         TAG+=\"uaccess\", ENV{{ID_MM_DEVICE_IGNORE}}=\"1\", ENV{{FLAGFALL_DRIVER}}=\"{driver}\""
    )
}

/// The udev rule of the boards of one family over USB-HID.
fn hid_rule(driver: &str, vendor: u16) -> String {
    format!(
        "KERNEL==\"hidraw*\", ATTRS{{idVendor}}==\"{vendor:04x}\", GROUP=\"dialout\", MODE=\"0660\", TAG+=\"uaccess\", \
         ENV{{FLAGFALL_DRIVER}}=\"{driver}\""
    )
}

/// Devices without a rule and rules without a device, each with the line to add or to remove.
fn rules_differing(wanted: &[String], rules: &str) -> Vec<String> {
    let live: Vec<&str> =
        rules.lines().map(str::trim).filter(|line| line.starts_with("ENV{ID_VENDOR_ID}") || line.starts_with("KERNEL")).collect();
    let missing = wanted.iter().filter(|rule| !live.contains(&rule.as_str()));
    let missing = missing.map(|rule| format!("{RULES}: no rule for a driver's device: {rule}"));
    let unknown = live.iter().filter(|line| !wanted.iter().any(|rule| rule == **line));
    missing.chain(unknown.map(|line| format!("{RULES}: no driver has this device: {line}"))).collect()
}

/// Lines outside a driver's own files that name it as a module or in a text: a new driver must not change other files. `named` is
/// the table of the exceptions.
fn named_elsewhere(driver: &str, files: &[File], named: &[Named]) -> Vec<String> {
    let own = |path: &str| {
        let after = ["protocols/src/drivers/", "hardware/src/emulator/"].iter().find_map(|folder| path.strip_prefix(folder));
        let stem = after.map(|rest| rest.split(['/', '.']).next().unwrap_or_default());
        let related = |stem: &str| TWO_ROWS.iter().any(|rows| [(stem, driver), (driver, stem)].contains(rows));
        stem.is_some_and(|stem| stem == "mod" || stem == driver || related(stem))
    };
    let sources = |file: &&File| {
        let path = file.path.as_str();
        let source = ["src/", "hardware/src/", "protocols/src/"].iter().any(|folder| path.starts_with(folder));
        source
            && path.ends_with(".rs")
            && !own(path)
            && !named.iter().any(|named| named.driver == driver && path.starts_with(named.file))
    };
    let words = [format!("{driver}::"), format!("\"{driver}\""), format!("drivers::{driver} ")];
    let mut problems = Vec::new();
    for file in files.iter().filter(sources) {
        for (number, line) in (1..).zip(file.text.lines()) {
            let code = line.trim_start();
            if !code.starts_with("//") && words.iter().any(|word| is_whole(code, word)) {
                problems.push(format!(
                    "{}:{number}: names the driver `{driver}`: only its own files and the registries may",
                    file.path
                ));
            }
        }
    }
    problems
}

/// Lines of a registry that name a driver, apart from its module and its row.
fn registry_lines(driver: &str, registry: &File) -> Vec<String> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let named = |line: &str| line.split(|c| !part(c)).any(|word| word == driver);
    let lines = (1..).zip(registry.text.lines().map(str::trim_start));
    let code = lines.filter(|(_, line)| !line.starts_with("//") && named(line));
    code.skip(2).map(|(number, _)| format!("{}:{number}: a third line of the driver `{driver}`", registry.path)).collect()
}

/// Whether `word` appears and is not the end of a longer word.
fn is_whole(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

pub(crate) fn text_of(path: &str) -> Option<&'static str> {
    files::all().iter().find(|file| file.path == path).map(|file| file.text.as_str())
}

#[test]
fn every_driver_is_drawn() {
    let modules = registered(text_of(REGISTRY).expect("the registry is there"));
    assert_eq!(modules.len(), DRIVERS.len(), "{REGISTRY}: the slice is read as it is compiled");
    assert_none(&modules.iter().flat_map(|module| missing_diagram(module, files::all())).collect::<Vec<_>>());
}

#[test]
fn every_driver_is_in_the_list_of_drivers() {
    let names: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).collect();
    let users = std::fs::read_to_string(format!("{}/{BOARDS}", files::ROOT)).expect("the page is there");
    assert_none(&boards_missing(&names, &users));
}

#[test]
fn a_driver_is_named_in_its_own_files_only() {
    // The oldest drivers are named in many files.
    let names = DRIVERS.iter().map(|driver| driver.name).filter(|name| *name != "dgt");
    assert_none(&names.flat_map(|name| named_elsewhere(name, files::all(), NAMED)).collect::<Vec<_>>());
}

#[test]
fn a_driver_has_at_most_two_lines_in_a_registry() {
    let registries = || files::all().iter().filter(|file| [REGISTRY, EMULATORS].contains(&file.path.as_str()));
    assert_eq!(registries().count(), 2);
    let lines = registries().flat_map(|file| DRIVERS.iter().flat_map(|driver| registry_lines(driver.name, file)));
    assert_none(&lines.collect::<Vec<_>>());
}

#[test]
fn every_driver_has_a_trace() {
    let traces = |name: &str| {
        let folder = format!("{}/tests/traces/{name}", files::ROOT);
        let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
        found.filter(|file| file.path().extension().is_some_and(|end| end == "trace")).count()
    };
    let missing = DRIVERS.iter().filter(|driver| traces(driver.name) == 0).map(|driver| driver.name);
    let line =
        |name| format!("tests/traces/{name}/: no trace: put a recording with the line `# driver: {name}` in its head there");
    assert_none(&missing.map(line).collect::<Vec<_>>());
}

#[test]
fn every_usb_device_of_a_driver_has_a_udev_rule() {
    let rules = std::fs::read_to_string(format!("{}/{RULES}", files::ROOT)).expect("the rules are there");
    let of = |driver: &DriverInfo| {
        let ports = driver.usb.iter().map(|(vendor, product)| rule(driver.name, *vendor, *product));
        ports.chain(driver.hid.map(|hid| hid_rule(driver.name, hid.vendor))).collect()
    };
    let wanted: Vec<String> = DRIVERS.iter().flat_map(|driver| -> Vec<String> { of(driver) }).collect();
    assert_none(&rules_differing(&wanted, &rules));
}

/// The boards on one line wait for each other's short answers, so the adapter must deliver bytes at once.
const LATENCY: &str = "SUBSYSTEM==\"usb-serial\", DRIVER==\"ftdi_sio\", ACTION==\"add|bind|change\", ATTR{latency_timer}=\"1\"";

#[test]
fn the_latency_of_adapters_is_set_before_other_subsystems_are_left() {
    let rules = std::fs::read_to_string(format!("{}/{RULES}", files::ROOT)).expect("the rules are there");
    let place = |start: &str| rules.lines().position(|line| line.starts_with(start));
    let (set, left) = (place(LATENCY), place("SUBSYSTEM!="));
    assert!(set.is_some() && set < left, "{RULES}: {LATENCY}");
}

#[test]
fn bad_drivers_are_found() {
    let source = |path: &str, text: &str| File { path: path.to_string(), text: text.to_string() };
    let other = [
        source("src/a.rs", "let x = \"new\";\nuse drivers::new::INFO;\n// new::INFO\nlet renew = renew::INFO;\n"),
        source("protocols/src/drivers/new/mod.rs", "\"new\""),
        source("hardware/src/emulator/new.rs", "new::INFO"),
        source("src/b.rs", "new::INFO"),
    ];
    assert_eq!(named_elsewhere("new", &other, &[Named { driver: "new", file: "src/b.rs", reason: "a test" }]).len(), 2);
    assert_eq!(registered("const DRIVERS: &[DriverInfo] = &[\n    a::INFO, // a\n    self::b::c::INFO,\n];"), ["a", "b"]);
    let drawing = "//! Head.\n//!\n//! ```text\n//! 8e 00 05\n//! ```\n\nuse x;\n";
    assert!(is_drawn(drawing));
    for bad in ["//! Head.\n", "//! ```text\n//! ```\n", "//! ```text\n//! 8e\n", "use x;\n//! ```text\n//! 8e\n//! ```\n"] {
        assert!(!is_drawn(bad), "{bad}");
    }
    let file = |path: &str, text: &str| File { path: path.to_string(), text: text.to_string() };
    let files = [file("protocols/src/drivers/a.rs", drawing), file("protocols/src/drivers/b/mod.rs", "//! Head.\n")];
    assert_eq!(["a", "b", "c"].map(|module| missing_diagram(module, &files).len()), [0, 1, 1]);
    let registry = file("mod.rs", "// a\npub mod a;\npub mod a_b;\n    a::INFO,\nuse a::A;\n");
    assert_eq!(registry_lines("a", &registry), ["mod.rs:5: a third line of the driver `a`"]);
    assert!(registry_lines("a_b", &registry).is_empty());
    assert_eq!(boards_missing(&["a", "b", "c"], "| driver | boards |\n| `a`, `b` | `c` |\n").len(), 1);
    let (one, two) = (rule("a", 0x403, 0x6001), rule("b", 1, 2));
    assert!(rules_differing(&[one.clone(), two.clone()], &format!("# x\n{one}\n  {two}\n")).is_empty());
    let problems = rules_differing(std::slice::from_ref(&one), &format!("#{one}\n{two}\n"));
    assert!(problems.len() == 2 && problems[0].ends_with(&one) && problems[1].ends_with(&two), "{problems:?}");
    let (hid, narrow) = (hid_rule("a", 0x2d80), hid_rule("a", 0x2d80).replace("0660", "0600"));
    assert!(rules_differing(std::slice::from_ref(&hid), &format!("{hid}\n")).is_empty());
    assert_eq!(rules_differing(std::slice::from_ref(&hid), &format!("{narrow}\n")).len(), 2);
}
