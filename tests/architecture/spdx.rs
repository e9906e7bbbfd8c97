//! SPDX licence expressions: whether a crate may be used if these licences are allowed.

/// Whether the licences in `allowed` satisfy `expression`. `/` is an old form of OR. An expression that cannot be parsed is refused.
pub(crate) fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.alternatives() == Some(true) && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn skip_word(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn alternatives(&mut self) -> Option<bool> {
        let mut met = self.conjunction()?;
        while self.skip_word("OR") {
            met |= self.conjunction()?;
        }
        Some(met)
    }

    fn conjunction(&mut self) -> Option<bool> {
        let mut met = self.operand()?;
        while self.skip_word("AND") {
            met &= self.operand()?;
        }
        Some(met)
    }

    fn operand(&mut self) -> Option<bool> {
        if self.skip_word("(") {
            let met = self.alternatives()?;
            return self.skip_word(")").then_some(met);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        let mut licence = name.to_string();
        if self.skip_word("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            licence = format!("{licence} WITH {exception}");
        }
        Some(self.allowed.contains(&licence))
    }
}

#[test]
fn licence_expressions_are_evaluated() {
    let allowed = ["MIT".to_string(), "Unicode-3.0".to_string()];
    for (expression, verdict) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND Zlib", false),
        ("Apache-2.0", false),
        ("MIT AND Apache-2.0", false),
        ("MIT WITH Something", false),
        ("(MIT", false),
        ("MIT MIT", false),
        ("MIT OR", false),
        ("", false),
    ] {
        assert_eq!(permits(expression, &allowed), verdict, "{expression}");
    }
}
