//! Reads the values of pairings: names, titles, ratings, numbers, results. A value that is not there is none.

use crate::wire::meta::PairingResult;

/// The largest length of a player's name, in characters.
const MAX_NAME: usize = 100;
/// The words for a player who is not there, in the languages of pairing programs.
const BYES: [&str; 9] = ["bye", "spielfrei", "freilos", "exempt", "descansa", "descanso", "libre", "riposa", "no opponent"];
/// Titles, with the abbreviations of FIDE's tournament report file.
const TITLES: [(&str, &str); 20] = [
    ("GM", "GM"),
    ("IM", "IM"),
    ("FM", "FM"),
    ("CM", "CM"),
    ("NM", "NM"),
    ("WGM", "WGM"),
    ("WIM", "WIM"),
    ("WFM", "WFM"),
    ("WCM", "WCM"),
    ("WNM", "WNM"),
    ("G", "GM"),
    ("M", "IM"),
    ("F", "FM"),
    ("C", "CM"),
    ("WG", "WGM"),
    ("WM", "WIM"),
    ("WF", "WFM"),
    ("WC", "WCM"),
    ("LM", "LM"),
    ("AGM", "AGM"),
];
/// Spellings of results, without blanks and with `1/2` for half a point.
const RESULTS: [(&str, PairingResult); 21] = [
    ("1-0", PairingResult::WhiteWins),
    ("0-1", PairingResult::BlackWins),
    ("1/2-1/2", PairingResult::Draw),
    ("1/2", PairingResult::Draw),
    ("1/21/2", PairingResult::Draw),
    ("0-0", PairingResult::BothLose),
    ("1/2-0", PairingResult::HalfToWhite),
    ("0-1/2", PairingResult::HalfToBlack),
    ("+/-", PairingResult::BlackForfeits),
    ("-/+", PairingResult::WhiteForfeits),
    ("-/-", PairingResult::BothForfeit),
    ("+--", PairingResult::BlackForfeits),
    ("--+", PairingResult::WhiteForfeits),
    ("---", PairingResult::BothForfeit),
    ("1-0f", PairingResult::BlackForfeits),
    ("0-1f", PairingResult::WhiteForfeits),
    ("0-0f", PairingResult::BothForfeit),
    ("1f-0f", PairingResult::BlackForfeits),
    ("0f-1f", PairingResult::WhiteForfeits),
    ("0f-0f", PairingResult::BothForfeit),
    ("=", PairingResult::Draw),
];

/// Reads a name: no control characters, no doubled blanks.
pub(super) fn name(text: &str) -> Result<Option<String>, String> {
    let words = text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join(" ");
    match name.chars().count() {
        0 => Ok(None),
        _ if name.chars().all(|char| char == '?') => Ok(None),
        length if length > MAX_NAME => Err(format!("the name has {length} characters, the limit is {MAX_NAME}")),
        _ => Ok(Some(name)),
    }
}

/// Whether the name says that there is no opponent.
pub(super) fn is_bye(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    BYES.contains(&name.as_str())
}

/// Reads a title.
pub(super) fn title(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() || text == "-" {
        return Ok(None);
    }
    let known = TITLES.iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
    known.map(|(_, title)| Some((*title).to_owned())).ok_or_else(|| format!("{text:?} is no title"))
}

/// Reads a rating; 0 is none.
pub(super) fn rating(text: &str) -> Result<Option<u16>, String> {
    let rating = number(text, 4000, "a rating from 1 to 4000")?;
    // The number is at most 4000.
    Ok(rating.map(|rating| rating as u16))
}

/// Reads FIDE's number of a player; 0 is none.
pub(super) fn fide_id(text: &str) -> Result<Option<u32>, String> {
    number(text, u32::MAX, "a number of FIDE")
}

/// Reads the number of a board.
pub(super) fn board(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    match number(text, 9999, "the number of a board from 1 to 9999")? {
        None if !matches!(text, "" | "-" | "?") => Err(format!("{text:?} is not the number of a board from 1 to 9999")),
        board => Ok(board),
    }
}

/// Reads the number of a round.
pub(super) fn round(text: &str) -> Result<Option<u32>, String> {
    number(text, 99, "a round from 1 to 99")
}

fn number(text: &str, most: u32, what: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    if matches!(text, "" | "-" | "?") {
        return Ok(None);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && *number <= most).ok_or_else(|| format!("{text:?} is not {what}"))?;
    Ok((number > 0).then_some(number))
}

/// Reads a federation of three letters.
pub(super) fn federation(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() || text == "-" {
        return Ok(None);
    }
    if text.len() != 3 || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(format!("{text:?} is no federation of three letters"));
    }
    Ok(Some(text.to_ascii_uppercase()))
}

/// Reads a result in one of its many spellings.
pub(super) fn result(text: &str) -> Result<Option<PairingResult>, String> {
    let plain: String = text.replace('½', "1/2").replace(['.', ','], ".").chars().filter(|char| !char.is_whitespace()).collect();
    let plain = plain.replace("0.5", "1/2").replace(".5", "1/2").replace(':', "-").replace(['–', '—'], "-").to_lowercase();
    if matches!(plain.as_str(), "" | "*" | "-" | "?") {
        return Ok(None);
    }
    let known = RESULTS.iter().find(|(spelling, _)| *spelling == plain);
    known.map(|(_, result)| Some(*result)).ok_or_else(|| format!("{text:?} is no result"))
}

/// Reads a date, `2026-11-21` or `2026.11.21` or `2026/11/21`; `????.??.??` is none.
pub(super) fn date(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() || text.contains('?') {
        return Ok(None);
    }
    let parts: Vec<&str> = text.split(['.', '-', '/']).collect();
    let wrong = || format!("{text:?} is no date like 2026-11-21");
    let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
    let number = |part: &str, length| (part.len() <= length).then(|| part.parse::<u32>().ok()).flatten();
    match (number(year, 4), number(month, 2), number(day, 2)) {
        (Some(year @ 1900..=2999), Some(month @ 1..=12), Some(day @ 1..=31)) => {
            Ok(Some(format!("{year:04}-{month:02}-{day:02}")))
        }
        _ => Err(wrong()),
    }
}
