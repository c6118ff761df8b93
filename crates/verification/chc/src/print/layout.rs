//! Long expressions over several lines.
//!
//! An expression that fits on its line stays there. Otherwise its head stays and each of its arguments gets a line of
//! its own, two columns further in; so does the text of most programs. The values of a `let` come before its body,
//! which is not indented: chains of them would wander out of the page.

/// The columns of a line.
const WIDTH: usize = 120;

/// What is left to write.
enum Job {
    /// The tokens from here up to there on the current line.
    Flat(usize, usize),
    /// The expression that begins here, in a line of its own, or after what stands there.
    Expression {
        at: usize,
        indent: usize,
        new_line: bool,
    },
    Text(&'static str),
}

/// An expression with line breaks, which begins in this column. The text has single spaces between its parts.
pub(super) fn lay_out(text: &str, column: usize) -> String {
    let tokens = tokens(text);
    let ends = ends(&tokens);
    let start_of = |at: usize| tokens[at].as_ptr() as usize - text.as_ptr() as usize;
    // The text from one token up to, and without, another.
    let slice = |from: usize, to: usize| {
        let end = tokens.get(to).map_or(text.len(), |_| start_of(to));
        text[start_of(from)..end].trim_end()
    };
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut used = column;
    let mut jobs = vec![Job::Expression { at: 0, indent: column, new_line: false }];
    while let Some(job) = jobs.pop() {
        match job {
            Job::Text(text) => {
                out.push_str(text);
                used += text.len();
            }
            Job::Flat(from, to) => {
                let piece = slice(from, to);
                out.push_str(piece);
                used += piece.chars().count();
            }
            Job::Expression { at, indent, new_line } => {
                if new_line {
                    out.push('\n');
                    out.extend(std::iter::repeat_n(' ', indent));
                    used = indent;
                }
                let end = ends[at];
                if tokens[at] != "(" || used + (slice(at, end).len()) <= WIDTH {
                    jobs.push(Job::Flat(at, end));
                    continue;
                }
                if tokens.get(at + 1) == Some(&"let") {
                    // `(let ((name value))` and then the body.
                    let body = ends[at + 2];
                    jobs.push(Job::Text(")"));
                    jobs.push(Job::Expression { at: body, indent, new_line: true });
                    let value = at + 5;
                    jobs.push(Job::Text("))"));
                    jobs.push(Job::Expression { at: value, indent: indent + 2, new_line: true });
                    jobs.push(Job::Flat(at, value));
                    continue;
                }
                let mut arguments = Vec::new();
                let mut next = ends[at + 1];
                while next + 1 < end {
                    arguments.push(next);
                    next = ends[next];
                }
                jobs.push(Job::Text(")"));
                let inner = indent + 2;
                for &argument in arguments.iter().rev() {
                    jobs.push(Job::Expression { at: argument, indent: inner, new_line: true });
                }
                jobs.push(Job::Flat(at, ends[at + 1]));
            }
        }
    }
    out
}

/// The tokens of a text: parentheses, and what stands between them.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b' ' | b'\n' => continue,
            b'(' | b')' => {}
            quote @ (b'|' | b'"') => {
                while at < bytes.len() && bytes[at] != quote {
                    at += 1;
                }
                at = bytes.len().min(at + 1);
            }
            _ => {
                while at < bytes.len() && !matches!(bytes[at], b' ' | b'\n' | b'(' | b')') {
                    at += 1;
                }
            }
        }
        tokens.push(&text[start..at]);
    }
    tokens
}

/// By token the one after the expression that it begins.
fn ends(tokens: &[&str]) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=tokens.len()).collect();
    let mut open = Vec::new();
    for (at, &token) in tokens.iter().enumerate() {
        match token {
            "(" => open.push(at),
            ")" => {
                if let Some(start) = open.pop() {
                    ends[start] = at + 1;
                }
            }
            _ => {}
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_expressions_are_broken() {
        let short = "(and (<= x0 |a ( b|) (= x1 \"(\"))";
        assert_eq!(lay_out(short, 4), short);
        let member = format!("(<= (+ {}x0) 5)", "x1 ".repeat(20));
        let long = format!(
            "(let ((_let_1 {member})) (let ((_let_2 (or {member} {member}))) (and _let_1 (not _let_2) true)))"
        );
        let found = lay_out(&long, 4);
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "("), long);
        let lines: Vec<&str> = found.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{found}");
        assert_eq!(lines[0], "(let ((_let_1");
        assert_eq!(lines[2], "    (let ((_let_2");
        assert_eq!(lines[3], "      (or");
        assert_eq!(*lines.last().expect("a line"), "    (and _let_1 (not _let_2) true)))");
    }
}
