//! Formats text with a fixed width and with colours.

/// Whether text is printed with colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) colour: bool,
}

impl Paint {
    pub(super) fn with(self, codes: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{codes}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn alarm(self, text: &str) -> String {
        self.with("1;97;41", text)
    }

    pub(super) fn proposal(self, text: &str) -> String {
        self.with("1;33", text)
    }

    pub(super) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}

/// Exactly `width` characters: cut, or filled up.
pub(super) fn fit(text: &str, width: usize) -> String {
    let mut cut: String = text.chars().filter(|c| !c.is_control()).take(width).collect();
    let have = cut.chars().count();
    if text.chars().count() > width && width > 0 {
        cut.pop();
        cut.push('~');
    }
    cut.extend(std::iter::repeat_n(' ', width - have));
    cut
}

/// At most `most` lines, at least one, of exactly `width` characters, broken between words.
pub(super) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let last = lines.len() == most;
        match lines.last_mut().filter(|line| last || line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| fit(line, width)).collect()
}

/// `h:mm:ss`, or dashes.
pub(super) fn time(millis: Option<u64>) -> String {
    let Some(millis) = millis else { return "-:--:--".to_owned() };
    let seconds = millis.div_ceil(1000);
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `White` or `Black`, of the word in a payload.
pub(super) fn side(word: Option<&str>) -> &'static str {
    match word {
        Some("white") => "White",
        Some("black") => "Black",
        _ => "?",
    }
}
