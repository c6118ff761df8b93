//! Words of messages: how many there are of something, and the nearest of the words that would have been right.
//!
//! The distance is the number of letters to insert, delete, replace or swap with their neighbour. A word is suggested
//! if that is at most a third of its length: what is further away was not meant.

/// So many of something: `1 argument`, `2 arguments`.
///
/// ```
/// assert_eq!(shem_base::counted(1, "argument"), "1 argument");
/// assert_eq!(shem_base::counted(0, "argument"), "0 arguments");
/// ```
pub fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// The words of a suggestion, to be put behind a message: `; did you mean X?`, or nothing.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, known).map_or_else(String::new, |found| format!("; did you mean {found}?"))
}

/// The nearest word, the first if there are several.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|other| (distance(word, other), other));
    let (distance, found) = near.min_by_key(|(distance, _)| *distance)?;
    (distance > 0 && distance <= found.chars().count().div_ceil(3)).then_some(found)
}

/// Longer words are not compared: nobody has typed them.
const LONGEST: usize = 100;

/// The number of changes that make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|word| word.chars().take(LONGEST).collect::<Vec<char>>());
    // Rows of the table of distances between beginnings: two ago, the last one, and this one.
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let changed = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = least;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changes() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("spacer", "spacer", 0),
            ("spaecr", "spacer", 1),
            ("spcer", "spacer", 1),
            ("spacerr", "spacer", 1),
            ("tap", "tpa", 1),
            ("kind", "imc", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["bmc", "kind", "spacer", "split-tpa"];
        assert_eq!(hint("spacr", known), "; did you mean spacer?");
        assert_eq!(hint("split-tap", known), "; did you mean split-tpa?");
        assert_eq!(hint("bcm", known), "; did you mean bmc?");
        assert_eq!(hint("magic", known), "");
        assert_eq!(hint("", known), "");
        assert_eq!(hint("spacer", known), "", "it is right");
    }
}
