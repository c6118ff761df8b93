//! From bytes to tokens.
//!
//! One table classifies each byte; the inner loops run over one class. A token is a kind and two offsets, small
//! enough for registers: nothing is copied, and the meaning of a symbol or a numeral is decided by the reader. A
//! malformed token is one more kind; [`Lexer::mistake`] says what is wrong with it.

use super::error::{ErrorKind, ReadError, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A simple symbol, which may be a reserved word.
    Symbol,
    /// A symbol between vertical bars; the span includes them.
    Quoted,
    /// A keyword; the span includes the colon.
    Keyword,
    /// Decimal digits.
    Numeral,
    /// Decimal digits with a point among them.
    Decimal,
    /// `#x…`
    Hexadecimal,
    /// `#b…`
    Binary,
    /// A string literal; the span includes the quotes.
    String,
    /// Something that is no token; [`Lexer::mistake`] says why.
    Malformed,
    /// The end of the text.
    End,
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Token {
    /// The bytes of the token.
    #[inline]
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// Classes of bytes. A symbol continues over `LETTER` and `DIGIT`.
const OTHER: u8 = 0;
const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 3;
const OPEN: u8 = 4;
const CLOSE: u8 = 5;
const BAR: u8 = 6;
const QUOTE: u8 = 7;
const COLON: u8 = 8;
const HASH: u8 = 9;
const COMMENT: u8 = 10;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'=' | b'<'
            | b'>' | b'.' | b'?' | b'/' => LETTER,
            b'(' => OPEN,
            b')' => CLOSE,
            b'|' => BAR,
            b'"' => QUOTE,
            b':' => COLON,
            b'#' => HASH,
            b';' => COMMENT,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

/// A position in a text that moves from token to token.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Lexer<'t> {
    /// A lexer at the start of `text`. A text of 4 GiB or more is refused, since offsets have 32 bits.
    pub fn new(text: &'t str) -> Result<Lexer<'t>, ReadError> {
        if u32::try_from(text.len()).is_err() {
            let message = "the text is longer than 4 GiB";
            return Err(ReadError::new(ErrorKind::Unsupported, Span::new(0, 0), message));
        }
        Ok(Lexer { text, position: 0 })
    }

    /// The text under the lexer.
    #[inline]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The offset of the byte after the last token.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.position as u32
    }

    /// Goes back to a token that starts at `offset`.
    pub(super) fn rewind(&mut self, offset: u32) {
        self.position = self.position.min(offset as usize);
    }

    /// The text of a span.
    #[inline]
    pub fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    /// The next token, without taking it.
    #[inline]
    pub fn peek(&self) -> Token {
        self.clone().next_token()
    }

    /// Takes the next token; at the end of the text, again and again [`TokenKind::End`].
    #[inline]
    pub fn next_token(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let mut at = self.position;
        loop {
            let start = at;
            let Some(&byte) = bytes.get(at) else { return self.take(TokenKind::End, start, at) };
            at += 1;
            match CLASS[byte as usize] {
                SPACE => {}
                OPEN => return self.take(TokenKind::Open, start, at),
                CLOSE => return self.take(TokenKind::Close, start, at),
                LETTER => return self.take(TokenKind::Symbol, start, end_of_symbol(bytes, at)),
                COMMENT => {
                    while at < bytes.len() && bytes[at] != b'\n' {
                        at += 1;
                    }
                }
                _ => return self.rare_token(start),
            }
        }
    }

    /// Takes the token that starts at `start`, which is none of the most common ones.
    fn rare_token(&mut self, start: usize) -> Token {
        match self.scan(start) {
            Ok((kind, end)) => self.take(kind, start, end),
            Err(mistake) => self.take(TokenKind::Malformed, start, mistake.span.end as usize),
        }
    }

    /// Goes behind the next expression in parentheses; gives its place, or nothing if it does not end well. What is
    /// inside may be malformed otherwise.
    pub fn skip_command(&mut self) -> Option<Span> {
        let start = self.peek().start;
        let mut depth = 0_usize;
        loop {
            match self.next_token().kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.checked_sub(1)?,
                TokenKind::End => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(Span::new(start, self.offset()));
            }
        }
    }

    /// What is wrong with a malformed token.
    #[cold]
    pub fn mistake(&self, token: Token) -> ReadError {
        match self.scan(token.start as usize) {
            Ok(_) => ReadError::new(ErrorKind::Syntax, token.span(), "malformed text"),
            Err(mistake) => mistake,
        }
    }

    /// The kind and the end of the number, quoted symbol, string or keyword that starts here.
    fn scan(&self, start: usize) -> Result<(TokenKind, usize), ReadError> {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        match bytes.get(start).map_or(OTHER, |&byte| CLASS[byte as usize]) {
            DIGIT => {
                at = end_of_digits(bytes, at);
                let mut kind = TokenKind::Numeral;
                if bytes.get(at) == Some(&b'.') {
                    kind = TokenKind::Decimal;
                    at = end_of_digits(bytes, at + 1);
                }
                let whole = end_of_symbol(bytes, at);
                if whole > at || bytes[at - 1] == b'.' {
                    return Err(malformed(start, whole, "malformed number"));
                }
                Ok((kind, at))
            }
            BAR => loop {
                match bytes.get(at) {
                    Some(b'|') => return Ok((TokenKind::Quoted, at + 1)),
                    Some(b'\\') => {
                        return Err(malformed(at, at + 1, "a quoted symbol contains a backslash"));
                    }
                    Some(_) => at += 1,
                    None => return Err(malformed(start, start + 1, "a quoted symbol is not closed")),
                }
            },
            QUOTE => loop {
                match bytes.get(at) {
                    Some(b'"') if bytes.get(at + 1) == Some(&b'"') => at += 2,
                    Some(b'"') => return Ok((TokenKind::String, at + 1)),
                    Some(_) => at += 1,
                    None => return Err(malformed(start, start + 1, "a string is not closed")),
                }
            },
            COLON => {
                at = end_of_symbol(bytes, at);
                if at == start + 1 {
                    return Err(malformed(start, at, "a keyword without a name"));
                }
                Ok((TokenKind::Keyword, at))
            }
            HASH => {
                at = end_of_symbol(bytes, at);
                match &bytes[start + 1..at] {
                    [b'x', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
                        Ok((TokenKind::Hexadecimal, at))
                    }
                    [b'b', digits @ ..]
                        if !digits.is_empty() && digits.iter().all(|d| matches!(d, b'0' | b'1')) =>
                    {
                        Ok((TokenKind::Binary, at))
                    }
                    _ => Err(malformed(start, at, "malformed number")),
                }
            }
            _ => {
                let character = self.text[start..].chars().next().unwrap_or(' ');
                let message = format!("unexpected character {character:?}");
                Err(malformed(start, start + character.len_utf8(), message))
            }
        }
    }

    /// The token from `start` to `end`, where the next one is looked for.
    #[inline]
    fn take(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        self.position = end;
        Token { kind, start: start as u32, end: end as u32 }
    }
}

#[cold]
fn malformed(start: usize, end: usize, message: impl Into<String>) -> ReadError {
    ReadError::new(ErrorKind::Syntax, Span::new(start as u32, end as u32), message)
}

#[inline]
fn end_of_symbol(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && matches!(CLASS[bytes[at] as usize], LETTER | DIGIT) {
        at += 1;
    }
    at
}

#[inline]
fn end_of_digits(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        at += 1;
    }
    at
}

/// The content of a string literal token: without its quotes, `""` as `"`.
pub fn unescape_string(literal: &str) -> String {
    literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(literal).replace("\"\"", "\"")
}

/// `content` as a string literal.
pub fn escape_string(content: &str) -> String {
    format!("\"{}\"", content.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text, separated by blanks, kind before content; or the error with its span.
    fn tokens(text: &str) -> String {
        let mut lexer = Lexer::new(text).unwrap();
        let mut out = Vec::new();
        loop {
            let token = lexer.next_token();
            match token.kind {
                TokenKind::End => return out.join(" "),
                TokenKind::Malformed => {
                    let error = lexer.mistake(token);
                    out.push(format!("error {}..{}: {}", error.span.start, error.span.end, error.message));
                    return out.join(" ");
                }
                kind => out.push(format!("{kind:?}:{}", lexer.slice(token.span()))),
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(tokens(text), expected, "for {text:?}");
    }

    #[test]
    fn tokens_of_every_kind() {
        check("", "");
        check("  ; only a comment", "");
        check("(a)", "Open:( Symbol:a Close:)");
        check("|a b|x", "Quoted:|a b| Symbol:x");
        check("~!@$%^&*_-+=<>.?/", "Symbol:~!@$%^&*_-+=<>.?/");
        check("12 1.50 0.0", "Numeral:12 Decimal:1.50 Decimal:0.0");
        check("#xAf0 #b01", "Hexadecimal:#xAf0 Binary:#b01");
        check("\"a\"\"b\" :key", "String:\"a\"\"b\" Keyword::key");
        check("a;x\nb\r\n;c", "Symbol:a Symbol:b");
        check("\"\n\"", "String:\"\n\"");
        check("|ç|", "Quoted:|ç|");
    }

    #[test]
    fn lexical_mistakes() {
        check("12a", "error 0..3: malformed number");
        check("1.", "error 0..2: malformed number");
        check("1.2.3", "error 0..5: malformed number");
        check("#z", "error 0..2: malformed number");
        check("#b012", "error 0..5: malformed number");
        check("|a", "error 0..1: a quoted symbol is not closed");
        check("|a\\|", "error 2..3: a quoted symbol contains a backslash");
        check("x \"a", "Symbol:x error 2..3: a string is not closed");
        check(": a", "error 0..1: a keyword without a name");
        check("ç", "error 0..2: unexpected character 'ç'");
        check("[", "error 0..1: unexpected character '['");
    }

    #[test]
    fn strings_escape_quotes() {
        assert_eq!(unescape_string("\"a\"\"b\""), "a\"b");
        assert_eq!(escape_string("a\"b"), "\"a\"\"b\"");
        assert_eq!(unescape_string("\"\""), "");
    }
}
