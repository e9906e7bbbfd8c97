//! Finds the known word that is nearest to a misspelt word, for error messages.

/// The largest length of a word that is compared, in bytes.
const LONGEST: usize = 64;

/// Returns the one of `words` with the fewest letters to change, add, leave out or swap, if it is near enough.
pub(crate) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase().replace('-', "_");
    let bound = (word.chars().count() / 3).max(1);
    let near = words.map(|other| (distance(&word, &other.replace('-', "_")), other));
    near.filter(|(distance, _)| *distance <= bound).min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

/// The number of letters to change, add, leave out, or swap with their neighbour.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().max(b.len()) > LONGEST {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(from != to)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}
