//! Checks one value, from a file or from the environment, against what its key may contain.

use ::config::Value;
use toml::de::DeValue;

use super::schema::Kind;
use super::values::{plain, shown};

/// A value before it is checked.
pub(crate) enum Leaf {
    Switch(bool),
    /// None = beyond 64 bits.
    Number(Option<i64>),
    Text(String),
    Texts(Vec<String>),
    /// A value of a kind that no key accepts, with the name of the kind.
    Other(&'static str),
}

impl Leaf {
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Leaf {
        match value {
            DeValue::Boolean(value) => Leaf::Switch(*value),
            DeValue::Integer(value) => Leaf::Number(i64::from_str_radix(value.as_str(), value.radix()).ok()),
            DeValue::String(value) => Leaf::Text(value.to_string()),
            DeValue::Array(list) => {
                let texts = list.iter().map(|value| value.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map_or(Leaf::Other("a list of other things"), Leaf::Texts)
            }
            DeValue::Float(_) => Leaf::Other("a number with a point"),
            DeValue::Datetime(_) => Leaf::Other("a date or time"),
            DeValue::Table(_) => Leaf::Other("a table"),
        }
    }

    /// Reads the text of a variable for its key; the items of a list are separated by commas.
    pub(crate) fn from_variable(text: &str, kind: &Kind) -> Leaf {
        match kind {
            Kind::Switch => match text {
                "true" => Leaf::Switch(true),
                "false" => Leaf::Switch(false),
                _ => Leaf::Text(text.to_owned()),
            },
            Kind::Number { .. } => match text.parse() {
                Ok(number) => Leaf::Number(Some(number)),
                Err(_) => Leaf::Text(text.to_owned()),
            },
            Kind::Texts(_) | Kind::Paths => {
                Leaf::Texts(text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
            }
            _ => Leaf::Text(text.to_owned()),
        }
    }

    fn kind_name(&self) -> &'static str {
        match self {
            Leaf::Switch(_) => "true or false",
            Leaf::Number(_) => "a number",
            Leaf::Text(_) => "a text",
            Leaf::Texts(_) => "a list",
            Leaf::Other(what) => what,
        }
    }

    /// Returns the checked value for the layers.
    ///
    /// # Errors
    /// What is wrong, and what is expected.
    pub(crate) fn check(self, name: &str, kind: &Kind) -> Result<Value, String> {
        let wanted = kind.wanted(name);
        match (kind, self) {
            (Kind::Switch, Leaf::Switch(value)) => Ok(value.into()),
            (Kind::Number { min, max }, Leaf::Number(number)) => match number {
                Some(number) if (*min..=*max).contains(&number) => Ok(number.into()),
                _ => Err(format!("is out of range: must be {wanted}")),
            },
            (Kind::Text(check), Leaf::Text(text)) => check(&text).map(|()| text.into()),
            (Kind::Path | Kind::Player(_), Leaf::Text(text)) => plain(&text).map(|()| text.into()),
            (Kind::Choice(words), Leaf::Text(text)) if words.contains(&text.as_str()) => Ok(text.into()),
            (Kind::Choice(words), Leaf::Text(text)) => {
                let hint = super::nearest::nearest(&text, words.iter().copied());
                let hint = hint.map(|word| format!("; did you mean \"{word}\"?")).unwrap_or_default();
                Err(format!("{} is not {wanted}{hint}", shown(&text)))
            }
            (Kind::Texts(check), Leaf::Texts(texts)) => {
                texts.iter().try_for_each(|text| check(text))?;
                Ok(texts.into())
            }
            (Kind::Paths, Leaf::Texts(texts)) => {
                texts.iter().try_for_each(|text| plain(text))?;
                Ok(texts.into())
            }
            (_, other) => Err(format!("must be {wanted}, not {}", other.kind_name())),
        }
    }
}
