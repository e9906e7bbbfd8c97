//! Sorts ids as people do: `b2` comes before `b10`.

use std::cmp::Ordering;

/// Compares two ids. A run of digits counts as a number.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) else {
            // What differs only in zeros before a number has an order, too.
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (one, other) = (number(&mut left), number(&mut right));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        } else {
            (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            first.cmp(&second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Takes a number from the beginning of a text, without the zeros before it.
fn number<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let mut ids = ["b10", "b2", "a", "b", "b1-2", "b1", "b01", "10", "9", "é"];
        ids.sort_by(|a, b| compare(a, b));
        assert_eq!(ids, ["9", "10", "a", "b", "b01", "b1", "b1-2", "b2", "b10", "é"]);
    }
}
