//! What the reader expects next, and the errors for what it finds instead.

use shem_base::hint;

use super::apply::ArgumentError;
use super::bitvectors::BitOperation;
use super::error::{ErrorKind, ReadError, Span};
use super::lexer::{Lexer, Token, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::{Meaning, is_reserved};

impl Reader {
    /// The error for a symbol that stands where a term does but is none.
    #[cold]
    pub(super) fn not_a_constant(&self, lexer: &Lexer<'_>, name: Name, token: Token) -> ReadError {
        if token.kind == TokenKind::Symbol && is_reserved(name) {
            return unexpected(lexer, token, "a term");
        }
        match self.symbol_table.meaning(name) {
            Meaning::Nothing => self.unknown_symbol(name, token.span()),
            Meaning::Recursive => self.recursive_function(name, token.span()),
            _ => {
                let message = format!("{} needs arguments", self.symbol_table.text(name));
                ReadError::new(ErrorKind::IllSorted, token.span(), message)
            }
        }
    }

    #[cold]
    pub(super) fn unknown_symbol(&self, name: Name, span: Span) -> ReadError {
        let text = abbreviate(self.symbol_table.text(name));
        let message = match text.as_str() {
            word if BitOperation::named(word).is_some() && self.bit_vectors => {
                format!("the operation {text} takes arguments, and indices if it has any")
            }
            word if BitOperation::named(word).is_some() => {
                let message =
                    format!("the symbol {text} is not declared (bit-vectors are not supported yet)");
                return ReadError::new(ErrorKind::Unsupported, span, message);
            }
            // Short names differ by a letter from too many others.
            word if word.len() > 2 => {
                let known = self.symbol_table.known_names().filter(|name| name.len() > 2);
                format!("the symbol {text} is not declared{}", hint(word, known))
            }
            _ => format!("the symbol {text} is not declared"),
        };
        ReadError::new(ErrorKind::Unknown, span, message)
    }

    /// The error for the use of a recursive definition.
    #[cold]
    pub(super) fn recursive_function(&self, name: Name, span: Span) -> ReadError {
        let text = abbreviate(self.symbol_table.text(name));
        let message = format!("the recursive function {text} is not supported yet");
        ReadError::new(ErrorKind::Unsupported, span, message)
    }

    /// The error for an identifier of a theory or a construct that is not supported.
    #[cold]
    pub(super) fn foreign_identifier(&self, lexer: &Lexer<'_>, token: Token) -> ReadError {
        let message = match lexer.slice(token.span()) {
            "_" => "this indexed identifier is not supported yet".to_owned(),
            text => format!("{} is not supported yet", abbreviate(text)),
        };
        ReadError::new(ErrorKind::Unsupported, token.span(), message)
    }

    /// The error of an application, with its position in the text.
    #[cold]
    pub(super) fn locate(
        &self,
        lexer: &Lexer<'_>,
        error: ArgumentError,
        starts: &[u32],
        whole: Span,
    ) -> ReadError {
        let span = match error.argument.and_then(|argument| starts.get(argument)) {
            Some(&start) => expression_at(lexer, start).unwrap_or(whole),
            None => whole,
        };
        ReadError::new(error.kind, span, error.message)
    }
}

/// Takes an open parenthesis.
pub(super) fn expect_open(lexer: &mut Lexer<'_>) -> Result<Token, ReadError> {
    let token = lexer.next_token();
    if token.kind == TokenKind::Open {
        Ok(token)
    } else {
        Err(unexpected(lexer, token, "an open parenthesis"))
    }
}

/// Takes a closing parenthesis.
#[inline]
pub fn expect_close(lexer: &mut Lexer<'_>) -> Result<Token, ReadError> {
    let token = lexer.next_token();
    if token.kind == TokenKind::Close {
        Ok(token)
    } else {
        Err(unexpected(lexer, token, "a closing parenthesis"))
    }
}

/// Takes one token, or everything from a parenthesis to the one that closes it.
pub fn skip_expression(lexer: &mut Lexer<'_>) -> Result<Span, ReadError> {
    let first = lexer.next_token();
    if matches!(first.kind, TokenKind::Close | TokenKind::End | TokenKind::Malformed) {
        return Err(unexpected(lexer, first, "an expression"));
    }
    let mut last = first;
    let mut depth = usize::from(first.kind == TokenKind::Open);
    while depth > 0 {
        last = lexer.next_token();
        match last.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::End | TokenKind::Malformed => {
                return Err(unexpected(lexer, last, "a closing parenthesis"));
            }
            _ => {}
        }
    }
    Ok(first.span().to(last.span()))
}

/// The span of the expression that starts at this offset.
fn expression_at(lexer: &Lexer<'_>, start: u32) -> Option<Span> {
    let mut again = lexer.clone();
    again.rewind(start);
    skip_expression(&mut again).ok()
}

/// The error for a token in a place where something else belongs.
#[cold]
pub(super) fn unexpected(lexer: &Lexer<'_>, token: Token, expected: &str) -> ReadError {
    let message = match token.kind {
        TokenKind::Malformed => return lexer.mistake(token),
        TokenKind::End => format!("the text ends where {expected} is expected"),
        _ => format!("expected {expected}, found {}", abbreviate(lexer.slice(token.span()))),
    };
    ReadError::new(ErrorKind::Syntax, token.span(), message)
}

/// At most forty characters of a text, so that a message stays one line.
pub(super) fn abbreviate(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
