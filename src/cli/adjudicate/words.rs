//! Reads an event from the command line: words between commas, in any order.

/// The words of one event that are not yet understood.
pub(super) struct Words<'a> {
    left: Vec<&'a str>,
    /// Every word that was asked for, so that an error can list them.
    known: Vec<&'static str>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Words<'a> {
        Words { left: text.split(',').map(str::trim).collect(), known: Vec::new() }
    }

    /// The value of the word of this table that occurs; none if none of them occurs.
    ///
    /// # Errors
    /// Two words of the table occur: they exclude each other.
    pub(super) fn one_of<T: Copy>(&mut self, table: &[(&'static str, T)]) -> Result<Option<T>, String> {
        let named = |word: &&str| table.iter().any(|(name, _)| name == word);
        let found: Vec<&str> = self.left.iter().copied().filter(named).collect();
        self.left.retain(|word| !named(word));
        self.known.extend(table.iter().map(|(name, _)| *name));
        match found[..] {
            [] => Ok(None),
            [word] => Ok(table.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)),
            [one, other, ..] => Err(format!("`{one}` and `{other}` exclude each other")),
        }
    }

    /// The value of the word of this table that occurs.
    ///
    /// # Errors
    /// None or two of the words occur.
    pub(super) fn needed<T: Copy>(&mut self, what: &str, table: &[(&'static str, T)]) -> Result<T, String> {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        self.one_of(table)?.ok_or_else(|| format!("{what} is missing: one of {}", names.join(", ")))
    }

    /// True if this word occurs.
    ///
    /// # Errors
    /// It occurs twice.
    pub(super) fn has(&mut self, word: &'static str) -> Result<bool, String> {
        Ok(self.one_of(&[(word, ())])?.is_some())
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Some words were not understood.
    pub(super) fn end(self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some(word) => Err(format!("`{word}` is none of the words {}", self.known.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [(&str, u8); 2] = [("white", 0), ("black", 1)];

    #[test]
    fn words_may_stand_in_any_order_and_each_must_be_known() {
        let mut words = Words::of("late, black");
        assert_eq!((words.needed("the player", &SIDES), words.has("late")), (Ok(1), Ok(true)));
        assert_eq!(words.end(), Ok(()));
        let mut words = Words::of("white,black");
        assert_eq!(words.one_of(&SIDES), Err("`white` and `black` exclude each other".to_owned()));
        let mut words = Words::of("green");
        assert_eq!(words.needed("the player", &SIDES), Err("the player is missing: one of white, black".to_owned()));
        assert_eq!(words.end(), Err("`green` is none of the words white, black".to_owned()));
    }
}
