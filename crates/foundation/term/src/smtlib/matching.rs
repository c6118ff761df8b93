//! `match`: the patterns and what becomes of the whole.
//!
//! A variable of a pattern stands for the selector applied to the term that is matched, so a `match` is a chain of
//! conditionals over testers.

use super::apply::{ArgumentError, shifted, unify};
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_open, unexpected};
use super::lexer::{Lexer, Token, TokenKind};
use super::reader::Reader;
use super::symbol_table::Meaning;
use crate::{DatatypeId, Role, Store, Symbol, Term};
use shem_base::counted;

/// What a pattern covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The values of a constructor, by its position.
    Constructor(usize),
    /// All values.
    Any,
}

impl Reader {
    /// The start of the cases, after the term that is matched; up to and including the first pattern.
    pub(super) fn open_cases(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        scrutinee: Term,
        span: Span,
    ) -> Result<Pattern, ReadError> {
        if !store.sort(scrutinee).is_datatype() {
            let found = store.sort_text(store.sort(scrutinee));
            let message = format!("expected a term of a datatype, found one of sort {found}");
            return Err(ReadError::new(ErrorKind::IllSorted, span, message));
        }
        expect_open(lexer)?;
        expect_open(lexer)?;
        self.read_pattern(lexer, store, scrutinee)
    }

    /// Reads a pattern and binds its variables.
    pub(super) fn read_pattern(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        scrutinee: Term,
    ) -> Result<Pattern, ReadError> {
        let datatype = store.sort(scrutinee).as_datatype().expect("only terms of datatypes are matched");
        let token = lexer.next_token();
        self.binders += 1;
        if token.kind != TokenKind::Open {
            if is_wildcard(lexer, token) {
                return Ok(Pattern::Any);
            }
            let name = self.symbol_name(lexer, token)?;
            if let Some(index) = find_constructor(store, datatype, self.symbol_table.text(name)) {
                self.check_pattern_arity(store, datatype, index, 0, token.span())?;
                return Ok(Pattern::Constructor(index));
            }
            if self.is_constructor(store, self.symbol_table.meaning(name)) {
                return Err(self.foreign_constructor(store, datatype, token, lexer));
            }
            self.symbol_table.bind(name, Meaning::Term(scrutinee));
            return Ok(Pattern::Any);
        }
        let head = lexer.next_token();
        let name = self.symbol_name(lexer, head)?;
        let Some(index) = find_constructor(store, datatype, self.symbol_table.text(name)) else {
            return Err(self.foreign_constructor(store, datatype, head, lexer));
        };
        let selectors = store.datatype(datatype).constructors()[index].selectors.clone();
        let mut count = 0;
        loop {
            let variable = lexer.next_token();
            if variable.kind == TokenKind::Close {
                break;
            }
            if let Some(&selector) = selectors.get(count)
                && !is_wildcard(lexer, variable)
            {
                let name = self.symbol_name(lexer, variable)?;
                self.check_repetition(name, variable.span())?;
                let field = store.select_field(selector, scrutinee);
                self.symbol_table.bind(name, Meaning::Term(field));
            } else if !matches!(variable.kind, TokenKind::Symbol | TokenKind::Quoted) {
                return Err(unexpected(lexer, variable, "a variable"));
            }
            count += 1;
        }
        let span = Span::new(token.start, lexer.offset());
        self.check_pattern_arity(store, datatype, index, count, span)?;
        Ok(Pattern::Constructor(index))
    }

    fn check_pattern_arity(
        &self,
        store: &Store,
        datatype: DatatypeId,
        index: usize,
        found: usize,
        span: Span,
    ) -> Result<(), ReadError> {
        let constructor = &store.datatype(datatype).constructors()[index];
        let expected = constructor.selectors.len();
        if found == expected {
            return Ok(());
        }
        let name = store.name(constructor.symbol);
        let message = format!("{name} takes {}, not {found}", counted(expected, "argument"));
        Err(ReadError::new(ErrorKind::IllSorted, span, message))
    }

    fn foreign_constructor(
        &self,
        store: &Store,
        datatype: DatatypeId,
        token: Token,
        lexer: &Lexer<'_>,
    ) -> ReadError {
        let sort = store.sort_text(datatype.into());
        let message = format!("{} is no constructor of {sort}", lexer.slice(token.span()));
        ReadError::new(ErrorKind::Unknown, token.span(), message)
    }

    /// Whether a name is that of a constructor.
    fn is_constructor(&self, store: &Store, meaning: Meaning) -> bool {
        let is_constructor = |symbol: Symbol| matches!(store.role(symbol), Role::Constructor { .. });
        match meaning {
            Meaning::Function(symbol) => is_constructor(symbol),
            Meaning::Term(term) => {
                store.as_app(term).is_some_and(|(symbol, _, args)| args.is_empty() && is_constructor(symbol))
            }
            Meaning::Generic(symbol) => self.families.symbol(symbol).field.is_none(),
            Meaning::Nothing | Meaning::Operator(_) | Meaning::Macro(_) | Meaning::Recursive => false,
        }
    }
}

/// The term of a `match`: the first of `terms` is the one that is matched, the others are those of the cases.
pub(super) fn close_match(
    store: &mut Store,
    terms: &mut [Term],
    patterns: &[Pattern],
) -> Result<Term, ArgumentError> {
    let scrutinee = terms[0];
    let bodies = &mut terms[1..];
    unify(store, bodies).map_err(|error| shifted(error, 1))?;
    let datatype = store.sort(scrutinee).as_datatype().expect("only terms of datatypes are matched");
    let constructors = store.datatype(datatype).constructors();
    let testers: Vec<Symbol> = constructors.iter().map(|constructor| constructor.tester).collect();
    let mut covered = vec![false; testers.len()];
    let mut cases: Vec<(Option<Symbol>, Term)> = Vec::new();
    for (&pattern, &body) in patterns.iter().zip(bodies.iter()) {
        match pattern {
            _ if covered.iter().all(|&c| c) => break,
            Pattern::Any => {
                covered.fill(true);
                cases.push((None, body));
            }
            Pattern::Constructor(index) => {
                if !std::mem::replace(&mut covered[index], true) {
                    cases.push((Some(testers[index]), body));
                }
            }
        }
    }
    if let Some(missing) = covered.iter().position(|&c| !c) {
        let name = store.name(store.datatype(datatype).constructors()[missing].symbol);
        let message = format!("the match has no case for {name}");
        return Err(ArgumentError::new(ErrorKind::IllSorted, None, message));
    }
    let (_, mut result) = cases.pop().expect("a datatype has a constructor");
    for (tester, body) in cases.into_iter().rev() {
        let condition = tester.map_or(Term::TRUE, |tester| store.test(tester, scrutinee));
        result = store.ite(condition, body, result);
    }
    Ok(result)
}

fn find_constructor(store: &Store, datatype: DatatypeId, name: &str) -> Option<usize> {
    let constructors = store.datatype(datatype).constructors();
    constructors.iter().position(|constructor| store.name(constructor.symbol) == name)
}

/// Whether the token is `_`.
fn is_wildcard(lexer: &Lexer<'_>, token: Token) -> bool {
    token.kind == TokenKind::Symbol && lexer.slice(token.span()) == "_"
}
