//! Terms whose sort their place determines: constructors of parametric datatypes without `as`, such as `nil`, where
//! their arguments do not say which instance is meant.
//!
//! For such a term, and for a conditional or an application of a constructor that it leaves open, a place is kept on the
//! stack of terms. When the parenthesis around it is closed, the symbol it is given to or the terms beside it say what
//! sort belongs there, and it is read again as a term of that sort. Where nothing does, the datatype may have been used
//! with one list of sorts only; otherwise it is an error. A term is read again once for all places inside it, and nested
//! places are given their sorts from the outside in.

use super::apply::{apply_function, coerce};
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, skip_expression, unexpected};
use super::frames::Head;
use super::generics::GenericId;
use super::lexer::{Lexer, Token, TokenKind};
use super::reader::Reader;
use super::symbol_table::{Meaning, Operator};
use crate::{Sort, Store, Term};

/// How deep terms without a sort may be nested.
const DEPTH_LIMIT: usize = 500;

/// Stands on the stack of terms where the sort is not known yet.
pub(super) const PLACE: Term = Term::TRUE;

impl Reader {
    /// Whether a frame that starts here has terms without a sort.
    #[inline]
    pub(super) fn has_places(&self, base: usize) -> bool {
        self.places.last().is_some_and(|&place| place >= base)
    }

    /// Keeps a place for the next term.
    pub(super) fn keep_place(&mut self) -> Term {
        self.places.push(self.terms.len());
        PLACE
    }

    /// Keeps a place for what the last frame makes, and closes it.
    pub(super) fn keep_place_of_frame(&mut self, base: usize) -> Term {
        self.frames.pop();
        self.terms.truncate(base);
        self.starts.truncate(base);
        self.keep_place()
    }

    /// Fills the places in a frame that is about to be closed. False if what it makes has no sort yet, either.
    pub(super) fn fill_places(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        head: Head,
        base: usize,
        span: Span,
    ) -> Result<bool, ReadError> {
        let first = self.places.partition_point(|&place| place < base);
        let places = self.places.split_off(first);
        let mut sorts: Vec<Option<Sort>> =
            self.terms[base..].iter().map(|&term| Some(store.sort(term))).collect();
        places.iter().for_each(|place| sorts[place - base] = None);
        let expected: Vec<Option<Sort>> = match head {
            Head::Function(symbol) | Head::Tester(symbol) => {
                store.signature(symbol).args.iter().copied().map(Some).collect()
            }
            Head::Macro(index) => {
                let params = &self.symbol_table.macro_at(index).params;
                params.iter().map(|&param| Some(store.sort(param))).collect()
            }
            Head::Operator(Operator::Equal | Operator::Distinct) => {
                vec![sorts.iter().find_map(|&sort| sort); sorts.len()]
            }
            Head::Operator(Operator::Ite) => {
                let sort = sorts.iter().skip(1).find_map(|&sort| sort);
                if sort.is_none() && sorts.len() == 3 && sorts[0].is_some() {
                    return Ok(false);
                }
                vec![Some(Sort::Bool), sort, sort]
            }
            Head::Operator(Operator::Select | Operator::Store) => {
                let parts = sorts[0].and_then(|sort| store.array_parts(sort));
                vec![None, parts.map(|(index, _)| index), parts.map(|(_, element)| element)]
            }
            Head::ConstantArray(sort) => vec![store.array_parts(sort).map(|(_, element)| element)],
            Head::Generic(id) if self.families.symbol(id).field.is_none() => {
                let Some(sort) = self.sort_of_construction(lexer, store, id, (&sorts, base), span)? else {
                    return Ok(false);
                };
                let constructor = self.qualified_constructor(store, id, sort);
                let constructor = constructor.expect("an instance has the constructors of its datatype");
                store.signature(constructor).args.iter().copied().map(Some).collect()
            }
            _ => Vec::new(),
        };
        for place in places {
            let start = self.starts[place];
            let sort = expected.get(place - base).copied().flatten();
            self.terms[place] = self.fill_place(lexer, store, start, sort)?;
        }
        Ok(true)
    }

    /// Fills the last place if it is the last term: nothing around it says what sort it has.
    pub(super) fn fill_last_place(&mut self, lexer: &Lexer<'_>, store: &mut Store) -> Result<(), ReadError> {
        let last = self.terms.len() - 1;
        if self.places.last() == Some(&last) {
            self.places.pop();
            self.terms[last] = self.fill_place(lexer, store, self.starts[last], None)?;
        }
        Ok(())
    }

    /// The term that starts here as one of this sort, or of the only one that it can have.
    fn fill_place(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        start: u32,
        sort: Option<Sort>,
    ) -> Result<Term, ReadError> {
        let mut again = lexer.clone();
        again.rewind(start);
        match sort.or_else(|| self.only_sort(&again)) {
            Some(sort) => self.read_as(&mut again, store, sort, 0),
            None => Err(self.not_determined(&again)),
        }
    }

    /// The sort of what a constructor makes of arguments of these sorts, if they determine it. An argument that stands
    /// for itself is taken to have the only sort it can have, if that fits the others.
    fn sort_of_construction(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        id: GenericId,
        (sorts, base): (&[Option<Sort>], usize),
        span: Span,
    ) -> Result<Option<Sort>, ReadError> {
        let mut guess = sorts.to_vec();
        for (at, sort) in guess.iter_mut().enumerate().filter(|(_, sort)| sort.is_none()) {
            let mut again = lexer.clone();
            again.rewind(self.starts[base + at]);
            *sort = self.only_sort(&again);
        }
        let symbol = self.families.symbol(id);
        if let Ok(Some(sort)) = self.result_of_constructor(store, symbol, &guess, span) {
            return Ok(Some(sort));
        }
        let result = self.result_of_constructor(store, symbol, sorts, span);
        result.map_err(|error| self.locate(lexer, error, &self.starts[base..], span))
    }

    /// The constructor of a parametric datatype at the beginning of a term, and whether it stands alone.
    fn constructor_at(&mut self, lexer: &Lexer<'_>) -> Option<(GenericId, bool)> {
        let mut again = lexer.clone();
        let first = again.next_token();
        let alone = first.kind != TokenKind::Open;
        let token = if alone { first } else { again.next_token() };
        match self.meaning_at(&again, token)? {
            Meaning::Generic(id) if self.families.symbol(id).field.is_none() => Some((id, alone)),
            _ => None,
        }
    }

    fn meaning_at(&mut self, lexer: &Lexer<'_>, token: Token) -> Option<Meaning> {
        self.head_name(lexer, token).ok().map(|name| self.symbol_table.meaning(name))
    }

    /// The sort of the constructor that comes next, if the script has used its datatype with one list of sorts only.
    fn only_sort(&mut self, lexer: &Lexer<'_>) -> Option<Sort> {
        self.constructor_at(lexer).and_then(|(id, _)| self.only_instance(self.families.symbol(id).datatype))
    }

    /// The error for the term that comes next.
    fn not_determined(&mut self, lexer: &Lexer<'_>) -> ReadError {
        let mut again = lexer.clone();
        let span = skip_expression(&mut again).unwrap_or(lexer.peek().span());
        let message = match self.constructor_at(lexer) {
            Some((_, true)) => {
                let text = lexer.slice(span);
                format!("the sort of {text} is not determined: write (as {text} SORT)")
            }
            Some((id, false)) => {
                let symbol = self.families.symbol(id);
                let datatype = &self.families.datatypes[symbol.datatype as usize];
                let name = self.symbol_table.text(datatype.constructors[symbol.constructor as usize].name);
                format!("the arguments do not determine the sort: write ((as {name} SORT) ...)")
            }
            None => {
                "the sort of this term is not determined: write (as C SORT) for its constructors".to_owned()
            }
        };
        ReadError::new(ErrorKind::IllSorted, span, message)
    }

    /// Reads the next term as one of this sort.
    fn read_as(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        sort: Sort,
        depth: usize,
    ) -> Result<Term, ReadError> {
        if depth == DEPTH_LIMIT {
            return Err(self.not_determined(lexer));
        }
        let start = lexer.peek().start;
        if let Some((id, alone)) = self.constructor_at(lexer) {
            let token = lexer.next_token();
            let token = if alone { token } else { lexer.next_token() };
            let Some(constructor) = self.qualified_constructor(store, id, sort) else {
                let name = self.head_name(lexer, token)?;
                return Err(self.wrong_sort(store, name, sort, token.span()));
            };
            if alone {
                return match self.is_constant(id) {
                    true => Ok(store.construct(constructor, &[])),
                    false => {
                        let name = self.head_name(lexer, token)?;
                        Err(self.not_a_constant(lexer, name, token))
                    }
                };
            }
            let sorts = store.signature(constructor).args.clone();
            let (mut args, mut starts) = (Vec::with_capacity(sorts.len()), Vec::with_capacity(sorts.len()));
            while lexer.peek().kind != TokenKind::Close {
                starts.push(lexer.peek().start);
                args.push(match sorts.get(args.len()) {
                    Some(&sort) => self.read_as(lexer, store, sort, depth + 1)?,
                    None => self.read_inside(lexer, store)?,
                });
            }
            let span = Span::new(start, expect_close(lexer)?.end);
            return apply_function(store, constructor, &mut args)
                .map_err(|error| self.locate(lexer, error, &starts, span));
        }
        let mut head = lexer.clone();
        if head.next_token().kind == TokenKind::Open {
            let token = head.next_token();
            if self.meaning_at(&head, token) == Some(Meaning::Operator(Operator::Ite)) {
                *lexer = head;
                let condition = self.read_as(lexer, store, Sort::Bool, depth + 1)?;
                let left = self.read_as(lexer, store, sort, depth + 1)?;
                let right = self.read_as(lexer, store, sort, depth + 1)?;
                expect_close(lexer)?;
                return Ok(store.ite(condition, left, right));
            }
        }
        let term = self.read_inside(lexer, store)?;
        let span = Span::new(start, lexer.offset());
        coerce(store, term, sort).map_err(|error| self.locate(lexer, error, &[start], span))
    }

    /// Reads a term while others are open.
    fn read_inside(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        if lexer.peek().kind == TokenKind::Close {
            return Err(unexpected(lexer, lexer.peek(), "a term"));
        }
        let frames = std::mem::take(&mut self.frames);
        let terms = std::mem::take(&mut self.terms);
        let starts = std::mem::take(&mut self.starts);
        let places = std::mem::take(&mut self.places);
        let result = self.run(lexer, store);
        (self.frames, self.terms, self.starts, self.places) = (frames, terms, starts, places);
        result
    }
}
