//! Reading sorts: the three sorts of the store and the names that `define-sort` gives them.

use super::error::{ErrorKind, ReadError, Span};
use super::expect::unexpected;
use super::lexer::{Lexer, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::{SortAlias, SortBody, is_reserved, word};
use crate::Sort;

/// An application of a sort name whose arguments are being read.
struct Application {
    alias: SortAlias,
    start: u32,
    /// Where its arguments start in the list of those read.
    base: usize,
}

impl Reader {
    /// Reads a sort.
    pub(super) fn read_sort(&mut self, lexer: &mut Lexer<'_>) -> Result<Sort, ReadError> {
        match self.read_sort_body(lexer, &[])? {
            SortBody::Sort(sort) => Ok(sort),
            SortBody::Param(_) => unreachable!("a parameter of a definition that has none"),
        }
    }

    /// Reads the right-hand side of a sort definition with these parameters.
    pub(super) fn read_sort_body(
        &mut self,
        lexer: &mut Lexer<'_>,
        params: &[Name],
    ) -> Result<SortBody, ReadError> {
        let mut open: Vec<Application> = Vec::new();
        let mut done: Vec<SortBody> = Vec::new();
        loop {
            let token = lexer.next_token();
            let sort = match token.kind {
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = self.symbol_name(lexer, token)?;
                    match params.iter().position(|&param| param == name) {
                        Some(param) => SortBody::Param(param),
                        None => {
                            let alias = self.sort_alias(name, token.span())?;
                            expand(alias, &[], token.span())?
                        }
                    }
                }
                TokenKind::Open => {
                    let head = lexer.next_token();
                    let name = self.head_name(lexer, head)?;
                    if head.kind == TokenKind::Symbol && name == word::INDEXED {
                        let index = lexer.next_token();
                        let message = format!("the sort {} is not supported", lexer.slice(index.span()));
                        return Err(ReadError::new(ErrorKind::Unsupported, index.span(), message));
                    }
                    if head.kind == TokenKind::Symbol && is_reserved(name) {
                        return Err(ReadError::new(ErrorKind::Syntax, head.span(), "expected a sort"));
                    }
                    let alias = self.sort_alias(name, head.span())?;
                    open.push(Application { alias, start: token.start, base: done.len() });
                    continue;
                }
                TokenKind::Close => match open.pop() {
                    Some(Application { alias, start, base }) => {
                        let span = Span::new(start, token.end);
                        if done.len() == base {
                            let message = "a sort in parentheses needs arguments";
                            return Err(ReadError::new(ErrorKind::Syntax, span, message));
                        }
                        let sort = expand(alias, &done[base..], span)?;
                        done.truncate(base);
                        sort
                    }
                    None => return Err(unexpected(lexer, token, "a sort")),
                },
                _ => return Err(unexpected(lexer, token, "a sort")),
            };
            if open.is_empty() {
                if sort == SortBody::Sort(Sort::Int) {
                    self.integers_in_use = true;
                }
                return Ok(sort);
            }
            done.push(sort);
        }
    }

    fn sort_alias(&self, name: Name, span: Span) -> Result<SortAlias, ReadError> {
        self.symbol_table.sort(name).ok_or_else(|| {
            let text = self.symbol_table.text(name);
            match text {
                "Array" | "String" | "RegLan" | "RoundingMode" | "Float16" | "Float32" | "Float64"
                | "Float128" | "BitVec" | "FloatingPoint" | "Seq" | "Set" => {
                    ReadError::new(ErrorKind::Unsupported, span, format!("the sort {text} is not supported"))
                }
                _ => ReadError::new(ErrorKind::Unknown, span, format!("the sort {text} is not declared")),
            }
        })
    }
}

/// The sort name applied to these arguments.
fn expand(alias: SortAlias, args: &[SortBody], span: Span) -> Result<SortBody, ReadError> {
    if alias.arity != args.len() {
        let message = format!("this sort takes {} arguments, not {}", alias.arity, args.len());
        return Err(ReadError::new(ErrorKind::IllSorted, span, message));
    }
    Ok(match alias.body {
        SortBody::Param(param) => args[param],
        sort => sort,
    })
}
