//! Text in HTML and SVG.
//!
//! Whatever comes from the input goes through [`escape`] before it becomes part of a page. It is safe in elements and in
//! attributes with double quotes.

use std::fmt::Write;

/// A text in which nothing is markup. Control characters, which HTML forbids, become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// Appends a text in which nothing is markup.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
}

/// At most so many characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text, escaped; if it has more characters than this, its beginning, which can be opened.
pub(crate) fn openable(text: &str, most: usize) -> String {
    match text.chars().nth(most) {
        Some(_) => {
            format!("<details><summary>{}</summary>{}</details>", escape(&cut(text, most)), escape(text))
        }
        None => escape(text),
    }
}

/// A number with blanks between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// A coordinate, short.
pub(crate) fn coordinate(x: f64) -> String {
    let mut text = String::new();
    let _ = write!(text, "{x:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A number for people: few digits, no trailing zeros.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let size = x.abs();
    if !(1e-3..1e7).contains(&size) {
        return format!("{x:.1e}");
    }
    let text = if size >= 1000.0 { format!("{x:.0}") } else { format!("{x:.3}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A time for people.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0 s".to_owned(),
        s if s < 0.001 => format!("{:.2} ms", s * 1e3),
        s if s < 0.1 => format!("{:.0} ms", s * 1e3),
        s => format!("{} s", short((s * 100.0).round() / 100.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(escape("<script>\"a\" & 'b'\u{7}"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39; ");
        assert_eq!(cut("αβγ", 2), "αβ…");
        assert_eq!(cut("αβγ", 3), "αβγ");
        assert_eq!(openable("a<b", 3), "a&lt;b");
        assert_eq!(openable("a<bc", 3), "<details><summary>a&lt;b…</summary>a&lt;bc</details>");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((short(0.25), short(1234.5), short(-3.0)), ("0.25".into(), "1234".into(), "-3".into()));
        assert_eq!((duration(0.0126), duration(2.5)), ("13 ms".into(), "2.5 s".into()));
        assert_eq!((coordinate(2.0), coordinate(-1.25)), ("2".into(), "-1.2".into()));
    }
}
