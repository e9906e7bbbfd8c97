//! Reads the part of JSON that the gateway uses: nested objects, texts, whole numbers, true and false.
//!
//! The reader stores nothing and is not recursive. It returns one member after another, each with its depth.

/// The largest nesting depth of objects. The gateway needs two levels.
pub const MAX_DEPTH: u8 = 3;

/// A text between its quotation marks, with its escapes as received. The escapes have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonText<'a>(&'a str);

impl<'a> JsonText<'a> {
    /// Returns the letters with resolved escapes. Half a pair of surrogates becomes the replacement character.
    pub fn letters(self) -> impl Iterator<Item = char> + 'a {
        let mut rest = self.0.chars();
        core::iter::from_fn(move || {
            let letter = rest.next()?;
            if letter != '\\' {
                return Some(letter);
            }
            Some(match rest.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let high = four(&mut rest);
                    let mut ahead = rest.clone();
                    let pair = (0xd800..0xdc00).contains(&high) && ahead.next() == Some('\\') && ahead.next() == Some('u');
                    let low = if pair { four(&mut ahead) } else { 0 };
                    if (0xdc00..0xe000).contains(&low) {
                        rest = ahead;
                        char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                    } else {
                        char::from_u32(high)
                    }
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                itself => itself,
            })
        })
    }

    /// Returns whether the text equals `text`.
    pub fn is(self, text: &str) -> bool {
        self.letters().eq(text.chars())
    }
}

/// Returns the value of four hexadecimal digits. Their presence has been checked.
fn four(rest: &mut core::str::Chars<'_>) -> u32 {
    (0..4).fold(0, |value, _| value << 4 | rest.next().and_then(|digit| digit.to_digit(16)).unwrap_or(0))
}

/// The value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A text.
    Text(JsonText<'a>),
    /// A whole number.
    Number(i64),
    /// `true` or `false`.
    Bool(bool),
    /// An object. Its members follow with the next depth.
    Object,
    /// `null`, or a number with a fraction, an exponent or too many digits: valid JSON that the gateway does not use.
    Other,
}

/// One member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// 1 in the outermost object.
    pub depth: u8,
    /// Its name.
    pub name: JsonText<'a>,
    /// Its value.
    pub value: Value<'a>,
}

/// The text is not JSON, or not the part of JSON that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJson;

/// The next expected token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// `{` of the outermost object.
    Begin,
    /// A member, or `}` if the object is empty.
    First,
    /// A member.
    Another,
    /// `,` or `}`.
    After,
    /// Only white space.
    End,
}

/// Returns the members of one object in their order, and nothing after an error.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    text: &'a [u8],
    at: usize,
    depth: u8,
    expect: Expect,
}

impl<'a> Members<'a> {
    /// Reads one object.
    pub const fn new(text: &'a [u8]) -> Members<'a> {
        Members { text, at: 0, depth: 0, expect: Expect::Begin }
    }

    fn step(&mut self) -> Result<Option<Member<'a>>, NotJson> {
        loop {
            let next = self.after_space();
            match (self.expect, next) {
                (Expect::End, None) => return Ok(None),
                (Expect::Begin, Some(b'{')) => {
                    self.at += 1;
                    (self.depth, self.expect) = (1, Expect::First);
                }
                (Expect::First | Expect::After, Some(b'}')) => {
                    self.at += 1;
                    self.depth -= 1;
                    self.expect = if self.depth == 0 { Expect::End } else { Expect::After };
                }
                (Expect::After, Some(b',')) => {
                    self.at += 1;
                    self.expect = Expect::Another;
                }
                (Expect::First | Expect::Another, Some(b'"')) => return self.member().map(Some),
                _ => return Err(NotJson),
            }
        }
    }

    fn member(&mut self) -> Result<Member<'a>, NotJson> {
        let depth = self.depth;
        let name = self.quoted()?;
        if self.after_space() != Some(b':') {
            return Err(NotJson);
        }
        self.at += 1;
        self.expect = Expect::After;
        let value = match self.after_space() {
            Some(b'"') => Value::Text(self.quoted()?),
            Some(b'{') if self.depth < MAX_DEPTH => {
                self.at += 1;
                self.depth += 1;
                self.expect = Expect::First;
                Value::Object
            }
            _ => self.word()?,
        };
        Ok(Member { depth, name, value })
    }

    /// Returns the next byte that is not white space, without consuming it.
    fn after_space(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Reads a text with its quotation marks.
    fn quoted(&mut self) -> Result<JsonText<'a>, NotJson> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += match self.text.get(at).ok_or(NotJson)? {
                b'"' => break,
                b'\\' => match self.text.get(at + 1).ok_or(NotJson)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                    b'u' if self.text.get(at + 2..at + 6).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) => 6,
                    _ => return Err(NotJson),
                },
                0x00..=0x1f => return Err(NotJson),
                _ => 1,
            };
        }
        self.at = at + 1;
        core::str::from_utf8(&self.text[start..at]).map(JsonText).map_err(|_| NotJson)
    }

    /// Reads a number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value<'a>, NotJson> {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\n' | b'\r'));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        Ok(match word {
            b"true" => Value::Bool(true),
            b"false" => Value::Bool(false),
            b"null" => Value::Other,
            _ => number(word).ok_or(NotJson)?,
        })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>, NotJson>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().transpose();
        if !matches!(step, Some(Ok(_))) {
            (self.at, self.expect) = (self.text.len(), Expect::End);
        }
        step
    }
}

/// Reads a number in JSON's form; `None` if it is no number.
fn number(word: &[u8]) -> Option<Value<'static>> {
    let unsigned = word.strip_prefix(b"-").unwrap_or(word);
    let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if whole == 0 || (whole > 1 && unsigned[0] == b'0') {
        return None;
    }
    if whole == unsigned.len() {
        let text = core::str::from_utf8(word).ok()?;
        return Some(text.parse().map_or(Value::Other, Value::Number));
    }
    // The value is not used here, so only its form is checked.
    let rest = &unsigned[whole..];
    let last = rest.last().is_some_and(u8::is_ascii_digit);
    let looks = rest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    (last && looks && matches!(rest[0], b'.' | b'e' | b'E')).then_some(Value::Other)
}
