//! Open parentheses: what each will make of the terms inside it, and what happens when it is closed.

use super::apply::{
    ArgumentError, apply, apply_cardinality, apply_constant_array, apply_divisible, apply_function,
    apply_macro, apply_tester,
};
use super::bitvectors::BitOperation;
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, unexpected};
use super::generics::GenericId;
use super::lexer::{Lexer, Token, TokenKind};
use super::matching::close_match;
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::{Meaning, Operator, is_reserved, word};
use crate::{Sort, Store, Symbol, Term};

/// What an open parenthesis will make of the terms inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The application of a theory symbol.
    Operator(Operator),
    /// An application inside one of the same associative symbol: its arguments go to the outer one.
    Splice(Operator),
    /// The application of a symbol with a signature.
    Function(Symbol),
    /// The application of a constructor or selector of a parametric datatype.
    Generic(GenericId),
    /// The application of a tester.
    Tester(Symbol),
    /// The application of the tester of a constructor of a parametric datatype.
    GenericTester(GenericId),
    /// A constant array.
    ConstantArray(Sort),
    /// The number of constructors in a value, Eldarica's `_size`.
    ConstructorCount,
    /// The use of a definition with parameters.
    Macro(u32),
    /// The application of `(_ divisible k)`; `k` is the first term of the frame.
    Divisible,
    /// The application of `(_ at-most k)` or `(_ at-least k)`; `k` is the first term of the frame.
    Cardinality { at_most: bool },
    /// An operation on bit-vectors.
    Bits(BitOperation),
    /// The list of bindings of a `let`.
    LetBindings,
    /// The body of a `let`.
    LetBody,
    /// The body of a quantifier; the bound variables are the first terms of the frame.
    Quantifier { universal: bool },
    /// `(! term`; attributes follow.
    Annotation,
    /// The term of a `match`.
    Match,
    /// A case of a `match`, whose term is the first of the frame.
    MatchCase,
}

impl Head {
    /// Whether the parenthesis is closed, or another one opened, as soon as a term is complete.
    const fn ends_with_its_term(self) -> bool {
        matches!(
            self,
            Head::LetBindings
                | Head::LetBody
                | Head::Quantifier { .. }
                | Head::Annotation
                | Head::Match
                | Head::MatchCase
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) head: Head,
    /// The offset of the open parenthesis.
    pub(super) start: u32,
    /// How many terms were on the stack when the frame was opened.
    pub(super) base: u32,
    /// `LetBindings`: how many names were pending. `LetBody`, `Quantifier`, `MatchCase`: how many local bindings
    /// there were.
    pub(super) mark: u32,
}

impl Reader {
    /// Handles what follows an open parenthesis. A qualified constant, which has no frame, is given back.
    pub(super) fn open(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        open: Token,
    ) -> Result<Option<Term>, ReadError> {
        let token = lexer.next_token();
        if token.kind == TokenKind::Open {
            self.open_compound_head(lexer, store, open)?;
            return Ok(None);
        }
        let name = match token.kind {
            TokenKind::Symbol | TokenKind::Quoted => self.head_name(lexer, token)?,
            _ => return Err(unexpected(lexer, token, "a function symbol")),
        };
        if token.kind == TokenKind::Symbol && is_reserved(name) {
            return match name {
                word::LET => self.open_let(lexer, open),
                word::FORALL => self.open_quantifier(lexer, store, open, true),
                word::EXISTS => self.open_quantifier(lexer, store, open, false),
                word::ANNOTATION => {
                    self.push_frame(Head::Annotation, open.start, 0);
                    Ok(None)
                }
                word::AS => self.qualified_constant(lexer, store).map(Some),
                word::MATCH => {
                    self.push_frame(Head::Match, open.start, 0);
                    Ok(None)
                }
                word::INDEXED => {
                    let identifier = lexer.next_token();
                    match self.bit_constant(lexer, store, identifier)? {
                        Some(term) => Ok(Some(term)),
                        None => Err(self.foreign_identifier(lexer, token)),
                    }
                }
                _ => Err(self.foreign_identifier(lexer, token)),
            };
        }
        self.open_application(lexer, store, name, token, open.start)?;
        Ok(None)
    }

    pub(super) fn open_application(
        &mut self,
        lexer: &Lexer<'_>,
        store: &Store,
        name: Name,
        token: Token,
        start: u32,
    ) -> Result<(), ReadError> {
        let head = match self.symbol_table.meaning(name) {
            Meaning::Operator(operator @ (Operator::And | Operator::Or | Operator::Add)) => {
                match self.frames.last() {
                    Some(Frame { head: Head::Operator(outer) | Head::Splice(outer), .. })
                        if *outer == operator =>
                    {
                        Head::Splice(operator)
                    }
                    _ => Head::Operator(operator),
                }
            }
            Meaning::Operator(operator) => Head::Operator(operator),
            Meaning::Function(symbol) => Head::Function(symbol),
            Meaning::Generic(symbol) => Head::Generic(symbol),
            Meaning::Macro(index) => Head::Macro(index),
            Meaning::Term(_) => {
                let message = format!("{} takes no arguments", lexer.slice(token.span()));
                return Err(ReadError::new(ErrorKind::IllSorted, token.span(), message));
            }
            Meaning::Recursive => return Err(self.recursive_function(name, token.span())),
            Meaning::Nothing => self.fallback_head(store, name, token.span())?,
        };
        self.push_frame(head, start, 0);
        Ok(())
    }

    /// Handles a closing parenthesis that ends an application. A splice leaves no term.
    pub(super) fn close(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        token: Token,
    ) -> Result<Option<(Term, u32)>, ReadError> {
        let Some(&Frame { head, start, base, .. }) = self.frames.last() else {
            return Err(unexpected(lexer, token, "a term"));
        };
        let base = base as usize;
        let span = Span::new(start, token.end);
        if self.terms.len() == base {
            return Err(match head {
                _ if head.ends_with_its_term() => unexpected(lexer, token, "a term"),
                _ => ReadError::new(ErrorKind::IllSorted, span, "a function symbol without arguments"),
            });
        }
        if self.has_places(base)
            && !matches!(head, Head::Splice(_))
            && !self.fill_places(lexer, store, head, base, span)?
        {
            return Ok(Some((self.keep_place_of_frame(base), start)));
        }
        let result = match head {
            Head::Operator(operator) => apply(store, operator, &mut self.terms[base..]),
            Head::Bits(operation) => operation.apply(store, &self.terms[base..]),
            Head::Splice(_) => {
                self.frames.pop();
                return Ok(None);
            }
            Head::Function(symbol) => apply_function(store, symbol, &mut self.terms[base..]),
            Head::Generic(symbol) => {
                let mut args = self.terms[base..].to_vec();
                match self.apply_generic(store, symbol, &mut args, span) {
                    Ok(None) => return Ok(Some((self.keep_place_of_frame(base), start))),
                    Ok(Some(term)) => Ok(term),
                    Err(error) => Err(error),
                }
            }
            Head::Tester(tester) => apply_tester(store, tester, &self.terms[base..]),
            Head::GenericTester(symbol) => self.apply_generic_tester(store, symbol, &self.terms[base..]),
            Head::ConstantArray(sort) => apply_constant_array(store, sort, &self.terms[base..]),
            Head::ConstructorCount => self.apply_constructor_count(store, base),
            Head::Macro(index) => {
                let definition = self.symbol_table.macro_at(index);
                apply_macro(store, self.symbol_table.text(definition.name), definition, &self.terms[base..])
            }
            Head::Divisible => apply_divisible(store, &self.terms[base..]),
            Head::Cardinality { at_most } => apply_cardinality(store, at_most, &self.terms[base..]),
            Head::LetBindings
            | Head::LetBody
            | Head::Quantifier { .. }
            | Head::Annotation
            | Head::Match
            | Head::MatchCase => return Err(unexpected(lexer, token, "a term")),
        };
        let term = result.map_err(|error| self.locate(lexer, error, &self.starts[base..], span))?;
        self.frames.pop();
        self.terms.truncate(base);
        self.starts.truncate(base);
        Ok(Some((term, start)))
    }

    /// Adds a complete term and closes the binders and annotations that end with it. Whether it was the last.
    #[inline]
    pub(super) fn complete(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        term: Term,
        start: u32,
    ) -> Result<bool, ReadError> {
        self.push_term(term, start);
        match self.frames.last() {
            // By far the most frequent: one more argument.
            Some(Frame { head: Head::Operator(_) | Head::Splice(_) | Head::Function(_), .. }) => Ok(false),
            _ => self.close_binders(lexer, store),
        }
    }

    fn close_binders(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<bool, ReadError> {
        loop {
            let Some(&Frame { head, start, base, mark }) = self.frames.last() else {
                self.fill_last_place(lexer, store)?;
                return Ok(true);
            };
            let base = base as usize;
            if head.ends_with_its_term() {
                self.fill_last_place(lexer, store)?;
            }
            let term = match head {
                Head::LetBindings => {
                    expect_close(lexer)?;
                    let token = lexer.next_token();
                    match token.kind {
                        TokenKind::Open => self.binding_name(lexer)?,
                        TokenKind::Close => self.enter_let_body(base, mark as usize)?,
                        _ => return Err(unexpected(lexer, token, "a binding or a closing parenthesis")),
                    }
                    return Ok(false);
                }
                Head::LetBody => {
                    expect_close(lexer)?;
                    self.symbol_table.unbind(mark as usize);
                    self.terms[base]
                }
                Head::Quantifier { universal } => {
                    expect_close(lexer)?;
                    self.symbol_table.unbind(mark as usize);
                    self.variable_scopes -= 1;
                    let (variables, body) = self.terms[base..].split_at(self.terms.len() - base - 1);
                    let body = body[0];
                    if store.sort(body) != Sort::Bool {
                        let error =
                            ArgumentError::sort(store, Some(variables.len()), "Bool", store.sort(body));
                        let span = Span::new(start, lexer.offset());
                        return Err(self.locate(lexer, error, &self.starts[base..], span));
                    }
                    if universal { store.forall(variables, body) } else { store.exists(variables, body) }
                }
                Head::Annotation => {
                    let term = self.terms[base];
                    self.read_attributes(lexer, store, term)?;
                    term
                }
                Head::Match => {
                    let span = Span::new(self.starts[base], lexer.offset());
                    let bindings = self.symbol_table.binding_count() as u32;
                    let pattern = self.open_cases(lexer, store, self.terms[base], span)?;
                    self.matches.push(self.patterns.len());
                    self.patterns.push(pattern);
                    if let Some(frame) = self.frames.last_mut() {
                        frame.head = Head::MatchCase;
                        frame.mark = bindings;
                    }
                    return Ok(false);
                }
                Head::MatchCase => {
                    expect_close(lexer)?;
                    self.symbol_table.unbind(mark as usize);
                    let token = lexer.next_token();
                    match token.kind {
                        TokenKind::Open => {
                            let pattern = self.read_pattern(lexer, store, self.terms[base])?;
                            self.patterns.push(pattern);
                            return Ok(false);
                        }
                        TokenKind::Close => {}
                        _ => return Err(unexpected(lexer, token, "a case or a closing parenthesis")),
                    }
                    let close = expect_close(lexer)?;
                    let first = self.matches.pop().unwrap_or(0);
                    let result = close_match(store, &mut self.terms[base..], &self.patterns[first..]);
                    self.patterns.truncate(first);
                    let span = Span::new(start, close.end);
                    result.map_err(|error| self.locate(lexer, error, &self.starts[base..], span))?
                }
                _ => return Ok(false),
            };
            self.frames.pop();
            self.terms.truncate(base);
            self.starts.truncate(base);
            self.push_term(term, start);
        }
    }

    #[inline]
    pub(super) fn push_frame(&mut self, head: Head, start: u32, mark: u32) {
        self.frames.push(Frame { head, start, base: self.terms.len() as u32, mark });
    }

    #[inline]
    pub(super) fn push_term(&mut self, term: Term, start: u32) {
        self.terms.push(term);
        self.starts.push(start);
    }
}
