//! From tokens to terms, without a tree in between.
//!
//! The reader keeps a stack of open parentheses (frames) and a stack of the terms read so far; a closing
//! parenthesis takes the terms of its frame and leaves one. Nothing recurses, so a term may be nested as deep
//! as memory allows. A conjunction directly inside a conjunction (likewise for disjunctions and sums) leaves
//! its arguments to the outer one, so a long chain of binary applications costs linear time.
//!
//! Definitions with parameters are read once; a use is a substitution of the arguments.

use shem_base::{Int, Rat};

use super::error::{ErrorKind, ReadError, Span};
use super::expect::unexpected;
use super::frames::Frame;
use super::generics::SortFamilies;
use super::lexer::{Lexer, Token, TokenKind};
use super::matching::Pattern;
use super::names::Name;
use super::script::spanned;
use super::symbol_table::{Declaration, Meaning, SymbolTable, is_reserved};
use crate::bits_as_integers::CommonBits;
use crate::{Sort, Store, Symbol, Term};

/// Reads terms and commands, and knows the names that the script has declared.
///
/// One reader serves one script and one [`Store`]; the text may come in several pieces, each with a
/// [`Lexer`] of its own, as long as no command is cut.
#[derive(Clone, Debug)]
pub struct Reader {
    pub(super) symbol_table: SymbolTable,
    pub(super) frames: Vec<Frame>,
    /// The terms read and not yet used, and where each starts.
    pub(super) terms: Vec<Term>,
    pub(super) starts: Vec<u32>,
    /// The terms whose sort is not known yet, by their places among those.
    pub(super) places: Vec<usize>,
    /// The names of `let` bindings whose terms are not yet bound.
    pub(super) pending: Vec<(Name, Span)>,
    /// For each name, the last `let` or list of variables that bound it: finds repetitions.
    pub(super) bound_in: Vec<u32>,
    pub(super) binders: u32,
    /// How many quantifiers and parameter lists are open.
    pub(super) variable_scopes: usize,
    /// The name given by an annotation around the whole of the last term read.
    pub(super) label: Option<Name>,
    /// Whether the logic has only real numbers, so that a numeral is one.
    pub(super) numerals_are_real: bool,
    /// Whether the sort Int has been read.
    pub(super) integers_in_use: bool,
    /// The patterns of the `match`es that are open, and where those of each start.
    pub(super) patterns: Vec<Pattern>,
    pub(super) matches: Vec<usize>,
    /// Sorts with parameters, and what was made of them.
    pub(super) families: SortFamilies,
    /// Whether bit-vectors are read as they are.
    pub(super) bit_vectors: bool,
    /// What becomes of common bits that integers do not express.
    pub(super) common_bits: CommonBits,
    /// The symbols that `_size` stands for, by the datatypes, if it is read.
    pub(super) constructor_counts: Option<Vec<(Sort, Symbol)>>,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::new()
    }
}

impl Reader {
    /// A reader that knows the symbols of the theories only.
    pub fn new() -> Reader {
        Reader {
            symbol_table: SymbolTable::new(),
            frames: Vec::new(),
            terms: Vec::new(),
            starts: Vec::new(),
            places: Vec::new(),
            pending: Vec::new(),
            bound_in: Vec::new(),
            binders: 0,
            variable_scopes: 0,
            label: None,
            numerals_are_real: false,
            integers_in_use: false,
            patterns: Vec::new(),
            matches: Vec::new(),
            families: SortFamilies::default(),
            bit_vectors: false,
            common_bits: CommonBits::Refused,
            constructor_counts: None,
        }
    }

    /// Forgets all names.
    pub(super) fn reset(&mut self) {
        let before = std::mem::take(self);
        self.bit_vectors = before.bit_vectors;
        self.set_keeps_common_bits(before.common_bits != CommonBits::Refused);
        self.constructor_counts = before.constructor_counts.map(|_| Vec::new());
    }

    /// Reads `(_size t)`, Eldarica's number of constructors in a value, as a function that the caller gives a meaning:
    /// see [`Reader::constructor_counts`].
    pub fn read_constructor_counts(&mut self) {
        self.constructor_counts.get_or_insert_default();
    }

    /// The functions that `_size` has stood for, by their datatypes.
    pub fn constructor_counts(&self) -> &[(Sort, Symbol)] {
        self.constructor_counts.as_deref().unwrap_or_default()
    }

    /// Says whether operations on single bits of two unknown numbers are read as unknown numbers, with what is known of
    /// them. Otherwise they are errors.
    pub fn set_keeps_common_bits(&mut self, keeps: bool) {
        self.common_bits = if keeps { CommonBits::Kept(None) } else { CommonBits::Refused };
    }

    /// Says that the logic has no numbers: symbols and sorts of arithmetic may be declared otherwise.
    pub fn free_arithmetic(&mut self) {
        self.symbol_table.free_arithmetic();
    }

    /// Says whether the logic has real numbers only. Then numerals are reals, until the sort Int is used.
    /// Otherwise they are integers, and become reals beside a real term.
    pub fn set_numerals_are_real(&mut self, real: bool) {
        self.numerals_are_real = real;
    }

    /// Says whether declarations outlive the assertion level on which they are made.
    pub fn set_global_declarations(&mut self, global: bool) {
        self.symbol_table.global_declarations = global;
    }

    /// The characters of a name.
    pub fn name(&self, name: Name) -> &str {
        self.symbol_table.text(name)
    }

    /// The symbols declared and still in force, in the order of their declarations.
    pub fn declarations(&self) -> &[Declaration] {
        self.symbol_table.declarations()
    }

    /// The terms that annotations have named and whose names are still in force, in the order of the annotations.
    pub fn labels(&self) -> &[(Name, Term)] {
        self.symbol_table.labels()
    }

    /// Lets a name that has no meaning stand for a term.
    ///
    /// # Panics
    /// If the name has a meaning already.
    pub fn name_term(&mut self, name: &str, term: Term) {
        let name = self.symbol_table.intern(name);
        assert_eq!(self.symbol_table.meaning(name), Meaning::Nothing, "a new name");
        self.symbol_table.define(name, Meaning::Term(term));
    }

    /// Lets a name that has no meaning stand for a symbol with arguments, of any role but a product.
    ///
    /// # Panics
    /// If the name has a meaning already.
    pub fn name_function(&mut self, name: &str, symbol: Symbol) {
        let name = self.symbol_table.intern(name);
        assert_eq!(self.symbol_table.meaning(name), Meaning::Nothing, "a new name");
        self.symbol_table.define(name, Meaning::Function(symbol));
    }

    /// Reads a term. A `:named` annotation inside it defines its name.
    pub fn read_term(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        Ok(self.read_labelled_term(lexer, store)?.0)
    }

    /// Reads a term of sort Bool.
    pub fn read_formula(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        let (formula, span) = spanned(lexer, |lexer| self.read_term(lexer, store))?;
        self.check_sort(store, formula, Sort::Bool, span)?;
        Ok(formula)
    }

    /// Reads the name of a function with arguments, if that is what comes next.
    pub fn read_function_name(&mut self, lexer: &mut Lexer<'_>) -> Option<Symbol> {
        let name = self.head_name(lexer, lexer.peek()).ok()?;
        let Meaning::Function(symbol) = self.symbol_table.meaning(name) else { return None };
        lexer.next_token();
        Some(symbol)
    }

    /// Reads a term, together with the name that an annotation gives to the whole of it.
    pub(super) fn read_labelled_term(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
    ) -> Result<(Term, Option<Name>), ReadError> {
        self.label = None;
        let bindings = self.symbol_table.binding_count();
        let scopes = self.variable_scopes;
        let start = lexer.peek().start;
        let result = self.run(lexer, store);
        let span = Span::new(start, lexer.offset());
        self.frames.clear();
        self.terms.clear();
        self.starts.clear();
        self.places.clear();
        self.pending.clear();
        self.patterns.clear();
        self.matches.clear();
        self.symbol_table.unbind(bindings);
        self.variable_scopes = scopes;
        Ok((self.settle_bits(store, result?, span)?, self.label.take()))
    }

    pub(super) fn run(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        loop {
            let token = lexer.next_token();
            let term = match token.kind {
                TokenKind::Symbol => {
                    let name = self.symbol_table.intern(lexer.slice(token.span()));
                    match self.symbol_table.meaning(name) {
                        Meaning::Term(term) => term,
                        _ => self.other_constant(lexer, name, token)?,
                    }
                }
                TokenKind::Open => match self.open(lexer, store, token)? {
                    Some(term) => term,
                    None => continue,
                },
                TokenKind::Close => match self.close(lexer, store, token)? {
                    Some((term, start)) => {
                        if self.complete(lexer, store, term, start)? {
                            return Ok(self.terms[0]);
                        }
                        continue;
                    }
                    None => continue,
                },
                TokenKind::Quoted => {
                    let name = self.symbol_name(lexer, token)?;
                    match self.symbol_table.meaning(name) {
                        Meaning::Term(term) => term,
                        _ => self.other_constant(lexer, name, token)?,
                    }
                }
                TokenKind::Numeral | TokenKind::Decimal => self.number(lexer, store, token)?,
                TokenKind::Hexadecimal | TokenKind::Binary => self.bit_literal(lexer, store, token)?,
                TokenKind::String => {
                    let message = "strings are not supported yet";
                    return Err(ReadError::new(ErrorKind::Unsupported, token.span(), message));
                }
                TokenKind::Keyword | TokenKind::Malformed | TokenKind::End => {
                    return Err(unexpected(lexer, token, "a term"));
                }
            };
            if self.complete(lexer, store, term, token.start)? {
                return Ok(self.terms[0]);
            }
        }
    }

    /// The name of a symbol token; an error for any other token and for reserved words.
    #[inline]
    pub(super) fn symbol_name(&mut self, lexer: &Lexer<'_>, token: Token) -> Result<Name, ReadError> {
        let name = self.head_name(lexer, token)?;
        if token.kind == TokenKind::Symbol && is_reserved(name) {
            return Err(unexpected(lexer, token, "a symbol"));
        }
        Ok(name)
    }

    /// The name of a symbol token, which may be a reserved word; an error for any other token.
    #[inline]
    pub(super) fn head_name(&mut self, lexer: &Lexer<'_>, token: Token) -> Result<Name, ReadError> {
        match token.kind {
            TokenKind::Symbol => Ok(self.symbol_table.intern(lexer.slice(token.span()))),
            TokenKind::Quoted => {
                let inside = Span::new(token.start + 1, token.end - 1);
                Ok(self.symbol_table.intern(lexer.slice(inside)))
            }
            _ => Err(unexpected(lexer, token, "a symbol")),
        }
    }

    fn number(&self, lexer: &Lexer<'_>, store: &mut Store, token: Token) -> Result<Term, ReadError> {
        let text = lexer.slice(token.span());
        let malformed = || ReadError::new(ErrorKind::Syntax, token.span(), "malformed number");
        if token.kind == TokenKind::Decimal {
            let value = Rat::parse_decimal(text).map_err(|_| malformed())?;
            return Ok(store.numeral(&value, Sort::Real));
        }
        let real = self.numerals_are_real && !self.integers_in_use;
        let sort = if real { Sort::Real } else { Sort::Int };
        let value = match text.parse::<i64>() {
            Ok(small) => Rat::from(small),
            Err(_) => text.parse::<Int>().map_err(|_| malformed())?.into(),
        };
        Ok(store.numeral(&value, sort))
    }

    /// Fails if the name has a meaning already.
    pub(super) fn check_unused(&self, name: Name, span: Span) -> Result<(), ReadError> {
        let text = self.symbol_table.text(name);
        let message = match self.symbol_table.meaning(name) {
            Meaning::Nothing => return Ok(()),
            Meaning::Operator(_) => format!("{text} is a symbol of the theory"),
            Meaning::Term(_) if matches!(text, "true" | "false") => {
                format!("{text} is a symbol of the theory")
            }
            _ => format!("{text} is declared already"),
        };
        Err(ReadError::new(ErrorKind::Redeclared, span, message))
    }
}
