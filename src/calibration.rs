//! Reads and writes the calibration file of one board (`board.calibration_file`): the data about its men that its driver needs.
//! The file is text with one item on each line.
//!
//! ```text
//! flagfall calibration 1
//! driver NAME
//! # whatever people want to know
//! ITEM
//! ```
//!
//! The head of a journal contains the items too, so a replay needs no calibration file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::DRIVERS;
use flagfall_protocols::trace::MAX_VALUE;

/// The beginning of the first line, before the version.
const FORMAT: &str = "flagfall calibration";
/// The version that is read and written.
const VERSION: &str = "1";
/// The largest size of a calibration file, in bytes.
const LONGEST: u64 = 16 << 10;

/// Reads the calibration in `file` for boards of this family, in the form that its driver needs and that fits into a journal's
/// head.
///
/// # Errors
/// The file cannot be read, or its content is wrong: with the line.
pub fn read(file: &Path, driver: &DriverInfo) -> Result<String, String> {
    // Opening a pipe would wait for a writer.
    let found = std::fs::metadata(file).map_err(|error| format!("cannot be read: {error}"))?;
    if !found.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(|error| format!("cannot be read: {error}"))?;
    opened.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    parse(&bytes, driver)
}

/// Reads the calibration from the contents of a file.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(bytes: &[u8], driver: &DriverInfo) -> Result<String, String> {
    needed(driver)?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes and no calibration"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count();
        format!("line {line}: is not text in UTF-8")
    })?;
    let mut lines = (1..).zip(text.lines().map(str::trim));
    match lines.next().and_then(|(_, line)| line.strip_prefix(FORMAT)).map(str::trim) {
        Some(VERSION) => {}
        Some(other) if !other.is_empty() => {
            return Err(format!("line 1: version {} of the format; this program reads version {VERSION}", shown(other)));
        }
        _ => return Err(format!("line 1: is not `{FORMAT} {VERSION}`: no calibration; `flagfall calibrate` makes one")),
    }
    match lines.next().and_then(|(_, line)| line.strip_prefix("driver ")).map(str::trim) {
        Some(name) if name == driver.name => {}
        Some(name) => return Err(format!("line 2: is for {} boards, and this one is {}", shown(name), driver.name)),
        None => return Err(format!("line 2: is not `driver {}`, the family that it is for", driver.name)),
    }
    let items: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
    if let Some((line, item)) = items.iter().find(|(_, item)| !item.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')) {
        return Err(format!("line {line}: {}: one item a line, without a space or comma", shown(item)));
    }
    let calibration = items.iter().map(|(_, item)| *item).collect::<Vec<_>>().join(",");
    let last = text.lines().count();
    if let Err(error) = driver.start_with(&calibration) {
        let (line, item) =
            items.get(error.item).map_or((last, String::new()), |(line, item)| (*line, format!("{}: ", shown(item))));
        return Err(format!("line {line}: {item}{}", error.message));
    }
    // A line of a journal's head holds no more.
    if calibration.len() > MAX_VALUE {
        return Err(format!("line {last}: more than {MAX_VALUE} bytes of items"));
    }
    Ok(calibration)
}

/// Returns the contents of a file with this calibration and a remark for people.
pub fn print(driver: &DriverInfo, remark: &str, calibration: &str) -> String {
    let mut text = format!("{FORMAT} {VERSION}\ndriver {}\n# {remark}\n", driver.name);
    for item in calibration.split(',') {
        text.push_str(item);
        text.push('\n');
    }
    text
}

/// Checks whether boards of this family must be calibrated.
///
/// # Errors
/// They need no calibration; the message names the families that do.
pub fn needed(driver: &DriverInfo) -> Result<(), String> {
    if driver.calibrated.is_some() {
        return Ok(());
    }
    let others: Vec<&str> = DRIVERS.iter().filter(|driver| driver.calibrated.is_some()).map(|driver| driver.name).collect();
    Err(format!("{} boards need no calibration, only {} boards do", driver.name, others.join(", ")))
}

/// A text as an error message shows it: no control characters, not too long.
fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(30).flat_map(char::escape_default).collect();
    if text.chars().nth(30).is_some() {
        cut.push('…');
    }
    format!("`{cut}`")
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::drivers::find;

    use super::*;

    const SET: &str = "RNBQKBNRPPPPPPPPpppppppprnbqkbnr";

    fn family() -> &'static DriverInfo {
        DRIVERS.iter().find(|driver| driver.calibrated.is_some()).expect("one that must be calibrated")
    }

    /// The calibration of a whole set and of these further men.
    fn calibration(more: &str) -> String {
        let items = (1..).zip(SET.chars().chain(more.chars()));
        items.map(|(number, letter)| format!("{letter}03005400{number:02x}")).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn what_is_printed_is_read() {
        for more in ["", "Qq", "QQQqqqRr"] {
            let calibration = calibration(more);
            let text = print(family(), "board 12", &calibration);
            assert_eq!(parse(text.as_bytes(), family()), Ok(calibration.clone()));
            // The text as an editor of another system leaves it, with more remarks.
            let text = text.replace('\n', "\r\n").replace("# board 12", "# board 12\r\n\r\n  # the queens are new");
            assert_eq!(parse(text.as_bytes(), family()), Ok(calibration));
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let name = family().name;
        let good = print(family(), "board 12", &calibration("Qq"));
        let head = format!("flagfall calibration 1\ndriver {name}\n# board 12\n");
        let first = good.lines().nth(3).expect("an item").to_owned();
        let long = format!("{good}{}", "# much to be said\n".repeat(1000));
        let many: String = good.clone() + &(0..31).map(|number| format!("P03005401{number:02x}\n")).collect::<String>();
        let cases: &[(String, &str)] = &[
            (String::new(), "line 1: is not `flagfall calibration 1`: no calibration; `flagfall calibrate` makes one"),
            ("K03005400aa,k0300550068\n".to_owned(), "line 1: is not `flagfall calibration 1`"),
            ("\u{1b}[2J garbage \0".to_owned(), "line 1: is not `flagfall calibration 1`"),
            (good.replace("calibration 1", "calibration 2"), "line 1: version `2` of the format; this program reads version 1"),
            (good.replace("calibration 1", "calibration"), "line 1: is not `flagfall calibration 1`"),
            ("flagfall calibration 1\n".to_owned(), "line 2: is not `driver "),
            (good.replace(name, "dgt"), "line 2: is for `dgt` boards, and this one is "),
            (head.clone(), "line 3: 0 of the 2 men `R` of a set are there"),
            (good.replace(&first, "R 0300540001"), "line 4: `R 0300540001`: one item a line"),
            (good.replace(&first, &first.replace('R', "X")), "line 4: `X0300540001`: a man is one of the letters"),
            (good.replace("0300540003", "030054003"), "line 6: `B030054003`: a man's tag is ten digits"),
            (good.replace("0300540003", "0300000003"), "line 6: `B0300000003`: a man's tag is ten digits"),
            // One tag for two men is an error; two tags for one kind of man are a spare man.
            (good.replace("0300540022", "0300540001"), "line 37: `q0300540001`: this tag stands there twice"),
            // A file that was cut off.
            (good.lines().take(20).map(|line| format!("{line}\n")).collect(), "line 20: 1 of the 8 men `p` of a set are there"),
            (many, "line 68: `P030054011e`: more than 64 men"),
            (long, "is longer than 16384 bytes and no calibration"),
        ];
        for (text, message) in cases {
            let error = parse(text.as_bytes(), family()).expect_err(message);
            assert!(error.starts_with(message), "{error}\n{message}");
            assert!(!error.chars().any(char::is_control), "{error:?}");
        }
        let cut = good.as_bytes().iter().chain(b"\xff").copied().collect::<Vec<u8>>();
        assert_eq!(parse(&cut, family()), Err("line 38: is not text in UTF-8".to_owned()));
        let other = find("dgt").expect("registered");
        assert_eq!(parse(good.as_bytes(), other), Err(format!("dgt boards need no calibration, only {name} boards do")));
    }

    #[test]
    fn only_a_file_is_read() {
        assert!(read(Path::new("/nowhere/at/all"), family()).is_err_and(|error| error.starts_with("cannot be read: ")));
        assert_eq!(read(Path::new("/dev/zero"), family()), Err("is not a file".to_owned()));
    }
}
