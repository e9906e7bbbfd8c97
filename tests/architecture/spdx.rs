//! SPDX licence expressions: may a crate be used if these licences are allowed?

/// Whether `expression` can be met with `allowed`. `/`, an old way to write OR, is read as such; what is not understood is refused.
pub(crate) fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.any() == Some(true) && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn any(&mut self) -> Option<bool> {
        let mut met = self.every()?;
        while self.take("OR") {
            met |= self.every()?;
        }
        Some(met)
    }

    fn every(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.any()?;
            return self.take(")").then_some(met);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        let mut licence = name.to_string();
        if self.take("WITH") {
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
