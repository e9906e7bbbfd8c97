//! Reads the noise model: a table of how hands, clocks and boards differ from the ideal (`noise.toml` gives the source of each
//! value).

use std::fmt;

use serde::Deserialize;

/// The text of the levels that come with the program.
const LEVELS: &str = include_str!("noise.toml");

/// One level of noise: times in seconds, chances from 0 to 1, and ranges from which values are drawn evenly.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "noise.toml says what each is and where it comes from")]
pub struct Noise {
    pub hand_travel_slow_s: f64,
    pub hand_travel_quick_s: f64,
    pub hand_travel_spread: f64,
    pub press_after_slow_s: f64,
    pub press_after_quick_s: f64,
    pub press_after_spread: f64,
    pub press_forgotten: f64,
    pub forgotten_noticed: f64,
    pub forgotten_noticed_after_s: [f64; 2],
    pub reply_before_press: f64,
    pub reply_before_press_within_s: f64,
    pub capture_victim_first: f64,
    pub capture_victim_last: f64,
    pub slide: f64,
    pub slide_pauses: f64,
    pub slide_pause_s: f64,
    pub slide_pause_spread: f64,
    pub castling_rook_first: f64,
    pub castling_both_hands: f64,
    pub neighbour_touched: f64,
    pub neighbour_touched_s: [f64; 2],
    pub promotion_pawn_first: f64,
    pub adjusted: f64,
    pub adjusted_s: [f64; 2],
    pub recentred: f64,
    pub recentred_s: [f64; 2],
    pub knocked_over: f64,
    pub knocked_over_s: [f64; 2],
    pub clock_corrected: f64,
    pub dropouts_per_s: f64,
    pub dropout_s: [f64; 2],
    pub dead_square: f64,
    pub scan_s: [f64; 2],
    pub dump_s: f64,
    pub frame_scan_s: [f64; 2],
    pub frame_equal_scans: u8,
    pub occupancy_poll_s: [f64; 2],
    pub clock_asked_s: [f64; 2],
    pub clock_delay_s: [f64; 2],
    pub clock_skipped: f64,
    pub irregularities: f64,
    pub link_gap_s: [f64; 2],
}

/// The levels that come with the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    clean: Noise,
    typical: Noise,
    rough: Noise,
}

/// The reason why a noise file is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum NoiseError {
    /// It cannot be read: the line, from 1, and the problem there.
    Line(usize, String),
    /// A value is out of range.
    Range(&'static str, &'static str),
}

impl fmt::Display for NoiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoiseError::Line(line, problem) => write!(f, "line {line}: {problem}"),
            NoiseError::Range(key, problem) => write!(f, "{key}: {problem}"),
        }
    }
}

impl std::error::Error for NoiseError {}

impl Noise {
    /// A level that comes with the program: `clean`, `typical` or `rough`.
    ///
    /// # Errors
    /// The program's own table is broken; a test checks it.
    pub fn level(name: &str) -> Option<Result<Noise, NoiseError>> {
        let pick: fn(Levels) -> Noise = match name {
            "clean" => |levels| levels.clean,
            "typical" => |levels| levels.typical,
            "rough" => |levels| levels.rough,
            _ => return None,
        };
        Some(read::<Levels>(LEVELS).map(pick).and_then(Noise::checked))
    }

    /// Reads the keys of one level.
    ///
    /// # Errors
    /// A key is unknown or missing, or a value is invalid: with its line.
    pub fn parse(text: &str) -> Result<Noise, NoiseError> {
        read::<Noise>(text).and_then(Noise::checked)
    }

    fn checked(self) -> Result<Noise, NoiseError> {
        let chances = [
            ("irregularities", self.irregularities),
            ("press_forgotten", self.press_forgotten),
            ("forgotten_noticed", self.forgotten_noticed),
            ("reply_before_press", self.reply_before_press),
            ("capture_victim_first", self.capture_victim_first),
            ("capture_victim_last", self.capture_victim_last),
            ("slide", self.slide),
            ("slide_pauses", self.slide_pauses),
            ("castling_rook_first", self.castling_rook_first),
            ("castling_both_hands", self.castling_both_hands),
            ("neighbour_touched", self.neighbour_touched),
            ("promotion_pawn_first", self.promotion_pawn_first),
            ("adjusted", self.adjusted),
            ("recentred", self.recentred),
            ("knocked_over", self.knocked_over),
            ("clock_corrected", self.clock_corrected),
            ("dead_square", self.dead_square),
            ("clock_skipped", self.clock_skipped),
        ];
        let ranges = [
            ("forgotten_noticed_after_s", self.forgotten_noticed_after_s),
            ("neighbour_touched_s", self.neighbour_touched_s),
            ("adjusted_s", self.adjusted_s),
            ("recentred_s", self.recentred_s),
            ("knocked_over_s", self.knocked_over_s),
            ("dropout_s", self.dropout_s),
            ("scan_s", self.scan_s),
            ("frame_scan_s", self.frame_scan_s),
            ("occupancy_poll_s", self.occupancy_poll_s),
            ("clock_asked_s", self.clock_asked_s),
            ("clock_delay_s", self.clock_delay_s),
            ("link_gap_s", self.link_gap_s),
        ];
        let times = [
            ("hand_travel_slow_s", self.hand_travel_slow_s),
            ("hand_travel_quick_s", self.hand_travel_quick_s),
            ("hand_travel_spread", self.hand_travel_spread),
            ("press_after_slow_s", self.press_after_slow_s),
            ("press_after_quick_s", self.press_after_quick_s),
            ("press_after_spread", self.press_after_spread),
            ("reply_before_press_within_s", self.reply_before_press_within_s),
            ("slide_pause_s", self.slide_pause_s),
            ("slide_pause_spread", self.slide_pause_spread),
            ("dropouts_per_s", self.dropouts_per_s),
            ("dump_s", self.dump_s),
        ];
        let bad_chance = chances.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value));
        let bad_range =
            ranges.into_iter().find(|(_, [from, to])| !(0.0..=LONGEST).contains(from) || !(*from..=LONGEST).contains(to));
        let bad_time = times.into_iter().find(|(_, value)| !(0.0..=LONGEST).contains(value));
        match (bad_chance, bad_range, bad_time) {
            (Some((key, _)), ..) => Err(NoiseError::Range(key, "a chance is between 0 and 1")),
            (_, Some((key, _)), _) => Err(NoiseError::Range(key, "a range is [from, to], 0 to 600")),
            (.., Some((key, _))) => Err(NoiseError::Range(key, "not between 0 and 600")),
            _ => Ok(self),
        }
    }
}

/// The largest value in the table that is allowed, in seconds.
const LONGEST: f64 = 600.0;

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, NoiseError> {
    toml::from_str(text).map_err(|error| {
        let begin = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.as_bytes()[..begin].iter().filter(|&&byte| byte == b'\n').count() + 1;
        NoiseError::Line(line, error.message().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of one level of the program's own table.
    fn level(name: &str) -> &'static str {
        let rest = LEVELS.split_once(&format!("[{name}]\n")).expect("a level").1;
        rest.split("\n[").next().expect("a part").trim_end()
    }

    #[test]
    fn the_table_holds_three_levels() {
        let [clean, typical, rough] =
            ["clean", "typical", "rough"].map(|name| Noise::level(name).expect("a level").expect("a good table"));
        assert_eq!(Noise::level("loud"), None);
        assert!(clean.slide < typical.slide && typical.slide < rough.slide);
        assert_eq!(Noise::parse(level("rough")), Ok(rough));
        assert_eq!([clean.irregularities, typical.irregularities], [0.5; 2]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let good = level("clean");
        let lines = good.lines().count();
        let Err(NoiseError::Line(line, problem)) = Noise::parse(&format!("{good}\nslidse = 0.1\n")) else { panic!("passed") };
        assert!(line == lines + 1 && problem.contains("slidse"), "{line}: {problem}");
        let missing = good.replacen("slide = ", "# ", 1);
        assert!(matches!(Noise::parse(&missing), Err(NoiseError::Line(_, problem)) if problem.contains("slide")));
        assert_eq!(
            Noise::parse(&good.replacen("slide = 0.0", "slide = 1.5", 1)).unwrap_err().to_string(),
            "slide: a chance is between 0 and 1"
        );
        let turned = good.replacen("adjusted_s = [0.3, 1.2]", "adjusted_s = [1.2, 0.3]", 1);
        assert!(matches!(Noise::parse(&turned), Err(NoiseError::Range("adjusted_s", _))));
    }
}
