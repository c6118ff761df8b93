//! Commands that are not closed: the mistake is noticed far behind them.

/// What is added to a mistake where the command of this line is not closed.
pub fn missing_parenthesis(line: usize) -> String {
    format!("; is a parenthesis missing in the command of line {line}?")
}

/// Words with which the commands begin that stand in most scripts.
const COMMANDS: [&str; 13] = [
    "assert",
    "check-sat",
    "declare-const",
    "declare-datatypes",
    "declare-fun",
    "declare-rel",
    "declare-var",
    "define-fun",
    "exit",
    "get-model",
    "query",
    "rule",
    "set-",
];

/// The line, counted from 0, of a command that is not closed where another one begins, or the text ends, at this place.
pub fn unclosed_command(text: &str, place: usize) -> Option<usize> {
    let place = (0..=place.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let line_start = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let next = text[line_start..].strip_prefix('(').unwrap_or_default();
    let begins = place <= line_start + 1 && COMMANDS.iter().any(|word| next.starts_with(word));
    if !begins && !text[place..].trim().is_empty() {
        return None;
    }
    let end = if begins { line_start } else { place };
    let (mut depth, mut start, mut until) = (0_usize, 0, None);
    for (at, byte) in text.bytes().enumerate().take(end) {
        match (until, byte) {
            (Some(last), _) if last == byte => until = None,
            (Some(_), _) => {}
            (None, b';') => until = Some(b'\n'),
            (None, b'"' | b'|') => until = Some(byte),
            (None, b'(') => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            (None, b')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    // Within one line there is nothing to look for.
    let found = depth > 0 && text[start..end].contains('\n');
    found.then(|| text[..start].matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_are_not_closed_are_found() {
        let text = "(set-logic HORN)\n(assert (or true ; )))\n  false)\n(check-sat)\n";
        let at = text.find("(check").expect("it is there");
        assert_eq!(unclosed_command(text, at), Some(1));
        assert_eq!(unclosed_command(text, at + 1), Some(1));
        assert_eq!(unclosed_command(text, text.len()), Some(1));
        assert_eq!(unclosed_command(text, 30), None);
        assert_eq!(unclosed_command("(check-sat)\n(check-sat)", 12), None);
        assert_eq!(unclosed_command("(assert\n(or a", 9), None);
        assert_eq!(unclosed_command("", 0), None);
    }
}
