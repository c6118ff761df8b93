//! Commands of a script.
//!
//! [`Reader::next_command`] reads one command and does what concerns names: declarations and definitions take
//! effect, `push` and `pop` open and close scopes. What the commands ask of a solver is for the caller to do.

use shem_base::hint;

use super::apply::coerce;
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{abbreviate, expect_close, expect_open, skip_expression, unexpected};
use super::groups::InterpolationGroup;
use super::lexer::{Lexer, Token, TokenKind, unescape_string};
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::{Macro, Meaning};
use crate::reserved::COMMANDS;
use crate::{Sort, Store, Symbol, Term};

/// The greatest number of assertion levels.
const LEVEL_LIMIT: usize = 1_000_000;

/// A keyword with the text of its value, which may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'t> {
    /// The keyword with its colon.
    pub keyword: &'t str,
    /// The value as written: a constant, a symbol or an expression in parentheses.
    pub value: &'t str,
    /// Where the value stands; the keyword if there is no value.
    pub span: Span,
}

/// A term together with the text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTerm<'t> {
    /// The term.
    pub term: Term,
    /// The text.
    pub text: &'t str,
}

/// A command, after its declarations have taken effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'t> {
    /// `(set-logic …)`
    SetLogic(&'t str),
    /// `(set-option …)`
    SetOption(Attribute<'t>),
    /// `(set-info …)`
    SetInfo(Attribute<'t>),
    /// `(declare-fun …)` or `(declare-const …)`: this symbol was declared.
    Declare(Symbol),
    /// `(define-fun …)`, `(define-const …)`, `(define-sort …)`, `(declare-sort …)`, `(declare-datatypes …)` or a
    /// recursive definition: this name, the first if there are several, was defined.
    Define(Name),
    /// `(assert …)`
    Assert {
        /// The formula.
        formula: Term,
        /// The name that an annotation around the formula gives it.
        name: Option<Name>,
        /// The formula as written.
        text: &'t str,
    },
    /// `(push n)`
    Push(usize),
    /// `(pop n)`; there are as many levels.
    Pop(usize),
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (…))`
    CheckSatAssuming(Vec<NamedTerm<'t>>),
    /// `(get-model)`
    GetModel,
    /// `(get-value (…))`
    GetValue(Vec<NamedTerm<'t>>),
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-interpolants …)`
    GetInterpolants(Vec<InterpolationGroup>),
    /// `(get-qe …)`, or `(get-qe-disjunct …)`: the formula whose quantifiers are to go.
    GetElimination {
        /// The formula.
        formula: Term,
        /// Whether one disjunct of the result is enough.
        disjunct: bool,
    },
    /// `(get-assertions)`
    GetAssertions,
    /// `(get-assignment)`
    GetAssignment,
    /// `(get-proof)`
    GetProof,
    /// `(get-info :keyword)`
    GetInfo(&'t str),
    /// `(get-option :keyword)`
    GetOption(&'t str),
    /// `(echo "…")`, the content of the string.
    Echo(String),
    /// `(reset)`: all names are forgotten. The caller may go on with a new store.
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(exit)`
    Exit,
}

/// Of a command that is known and not supported: why it is not.
fn why_unsupported(command: &str) -> Option<&'static str> {
    Some(match command {
        "declare-sort-parameter" => "",
        "check-sat-assuming-model" => ": assume the values as formulas, with check-sat-assuming",
        "minimize" | "maximize" | "assert-soft" | "get-objectives" => ": there is no optimisation",
        "declare-codatatype" | "declare-codatatypes" => {
            ": the values of a datatype are finite, those of a codatatype need not be"
        }
        _ => return None,
    })
}

impl Reader {
    /// Reads the next command; with it comes its span. `None` at the end of the text.
    pub fn next_command<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<Option<(Command<'t>, Span)>, ReadError> {
        let open = lexer.next_token();
        match open.kind {
            TokenKind::End => return Ok(None),
            TokenKind::Open => {}
            _ => return Err(unexpected(lexer, open, "a command")),
        }
        let word = lexer.next_token();
        if word.kind != TokenKind::Symbol {
            return Err(unexpected(lexer, word, "the name of a command"));
        }
        let command = self.command(lexer, store, word)?;
        let close = expect_close(lexer)?;
        Ok(Some((command, open.span().to(close.span()))))
    }

    /// The command with this name, up to its closing parenthesis.
    fn command<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
        word: Token,
    ) -> Result<Command<'t>, ReadError> {
        Ok(match lexer.slice(word.span()) {
            "assert" => {
                let ((formula, name), text) = spanned(lexer, |lexer| self.read_labelled_term(lexer, store))?;
                self.check_sort(store, formula, Sort::Bool, text)?;
                Command::Assert { formula, name, text: lexer.slice(text) }
            }
            "check-sat" => Command::CheckSat,
            "check-sat-assuming" => {
                let (terms, spans) = self.read_terms(lexer, store)?;
                for (literal, &span) in terms.iter().zip(&spans) {
                    self.check_sort(store, literal.term, Sort::Bool, span)?;
                }
                Command::CheckSatAssuming(terms)
            }
            "push" => {
                let count = read_count(lexer)?;
                check_close(lexer)?;
                if self.symbol_table.level_count() + count > LEVEL_LIMIT {
                    let message = format!("more than {LEVEL_LIMIT} assertion levels");
                    return Err(ReadError::new(ErrorKind::Unsupported, word.span(), message));
                }
                (0..count).for_each(|_| self.symbol_table.push());
                Command::Push(count)
            }
            "pop" => {
                let count = read_count(lexer)?;
                check_close(lexer)?;
                let levels = self.symbol_table.level_count();
                if count > levels {
                    let message = format!("pop of {count} levels where there are {levels}");
                    return Err(ReadError::new(ErrorKind::Mode, word.span(), message));
                }
                (0..count).for_each(|_| self.symbol_table.pop());
                Command::Pop(count)
            }
            "declare-fun" => {
                let (name, _) = self.new_name(lexer)?;
                let args = self.read_sorts(lexer, store)?;
                self.declare(lexer, store, name, &args)?
            }
            "declare-const" => {
                let (name, _) = self.new_name(lexer)?;
                self.declare(lexer, store, name, &[])?
            }
            "define-fun" => self.define(lexer, store, true)?,
            "define-const" => self.define(lexer, store, false)?,
            "define-sort" => self.define_sort(lexer, store)?,
            "declare-sort" => self.declare_sort(lexer, store)?,
            "declare-datatype" => self.declare_datatypes(lexer, store, false)?,
            "declare-datatypes" => self.declare_datatypes(lexer, store, true)?,
            "define-fun-rec" => self.define_recursive(lexer, store)?,
            "define-funs-rec" => self.define_mutually_recursive(lexer, store)?,
            "get-model" => Command::GetModel,
            "get-value" => {
                let (terms, _) = self.read_terms(lexer, store)?;
                if terms.is_empty() {
                    let message = "get-value needs a term";
                    return Err(ReadError::new(ErrorKind::Syntax, word.span(), message));
                }
                Command::GetValue(terms)
            }
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-interpolants" => Command::GetInterpolants(self.read_groups(lexer)?),
            known @ ("get-qe" | "get-qe-disjunct") => {
                let formula = self.read_formula(lexer, store)?;
                Command::GetElimination { formula, disjunct: known == "get-qe-disjunct" }
            }
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "get-proof" => Command::GetProof,
            "get-info" => Command::GetInfo(read_keyword(lexer)?),
            "get-option" => Command::GetOption(read_keyword(lexer)?),
            "set-info" => Command::SetInfo(read_attribute(lexer)?),
            "set-option" => Command::SetOption(read_attribute(lexer)?),
            "set-logic" => {
                let token = lexer.next_token();
                self.symbol_name(lexer, token)?;
                Command::SetLogic(lexer.slice(token.span()).trim_matches('|'))
            }
            "echo" => {
                let token = lexer.next_token();
                if token.kind != TokenKind::String {
                    return Err(unexpected(lexer, token, "a string"));
                }
                Command::Echo(unescape_string(lexer.slice(token.span())))
            }
            "reset" => {
                check_close(lexer)?;
                self.reset();
                Command::Reset
            }
            "reset-assertions" => {
                check_close(lexer)?;
                self.symbol_table.reset_assertions();
                Command::ResetAssertions
            }
            "exit" => Command::Exit,
            other => {
                if let Some(why) = why_unsupported(other) {
                    let message = format!("the command {other} is not supported{why}");
                    return Err(ReadError::new(ErrorKind::Unsupported, word.span(), message));
                }
                let near = hint(other, COMMANDS.into_iter().chain(["get-interpolants"]));
                let message = format!("the command {} is not known{near}", abbreviate(other));
                return Err(ReadError::new(ErrorKind::Syntax, word.span(), message));
            }
        })
    }

    /// Reads a list of terms in parentheses, with their texts and spans.
    fn read_terms<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<(Vec<NamedTerm<'t>>, Vec<Span>), ReadError> {
        expect_open(lexer)?;
        let (mut terms, mut spans) = (Vec::new(), Vec::new());
        while lexer.peek().kind != TokenKind::Close {
            let (term, span) = spanned(lexer, |lexer| self.read_term(lexer, store))?;
            terms.push(NamedTerm { term, text: lexer.slice(span) });
            spans.push(span);
        }
        expect_close(lexer)?;
        Ok((terms, spans))
    }

    pub(super) fn check_sort(
        &self,
        store: &Store,
        term: Term,
        sort: Sort,
        span: Span,
    ) -> Result<(), ReadError> {
        if store.sort(term) == sort {
            return Ok(());
        }
        let (sort, found) = (store.sort_text(sort), store.sort_text(store.sort(term)));
        let message = format!("expected a term of sort {sort}, found one of sort {found}");
        Err(ReadError::new(ErrorKind::IllSorted, span, message))
    }

    /// Reads a name that has no meaning yet.
    pub fn read_new_name(&mut self, lexer: &mut Lexer<'_>) -> Result<Name, ReadError> {
        Ok(self.new_name(lexer)?.0)
    }

    /// The same with its span.
    pub(super) fn new_name(&mut self, lexer: &mut Lexer<'_>) -> Result<(Name, Span), ReadError> {
        let token = lexer.next_token();
        let name = self.symbol_name(lexer, token)?;
        self.check_unused(name, token.span())?;
        Ok((name, token.span()))
    }

    /// Reads a list of sorts.
    pub fn read_sorts(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Vec<Sort>, ReadError> {
        expect_open(lexer)?;
        let mut sorts = Vec::new();
        while lexer.peek().kind != TokenKind::Close {
            sorts.push(self.read_sort(lexer, store)?);
        }
        expect_close(lexer)?;
        Ok(sorts)
    }

    /// The rest of a declaration: the sort of the result.
    fn declare<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
        name: Name,
        args: &[Sort],
    ) -> Result<Command<'t>, ReadError> {
        let result = self.read_sort(lexer, store)?;
        check_close(lexer)?;
        Ok(Command::Declare(self.declare_symbol(store, name, args, result)))
    }

    /// Gives a name without meaning that of a new symbol.
    pub fn declare_symbol(&mut self, store: &mut Store, name: Name, args: &[Sort], result: Sort) -> Symbol {
        let symbol = store.declare(self.symbol_table.text(name), args, result);
        let meaning =
            if args.is_empty() { Meaning::Term(store.var(symbol)) } else { Meaning::Function(symbol) };
        self.symbol_table.declare(name, symbol, meaning);
        symbol
    }

    /// The rest of `define-fun`, or of `define-const`, which has no parameters.
    fn define<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
        parameters: bool,
    ) -> Result<Command<'t>, ReadError> {
        let (name, span) = self.new_name(lexer)?;
        let bindings = self.symbol_table.binding_count();
        let definition = self.read_definition(lexer, store, parameters);
        self.symbol_table.unbind(bindings);
        self.variable_scopes = 0;
        let (params, result, body) = definition?;
        // The body may have used the name for a term of its own.
        self.check_unused(name, span)?;
        if params.is_empty() {
            self.symbol_table.define(name, Meaning::Term(body));
        } else {
            self.symbol_table.define_macro(name, Macro { name, params: params.into(), result, body });
        }
        Ok(Command::Define(name))
    }

    /// The parameters of a definition, its result sort and its body, which is of that sort.
    fn read_definition(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        parameters: bool,
    ) -> Result<(Vec<Term>, Sort, Term), ReadError> {
        let params = if parameters { self.read_parameters(lexer, store)? } else { Vec::new() };
        self.variable_scopes = usize::from(!params.is_empty());
        let sort = self.read_sort(lexer, store)?;
        let (body, span) = spanned(lexer, |lexer| self.read_term(lexer, store))?;
        let body =
            coerce(store, body, sort).map_err(|error| ReadError::new(error.kind, span, error.message))?;
        Ok((params, sort, body))
    }
}

/// Fails unless the command ends here: it must not take effect if it does not.
fn check_close(lexer: &Lexer<'_>) -> Result<(), ReadError> {
    expect_close(&mut lexer.clone()).map(|_| ())
}

/// Runs `read` and gives, with its result, the span from the first token that it took to the last.
pub(super) fn spanned<'t, T>(
    lexer: &mut Lexer<'t>,
    read: impl FnOnce(&mut Lexer<'t>) -> Result<T, ReadError>,
) -> Result<(T, Span), ReadError> {
    let start = lexer.peek().start;
    let value = read(lexer)?;
    Ok((value, Span::new(start, lexer.offset())))
}

/// The number of levels of a `push` or `pop`; one if it is left out, as many solvers allow.
fn read_count(lexer: &mut Lexer<'_>) -> Result<usize, ReadError> {
    if lexer.peek().kind == TokenKind::Close {
        return Ok(1);
    }
    let token = lexer.next_token();
    if token.kind != TokenKind::Numeral {
        return Err(unexpected(lexer, token, "a numeral"));
    }
    Ok(lexer.slice(token.span()).parse().unwrap_or(usize::MAX / 2))
}

fn read_keyword<'t>(lexer: &mut Lexer<'t>) -> Result<&'t str, ReadError> {
    let token = lexer.next_token();
    if token.kind == TokenKind::Keyword {
        Ok(lexer.slice(token.span()))
    } else {
        Err(unexpected(lexer, token, "a keyword"))
    }
}

fn read_attribute<'t>(lexer: &mut Lexer<'t>) -> Result<Attribute<'t>, ReadError> {
    let keyword = read_keyword(lexer)?;
    let end = lexer.offset();
    if lexer.peek().kind == TokenKind::Close {
        return Ok(Attribute { keyword, value: "", span: Span::new(end - keyword.len() as u32, end) });
    }
    let span = skip_expression(lexer)?;
    Ok(Attribute { keyword, value: lexer.slice(span), span })
}
