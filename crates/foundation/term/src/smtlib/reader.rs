//! From tokens to terms, without a tree in between.
//!
//! The reader keeps a stack of open parentheses (frames) and a stack of the terms read so far; a closing
//! parenthesis takes the terms of its frame and leaves one. Nothing recurses, so a term may be nested as deep
//! as memory allows. A conjunction directly inside a conjunction (likewise for disjunctions and sums) leaves
//! its arguments to the outer one, so a long chain of binary applications costs linear time.
//!
//! Definitions with parameters are read once; a use is a substitution of the arguments.

use rustc_hash::FxHashMap;
use shem_base::{Int, Rat};

use super::apply::{
    ArgumentError, apply, apply_constant_array, apply_divisible, apply_function, apply_macro, apply_tester,
};
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, unexpected};
use super::generics::{GenericDatatype, GenericSymbol};
use super::lexer::{Lexer, Token, TokenKind};
use super::matching::{Pattern, close_match};
use super::names::Name;
use super::schemes::Schemes;
use super::sorts::DeclaredFamily;
use super::symbol_table::{Declaration, Meaning, Operator, SymbolTable, is_reserved, word};
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
    Generic(GenericSymbol),
    /// The application of a tester.
    Tester(Symbol),
    /// The application of the tester of a constructor of a parametric datatype.
    GenericTester(GenericSymbol),
    /// A constant array.
    ConstantArray(Sort),
    /// The use of a definition with parameters.
    Macro(u32),
    /// The application of `(_ divisible k)`; `k` is the first term of the frame.
    Divisible,
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
    /// Whether the commands of Horn clauses are known.
    pub(super) horn_commands: bool,
    /// Whether only linear arithmetic is read.
    pub(super) arithmetic_only: bool,
    /// The patterns of the `match`es that are open, and where those of each start.
    pub(super) patterns: Vec<Pattern>,
    pub(super) matches: Vec<usize>,
    /// Sorts with parameters.
    pub(super) schemes: Schemes,
    /// Parametric datatypes, also those that are no longer in force.
    pub(super) generics: Vec<GenericDatatype>,
    pub(super) instances: FxHashMap<InstanceKey, Sort>,
    /// The parametric datatype of each instance.
    pub(super) instance_of: FxHashMap<Sort, u32>,
    /// Instances that have no constructors yet.
    pub(super) pending_instances: Vec<(InstanceKey, Sort)>,
    /// Whether a group of datatypes is being read.
    pub(super) declaring_datatypes: bool,
    /// Declared sorts with parameters, also those that are no longer in force.
    pub(super) declared_families: Vec<DeclaredFamily>,
    pub(super) declared_instances: FxHashMap<InstanceKey, Sort>,
}

/// A parametric datatype or sort, and its arguments.
pub(super) type InstanceKey = (u32, Vec<Sort>);

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
            pending: Vec::new(),
            bound_in: Vec::new(),
            binders: 0,
            variable_scopes: 0,
            label: None,
            numerals_are_real: false,
            integers_in_use: false,
            horn_commands: false,
            arithmetic_only: false,
            patterns: Vec::new(),
            matches: Vec::new(),
            schemes: Schemes::default(),
            generics: Vec::new(),
            instances: FxHashMap::default(),
            instance_of: FxHashMap::default(),
            pending_instances: Vec::new(),
            declaring_datatypes: false,
            declared_families: Vec::new(),
            declared_instances: FxHashMap::default(),
        }
    }

    /// Says whether only linear arithmetic is read. Functions, arrays, datatypes, products and quotients of terms
    /// are errors then, at their places.
    pub fn set_arithmetic_only(&mut self, only: bool) {
        self.arithmetic_only = only;
    }

    /// Forgets all names.
    pub(super) fn reset(&mut self) {
        let before = std::mem::take(self);
        self.horn_commands = before.horn_commands;
        self.arithmetic_only = before.arithmetic_only;
    }

    /// Says whether commands that only make sense for Horn clauses are known: `declare-rel`, `declare-var`,
    /// `rule`, `query` and `get-proof`. Sorts may be declared, then, as long as they are not used.
    pub fn set_horn_commands(&mut self, known: bool) {
        self.horn_commands = known;
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

    /// Reads a term. A `:named` annotation inside it defines its name.
    pub fn read_term(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        Ok(self.read_labelled_term(lexer, store)?.0)
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
        let result = self.run(lexer, store);
        self.frames.clear();
        self.terms.clear();
        self.starts.clear();
        self.pending.clear();
        self.patterns.clear();
        self.matches.clear();
        self.symbol_table.unbind(bindings);
        self.variable_scopes = scopes;
        Ok((result?, self.label.take()))
    }

    fn run(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Term, ReadError> {
        loop {
            let token = lexer.next_token();
            let term = match token.kind {
                TokenKind::Symbol => {
                    let name = self.symbol_table.intern(lexer.slice(token.span()));
                    match self.symbol_table.meaning(name) {
                        Meaning::Term(term) => term,
                        _ => return Err(self.not_a_constant(lexer, name, token)),
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
                        _ => return Err(self.not_a_constant(lexer, name, token)),
                    }
                }
                TokenKind::Numeral | TokenKind::Decimal => self.number(lexer, store, token)?,
                TokenKind::Hexadecimal | TokenKind::Binary | TokenKind::String => {
                    let what = if token.kind == TokenKind::String { "strings" } else { "bit-vectors" };
                    let message = format!("{what} are not supported yet");
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

    /// Handles what follows an open parenthesis. A qualified constant, which has no frame, is given back.
    fn open(
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
    fn close(
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
                Head::LetBindings
                | Head::LetBody
                | Head::Quantifier { .. }
                | Head::Annotation
                | Head::Match
                | Head::MatchCase => unexpected(lexer, token, "a term"),
                _ => ReadError::new(ErrorKind::IllSorted, span, "a function symbol without arguments"),
            });
        }
        let result = match head {
            Head::Operator(operator) => apply(store, operator, &mut self.terms[base..], self.arithmetic_only),
            Head::Splice(_) => {
                self.frames.pop();
                return Ok(None);
            }
            Head::Function(symbol) => apply_function(store, symbol, &mut self.terms[base..]),
            Head::Generic(symbol) => {
                let mut args = self.terms[base..].to_vec();
                self.apply_generic(store, symbol, &mut args, span)
            }
            Head::Tester(tester) => apply_tester(store, tester, &self.terms[base..]),
            Head::GenericTester(symbol) => self.apply_generic_tester(store, symbol, &self.terms[base..]),
            Head::ConstantArray(sort) => apply_constant_array(store, sort, &self.terms[base..]),
            Head::Macro(index) => {
                let definition = self.symbol_table.macro_at(index);
                apply_macro(store, self.symbol_table.text(definition.name), definition, &self.terms[base..])
            }
            Head::Divisible => apply_divisible(store, &self.terms[base..]),
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
    fn complete(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        term: Term,
        start: u32,
    ) -> Result<bool, ReadError> {
        self.push_term(term, start);
        loop {
            let Some(&Frame { head, start, base, mark }) = self.frames.last() else { return Ok(true) };
            let base = base as usize;
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
                    self.read_attributes(lexer, term)?;
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
