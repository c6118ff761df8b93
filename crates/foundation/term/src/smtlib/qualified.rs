//! Identifiers that are not a single symbol: `(_ is C)`, `(_ divisible k)`, `(as C sort)`, `(as const sort)`; and
//! symbols that have a meaning only if the script gives them no other.

use shem_base::Int;

use super::bitvectors::BitOperation;
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, unexpected};
use super::frames::Head;
use super::generics::{GenericConstructor, GenericId};
use super::lexer::{Lexer, Token, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::{Meaning, Operator, word};
use crate::{Role, Sort, Store, Symbol, Term};

impl Reader {
    /// An application whose head is itself in parentheses, after the second of them.
    pub(super) fn open_compound_head(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        open: Token,
    ) -> Result<(), ReadError> {
        let token = lexer.next_token();
        match self.head_name(lexer, token)? {
            word::INDEXED if token.kind == TokenKind::Symbol => {
                let identifier = lexer.next_token();
                let name = self.symbol_name(lexer, identifier)?;
                match self.symbol_table.text(name) {
                    "divisible" => self.open_numbered(lexer, store, open, Head::Divisible),
                    word @ ("at-most" | "at-least") => {
                        let at_most = word == "at-most";
                        self.open_numbered(lexer, store, open, Head::Cardinality { at_most })
                    }
                    "is" => {
                        let token = lexer.next_token();
                        let head = self.read_tester(lexer, store, token)?;
                        expect_close(lexer)?;
                        self.push_frame(head, open.start, 0);
                        Ok(())
                    }
                    _ => match self.bit_operation(lexer, identifier)? {
                        Some(operation) => {
                            self.push_frame(Head::Bits(operation), open.start, 0);
                            Ok(())
                        }
                        None => Err(self.foreign_identifier(lexer, identifier)),
                    },
                }
            }
            word::AS if token.kind == TokenKind::Symbol => self.open_qualified(lexer, store, open, token),
            _ => Err(unexpected(lexer, token, "an indexed or qualified identifier")),
        }
    }

    /// `((_ divisible k)` and the like, after the word.
    fn open_numbered(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        open: Token,
        head: Head,
    ) -> Result<(), ReadError> {
        let index = lexer.next_token();
        if index.kind != TokenKind::Numeral {
            return Err(unexpected(lexer, index, "a numeral"));
        }
        let number: Int =
            lexer.slice(index.span()).parse().map_err(|_| unexpected(lexer, index, "a numeral"))?;
        if matches!(head, Head::Divisible) && !number.is_positive() {
            let message = "divisibility needs a positive number";
            return Err(ReadError::new(ErrorKind::IllSorted, index.span(), message));
        }
        expect_close(lexer)?;
        self.push_frame(head, open.start, 0);
        let number = store.numeral(&number.into(), Sort::Int);
        self.push_term(number, index.start);
        Ok(())
    }

    /// The tester of the constructor with this name.
    fn read_tester(&mut self, lexer: &mut Lexer<'_>, store: &Store, token: Token) -> Result<Head, ReadError> {
        let name = self.symbol_name(lexer, token)?;
        self.tester_of(store, name).ok_or_else(|| {
            let message = format!("{} is no constructor", self.symbol_table.text(name));
            ReadError::new(ErrorKind::Unknown, token.span(), message)
        })
    }

    /// The tester of the constructor with this name, if it is one.
    fn tester_of(&self, store: &Store, name: Name) -> Option<Head> {
        let of_symbol = |symbol: Symbol| match store.role(symbol) {
            Role::Constructor { .. } => Some(Head::Tester(store.constructor(symbol).tester)),
            _ => None,
        };
        match self.symbol_table.meaning(name) {
            Meaning::Function(symbol) => of_symbol(symbol),
            Meaning::Term(term) => match store.as_app(term) {
                Some((symbol, _, [])) => of_symbol(symbol),
                _ => None,
            },
            Meaning::Generic(symbol) if self.families.symbol(symbol).field.is_none() => {
                Some(Head::GenericTester(symbol))
            }
            _ => None,
        }
    }

    /// What a symbol without a meaning is at the head of an application: an operator on arrays, a tester in the
    /// form `is-C`, or an error.
    #[cold]
    pub(super) fn fallback_head(&mut self, store: &Store, name: Name, span: Span) -> Result<Head, ReadError> {
        let text = self.symbol_table.text(name);
        if let Some(operator) = Operator::declarable(text) {
            return Ok(Head::Operator(operator));
        }
        if let Some(operation) = BitOperation::named(text) {
            return Ok(Head::Bits(operation));
        }
        if text == "_size" && self.constructor_counts.is_some() {
            return Ok(Head::ConstructorCount);
        }
        if let Some(constructor) = text.strip_prefix("is-") {
            let constructor = constructor.to_owned();
            let constructor = self.symbol_table.intern(&constructor);
            if let Some(head) = self.tester_of(store, constructor) {
                return Ok(head);
            }
        }
        Err(self.unknown_symbol(name, span))
    }

    /// `((as f sort)`, after the `as`.
    fn open_qualified(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        open: Token,
        head: Token,
    ) -> Result<(), ReadError> {
        let identifier = lexer.next_token();
        let name = self.symbol_name(lexer, identifier)?;
        let (result, span) = super::script::spanned(lexer, |lexer| self.read_sort(lexer, store))?;
        expect_close(lexer)?;
        let declared = match self.symbol_table.meaning(name) {
            Meaning::Function(symbol) => store.signature(symbol).result,
            Meaning::Macro(index) => self.symbol_table.macro_at(index).result,
            Meaning::Generic(symbol) => {
                let constructor = self.qualified_constructor(store, symbol, result);
                let constructor = constructor.ok_or_else(|| self.wrong_sort(store, name, result, span))?;
                self.push_frame(Head::Function(constructor), open.start, 0);
                return Ok(());
            }
            Meaning::Nothing if self.symbol_table.text(name) == "const" => {
                if store.array_parts(result).is_none() {
                    return Err(self.wrong_sort(store, name, result, span));
                }
                self.push_frame(Head::ConstantArray(result), open.start, 0);
                return Ok(());
            }
            _ => result,
        };
        self.check_qualification(store, declared, result, Span::new(head.start, lexer.offset()))?;
        self.open_application(lexer, store, name, identifier, open.start)
    }

    /// `(as x sort)`, after the `as`.
    pub(super) fn qualified_constant(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
    ) -> Result<Term, ReadError> {
        let token = lexer.next_token();
        let name = self.symbol_name(lexer, token)?;
        let (sort, span) = super::script::spanned(lexer, |lexer| self.read_sort(lexer, store))?;
        expect_close(lexer)?;
        match self.symbol_table.meaning(name) {
            Meaning::Term(term) => {
                self.check_qualification(store, store.sort(term), sort, token.span())?;
                Ok(term)
            }
            Meaning::Generic(symbol) if self.is_constant(symbol) => {
                match self.qualified_constructor(store, symbol, sort) {
                    Some(constructor) => Ok(store.construct(constructor, &[])),
                    None => Err(self.wrong_sort(store, name, sort, span)),
                }
            }
            _ => Err(self.not_a_constant(lexer, name, token)),
        }
    }

    /// A symbol that stands where a term does and is none by itself: a constructor without fields of a parametric
    /// datatype, for which a place is kept.
    #[cold]
    pub(super) fn other_constant(
        &mut self,
        lexer: &Lexer<'_>,
        name: Name,
        token: Token,
    ) -> Result<Term, ReadError> {
        match self.symbol_table.meaning(name) {
            Meaning::Generic(symbol) if self.is_constant(symbol) => Ok(self.keep_place()),
            _ => Err(self.not_a_constant(lexer, name, token)),
        }
    }

    /// Whether the symbol is a constructor without fields.
    pub(super) fn is_constant(&self, symbol: GenericId) -> bool {
        let symbol = self.families.symbol(symbol);
        let datatype = &self.families.datatypes[symbol.datatype as usize];
        let fields = |constructor: &GenericConstructor| constructor.fields.is_empty();
        symbol.field.is_none() && datatype.constructors.get(symbol.constructor as usize).is_some_and(fields)
    }

    /// The error for a symbol that is qualified with a sort that is not its own.
    pub(super) fn wrong_sort(&self, store: &Store, name: Name, sort: Sort, span: Span) -> ReadError {
        let (text, sort) = (self.symbol_table.text(name), store.sort_text(sort));
        ReadError::new(ErrorKind::IllSorted, span, format!("{text} makes no value of sort {sort}"))
    }

    fn check_qualification(
        &self,
        store: &Store,
        declared: Sort,
        asked: Sort,
        span: Span,
    ) -> Result<(), ReadError> {
        if declared == asked {
            return Ok(());
        }
        let (declared, asked) = (store.sort_text(declared), store.sort_text(asked));
        let message = format!("this symbol has sort {declared}, not {asked}");
        Err(ReadError::new(ErrorKind::IllSorted, span, message))
    }
}
