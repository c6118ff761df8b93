//! The groups of `get-interpolants`.
//!
//! A group is the name of an assertion or `(and name …)`. Groups in a row are a path from a leaf of a tree
//! towards its root; a row in parentheses is a subtree of its own, whose last group has the same parent as
//! the group before it: the next one in the outer row. So `A B C` is a path, and in `(A B) (C) D` the groups
//! `B` and `C` are the children of `D`.

use super::error::{ErrorKind, ReadError, Span};
use super::expect::unexpected;
use super::lexer::{Lexer, TokenKind};
use super::names::Name;
use super::reader::Reader;

/// A group of assertions in `get-interpolants`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterpolationGroup {
    /// The names of the assertions, each with its span.
    pub names: Vec<(Name, Span)>,
    /// The index of the first group of the subtree that this one is the root of.
    pub subtree: usize,
}

impl Reader {
    /// Reads groups up to the closing parenthesis of the command, which is left.
    pub(super) fn read_groups(
        &mut self,
        lexer: &mut Lexer<'_>,
    ) -> Result<Vec<InterpolationGroup>, ReadError> {
        let mut groups = Vec::new();
        // Where the rows that are open start.
        let mut rows = vec![0];
        let start = lexer.offset();
        loop {
            let subtree = rows.last().copied().unwrap_or(0);
            match lexer.peek().kind {
                TokenKind::Close if rows.len() == 1 => break,
                TokenKind::Close => {
                    let close = lexer.next_token();
                    if groups.len() == subtree {
                        return Err(unexpected(lexer, close, "a group"));
                    }
                    rows.pop();
                }
                TokenKind::Open => {
                    let open = lexer.next_token();
                    let and = lexer.peek();
                    if and.kind == TokenKind::Symbol && lexer.slice(and.span()) == "and" {
                        lexer.next_token();
                        let mut names = Vec::new();
                        while lexer.peek().kind != TokenKind::Close {
                            let token = lexer.next_token();
                            names.push((self.symbol_name(lexer, token)?, token.span()));
                        }
                        let close = lexer.next_token();
                        if names.is_empty() {
                            let message = "a group needs a name";
                            let span = open.span().to(close.span());
                            return Err(ReadError::new(ErrorKind::Syntax, span, message));
                        }
                        groups.push(InterpolationGroup { names, subtree });
                    } else {
                        rows.push(groups.len());
                    }
                }
                _ => {
                    let token = lexer.next_token();
                    let names = vec![(self.symbol_name(lexer, token)?, token.span())];
                    groups.push(InterpolationGroup { names, subtree });
                }
            }
        }
        if groups.len() < 2 || groups.last().is_some_and(|root| root.subtree != 0) {
            let message =
                "get-interpolants needs at least two groups, the last of them outside of parentheses";
            return Err(ReadError::new(ErrorKind::Syntax, Span::new(start, lexer.offset()), message));
        }
        Ok(groups)
    }
}
