//! Scripts: the commands of an input, up to what is asked of a solver.
//!
//! A [`ScriptReader`] reads command by command, so that a script can be answered as it comes; [`Script::read`] reads a
//! whole text. What a script asks is a [`Request`]; a check carries the system as it stood at that point, which is
//! copied only if the script goes on to change it. A command with a mistake changes nothing: who wants to can go on
//! behind it.
//!
//! In the fixed-point form a query asks whether a predicate can be derived. Here it is one more clause, with
//! the query as its body and falsehood as its head, that holds for this one check: the verdict is that of the
//! system of clauses, *unsat* if the query can be derived.

use std::sync::Arc;

use shem_base::StopToken;
use shem_term::smtlib::{Attribute, Command, ErrorKind, Lexer, ReadError, Reader, Span, TokenKind};
use shem_term::{Sort, Store, Symbol, Term};

use super::clauses::Extractor;
use super::contents::Role;
use super::fixed_point::{Statement, next_statement};
use crate::system::{Predicate, PredicateId, System};

/// A question of a script, or a setting for the answers.
#[derive(Clone, Debug)]
pub enum Request {
    /// `(check-sat)` or `(query …)`: is this system safe?
    Check {
        /// The clauses in force.
        system: Arc<System>,
        /// Where the command is.
        span: Span,
        /// Whether it was asked by `(query …)`, which other solvers answer by the opposite word.
        query: bool,
    },
    /// `(get-model)`
    GetModel,
    /// `(get-proof)`
    GetProof,
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(set-option …)`: an option, with its value as written.
    SetOption {
        /// The keyword with its colon.
        keyword: String,
        /// The value.
        value: String,
        /// Where the value is.
        span: Span,
    },
    /// `(reset)`: options and limits are those of the beginning.
    Reset,
    /// `(echo "…")`, the content of the string.
    Echo(String),
    /// `(get-info :keyword)`
    GetInfo(String),
    /// `(get-option :keyword)`
    GetOption(String),
    /// `(set-info :status …)`: the answer that the next check is to have, as written.
    Status(String),
}

/// A script as read.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What is asked, in order, up to `(exit)` or the end of the text.
    pub requests: Vec<Request>,
    /// The system at the end.
    pub system: Arc<System>,
}

impl Script {
    /// Reads a text. The stop token ends the reading between two commands, which then is an error.
    ///
    /// ```
    /// use shem_base::StopToken;
    /// use shem_chc::{Request, Script};
    /// use shem_term::Store;
    ///
    /// let text = "(set-logic HORN)
    ///     (declare-fun Inv (Int) Bool)
    ///     (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
    ///     (assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 1))) (Inv y))))
    ///     (assert (forall ((x Int)) (=> (and (Inv x) (>= x 1)) false)))
    ///     (check-sat)";
    /// let script = Script::read(&mut Store::new(), text, &StopToken::new()).unwrap();
    /// let [Request::Check { system, .. }] = &script.requests[..] else { panic!("one check") };
    /// assert_eq!((system.predicates.len(), system.clauses.len()), (1, 3));
    /// ```
    pub fn read(store: &mut Store, text: &str, stop: &StopToken) -> Result<Script, ReadError> {
        let mut reader = ScriptReader::new();
        let mut lexer = Lexer::new(text)?;
        let mut requests = Vec::new();
        while let Some((effect, span)) = reader.next_effect(store, &mut lexer)? {
            if stop.is_stopped() {
                return Err(ReadError::new(ErrorKind::Unsupported, span, "the reading was stopped"));
            }
            match effect {
                Effect::Done => {}
                Effect::Request(request) => requests.push(request),
                Effect::Exit => break,
            }
        }
        reader.finish(store)?;
        Ok(Script { requests, system: reader.system })
    }

    /// The system of the first check, or the one at the end if there is no check.
    pub fn first_system(&self) -> &Arc<System> {
        let first = self.requests.iter().find_map(|request| match request {
            Request::Check { system, .. } => Some(system),
            _ => None,
        });
        first.unwrap_or(&self.system)
    }
}

/// What a command came to.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It has taken effect, and nothing is to be answered.
    Done,
    /// It asks something, or sets something for the answers.
    Request(Request),
    /// It was `(exit)`.
    Exit,
}

/// Declarations of datatypes that name sorts which are declared after them. Programs that sort commands write
/// such scripts, and other solvers read them; the standard does not allow it.
#[derive(Clone, Debug, Default)]
struct Postponed {
    /// The text of each, and what was wrong with it.
    declarations: Vec<(Box<str>, ReadError)>,
}

/// How many declarations are postponed at most: each may have to be tried for each other.
const POSTPONED_LIMIT: usize = 500;

impl Postponed {
    fn is_empty(&self) -> bool {
        self.declarations.is_empty()
    }

    /// Whether the command that starts here is a declaration of datatypes that lacks a sort.
    fn takes(&self, start: &Lexer<'_>, error: &ReadError) -> bool {
        let mut lexer = start.clone();
        let open = lexer.next_token();
        let word = lexer.next_token();
        error.kind == ErrorKind::Unknown
            && open.kind == TokenKind::Open
            && matches!(lexer.slice(word.span()), "declare-datatype" | "declare-datatypes")
            && self.declarations.len() < POSTPONED_LIMIT
    }

    /// Postpones the command that starts here; gives back where the next one does.
    fn skip<'t>(&mut self, start: &Lexer<'t>, error: ReadError) -> Result<Lexer<'t>, ReadError> {
        let mut lexer = start.clone();
        let Some(span) = lexer.skip_command() else { return Err(error) };
        self.declarations.push((lexer.slice(span).into(), error));
        Ok(lexer)
    }

    /// Reads what was postponed, in an order in which sorts come before their uses.
    fn read(&mut self, reader: &mut Reader, store: &mut Store) -> Result<(), ReadError> {
        while !self.declarations.is_empty() {
            let before = self.declarations.len();
            self.declarations.retain(|(text, _)| {
                Lexer::new(text).and_then(|mut lexer| reader.next_command(&mut lexer, store)).is_err()
            });
            if self.declarations.len() == before {
                return Err(self.declarations.swap_remove(0).1);
            }
        }
        Ok(())
    }
}

/// Reads a script command by command; the text may come in several pieces, each with a lexer of its own.
#[derive(Clone, Debug)]
pub struct ScriptReader {
    reader: Reader,
    extractor: Extractor,
    postponed: Postponed,
    /// The clauses in force.
    system: Arc<System>,
    /// How many clauses there were at each `push`.
    levels: Vec<usize>,
    /// Where the next command stands in the text that the places of clauses refer to, if not in that of the lexer.
    place: Option<usize>,
}

impl Default for ScriptReader {
    fn default() -> ScriptReader {
        ScriptReader::new()
    }
}

impl ScriptReader {
    /// A reader at the start of a script.
    pub fn new() -> ScriptReader {
        let mut reader = Reader::new();
        reader.set_keeps_common_bits(true);
        reader.set_bit_vectors(true);
        reader.read_constructor_counts();
        ScriptReader {
            reader,
            extractor: Extractor::default(),
            postponed: Postponed::default(),
            system: Arc::default(),
            levels: Vec::new(),
            place: None,
        }
    }

    /// Says where the next command stands in the text that the places of clauses refer to, if that is not the text of
    /// the lexer: a script may come in pieces.
    pub fn place_next(&mut self, place: usize) {
        self.place = Some(place);
    }

    /// The clauses in force.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// How many levels of `push` are open.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Reads and runs the next command; with it comes its place. `None` at the end of the text. A command with a
    /// mistake has no effect.
    pub fn next_effect(
        &mut self,
        store: &mut Store,
        lexer: &mut Lexer<'_>,
    ) -> Result<Option<(Effect, Span)>, ReadError> {
        loop {
            let start = lexer.clone();
            let (statement, span) = match next_statement(&mut self.reader, lexer, store) {
                Ok(None) => return Ok(None),
                Ok(Some(found)) => found,
                Err(error) if self.postponed.takes(&start, &error) => {
                    let from = start.peek().start;
                    *lexer = self.postponed.skip(&start, error)?;
                    return Ok(Some((Effect::Done, Span::new(from, lexer.offset()))));
                }
                // What is missing may be in a declaration that was postponed.
                Err(_) if !self.postponed.is_empty() => {
                    self.postponed.read(&mut self.reader, store)?;
                    *lexer = start;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let effect = self.execute(store, statement, lexer.text(), span)?;
            return Ok(Some((effect, span)));
        }
    }

    /// Ends the script: all that was declared has to be complete.
    pub fn finish(&mut self, store: &mut Store) -> Result<(), ReadError> {
        self.postponed.read(&mut self.reader, store)
    }

    /// Runs a command.
    fn execute(
        &mut self,
        store: &mut Store,
        statement: Statement<'_>,
        text: &str,
        span: Span,
    ) -> Result<Effect, ReadError> {
        let command = match statement {
            Statement::Smt(command) => command,
            Statement::DeclareVariable(symbol) => {
                self.extractor.contents.declare(symbol, Role::Variable);
                return Ok(Effect::Done);
            }
            Statement::DeclareHeap(sorts) => {
                self.extractor.heaps.extend(sorts);
                return Ok(Effect::Done);
            }
            Statement::Rule(formula) => {
                self.define_counts(store, formula, span)?;
                let formula = self.close_rule(store, formula);
                self.assert(store, formula, text, span)?;
                return Ok(Effect::Done);
            }
            Statement::Query(formula) => {
                self.define_counts(store, formula, span)?;
                let clause = self.close_rule(store, !formula);
                return self.query(store, clause, text, span);
            }
            Statement::QueryPredicate(symbol) => {
                let sorts = store.signature(symbol).args.clone();
                let variable = |(i, &sort): (usize, &Sort)| store.variable(&format!("x{i}"), sort);
                let args: Vec<Term> = sorts.iter().enumerate().map(variable).collect();
                let atom = store.apply(symbol, &args);
                let clause = store.forall(&args, !atom);
                return self.query(store, clause, text, span);
            }
        };
        match command {
            Command::Assert { formula, name, .. } => {
                self.define_counts(store, formula, span)?;
                let before = self.system.clauses.len();
                self.assert(store, formula, text, span)?;
                if let Some(name) = name {
                    let name: Box<str> = self.reader.name(name).into();
                    let system = Arc::make_mut(&mut self.system);
                    system.names.extend((before..system.clauses.len()).map(|at| (at, name.clone())));
                }
            }
            Command::CheckSat => return Ok(self.check(span, false)),
            Command::CheckSatAssuming(assumptions) => {
                assumptions.iter().try_for_each(|a| self.define_counts(store, a.term, span))?;
                let before = self.system.clauses.len();
                let result = assumptions.iter().try_for_each(|a| self.assert(store, a.term, text, span));
                let check = self.check(span, false);
                self.remove_clauses(before);
                return result.map(|()| check);
            }
            Command::Declare(symbol) => self.declare(store, symbol),
            Command::Define(_) => {}
            Command::Push(count) => {
                let clauses = self.system.clauses.len();
                self.levels.extend(std::iter::repeat_n(clauses, count));
            }
            Command::Pop(count) => {
                let kept = self.levels.len() - count;
                if let Some(&clauses) = self.levels.get(kept) {
                    self.remove_from(clauses);
                }
                self.levels.truncate(kept);
            }
            Command::ResetAssertions if !self.extractor.constructor_counts.is_empty() => {
                let message = "reset-assertions after a use of _size is not supported; reset is";
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
            Command::Reset | Command::ResetAssertions => {
                self.extractor.constructor_counts.clear();
                self.levels.clear();
                self.remove_from(0);
                if command == Command::Reset {
                    return Ok(Effect::Request(Request::Reset));
                }
            }
            Command::SetLogic(name) => check_logic(name, span)?,
            Command::SetOption(attribute) => return Ok(Effect::Request(self.set_option(&attribute))),
            Command::SetInfo(attribute) => {
                if attribute.keyword == ":status" {
                    return Ok(Effect::Request(Request::Status(attribute.value.to_owned())));
                }
            }
            Command::GetModel => return Ok(Effect::Request(Request::GetModel)),
            Command::GetProof => return Ok(Effect::Request(Request::GetProof)),
            Command::GetUnsatCore => return Ok(Effect::Request(Request::GetUnsatCore)),
            Command::Echo(content) => return Ok(Effect::Request(Request::Echo(content))),
            Command::GetInfo(keyword) => return Ok(Effect::Request(Request::GetInfo(keyword.to_owned()))),
            Command::GetOption(keyword) => {
                return Ok(Effect::Request(Request::GetOption(keyword.to_owned())));
            }
            Command::Exit => return Ok(Effect::Exit),
            Command::GetValue(_)
            | Command::GetUnsatAssumptions
            | Command::GetInterpolants(_)
            | Command::GetElimination { .. }
            | Command::GetAssertions
            | Command::GetAssignment => {
                let message = "this command is not supported for Horn clauses";
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
        }
        Ok(Effect::Done)
    }

    fn declare(&mut self, store: &Store, symbol: Symbol) {
        let signature = store.signature(symbol);
        if signature.result != Sort::Bool {
            self.extractor.contents.declare(symbol, Role::Constant);
            return;
        }
        let (name, sorts) = (signature.name.clone(), signature.args.clone());
        let predicates = &mut Arc::make_mut(&mut self.system).predicates;
        let id = PredicateId::new(predicates.len());
        predicates.push(Predicate { symbol, name, sorts });
        self.extractor.contents.declare(symbol, Role::Predicate(id));
    }

    /// Makes functions known that are replaced before a clause is finished: before terms with them are looked at.
    fn declare_replaced(&mut self) {
        let counts = self.reader.constructor_counts().iter().map(|&(_, symbol)| symbol);
        for symbol in self.reader.common_bits().into_iter().chain(counts) {
            self.extractor.contents.declare(symbol, Role::Replaced);
        }
    }

    /// Says what numbers of constructors are, where the formula has the first ones of a datatype.
    fn define_counts(&mut self, store: &mut Store, formula: Term, span: Span) -> Result<(), ReadError> {
        self.declare_replaced();
        let counted = self.reader.constructor_counts();
        if counted.is_empty() {
            return Ok(());
        }
        let symbols: Vec<Symbol> =
            store.subterms(&[formula]).into_iter().filter_map(|t| Some(store.as_app(t)?.0)).collect();
        let known = |symbol| self.extractor.constructor_counts.iter().any(|known| known.function == symbol);
        let is_new = |&&(_, symbol): &&(Sort, Symbol)| symbols.contains(&symbol) && !known(symbol);
        let wanted: Vec<(Sort, Symbol)> = counted.iter().filter(is_new).copied().collect();
        if wanted.is_empty() {
            return Ok(());
        }
        if !self.levels.is_empty() {
            let message = "_size of a datatype that was not used so before the first push is not supported";
            return Err(ReadError::new(ErrorKind::Unsupported, span, message));
        }
        let before = self.system.clauses.len();
        let system = Arc::make_mut(&mut self.system);
        self.extractor.define_constructor_counts(store, &wanted, system, span)?;
        self.place_clauses(before, span);
        Ok(())
    }

    fn assert(&mut self, store: &mut Store, formula: Term, text: &str, span: Span) -> Result<(), ReadError> {
        self.declare_replaced();
        self.extractor.contents.extend(store);
        if let Some(symbol) = self.extractor.contents.constant(store, formula) {
            return Err(free_symbol(store, symbol, text, span));
        }
        if let Some(&variable) = self.extractor.contents.rule_variables(store, formula).first() {
            let symbol = store.as_var(variable).expect("a variable");
            return Err(free_symbol(store, symbol, text, span));
        }
        self.extractor.common_bits = self.reader.common_bits();
        let system = Arc::make_mut(&mut self.system);
        let clauses = &mut system.clauses;
        let before = clauses.len();
        // A formula may have good parts before the bad one.
        self.extractor.extract(store, formula, span, clauses).inspect_err(|_| clauses.truncate(before))?;
        if self.extractor.stronger {
            system.first_stronger.get_or_insert(before);
        }
        self.place_clauses(before, span);
        Ok(())
    }

    /// Says where the last clauses stand, if not in the text of the lexer.
    fn place_clauses(&mut self, before: usize, span: Span) {
        if let Some(place) = self.place.and_then(|place| u32::try_from(place).ok()) {
            let placed = Span::new(place, place + (span.end - span.start));
            let clauses = &mut Arc::make_mut(&mut self.system).clauses;
            clauses[before..].iter_mut().for_each(|clause| clause.span = placed);
        }
    }

    /// The rule with its free variables quantified.
    fn close_rule(&mut self, store: &mut Store, rule: Term) -> Term {
        self.declare_replaced();
        self.extractor.contents.extend(store);
        let variables = self.extractor.contents.rule_variables(store, rule);
        if variables.is_empty() {
            return rule;
        }
        // Bound variables must occur nowhere else.
        let mut renaming = shem_term::Substitution::new();
        let mut bound = Vec::with_capacity(variables.len());
        for variable in variables {
            let symbol = store.as_var(variable).expect("a variable");
            let (name, sort) = (store.name(symbol).to_owned(), store.sort(variable));
            let fresh = store.variable(&name, sort);
            renaming.insert(symbol, fresh);
            bound.push(fresh);
        }
        let rule = store.substitute(rule, &renaming);
        store.forall(&bound, rule)
    }

    fn check(&self, span: Span, query: bool) -> Effect {
        Effect::Request(Request::Check { system: Arc::clone(&self.system), span, query })
    }

    /// A check with one more clause.
    fn query(
        &mut self,
        store: &mut Store,
        clause: Term,
        text: &str,
        span: Span,
    ) -> Result<Effect, ReadError> {
        let before = self.system.clauses.len();
        self.assert(store, clause, text, span)?;
        let check = self.check(span, true);
        self.remove_clauses(before);
        Ok(check)
    }

    /// Removes all clauses but the first ones.
    fn remove_clauses(&mut self, kept: usize) {
        if kept < self.system.clauses.len() {
            Arc::make_mut(&mut self.system).truncate_clauses(kept);
        }
    }

    /// Removes clauses, and the predicates whose names are not declared any more.
    fn remove_from(&mut self, clauses: usize) {
        let contents = &self.extractor.contents;
        let is_predicate = |symbol| matches!(contents.role(symbol), Role::Predicate(_));
        let declared = self.reader.declarations().iter().filter(|d| is_predicate(d.symbol)).count();
        // These are there from before the first level on.
        let kept = declared + self.extractor.constructor_counts.len();
        let system = &self.system;
        if clauses < system.clauses.len() || kept < system.predicates.len() {
            let system = Arc::make_mut(&mut self.system);
            system.truncate_clauses(clauses);
            system.predicates.truncate(kept);
        }
    }

    fn set_option(&mut self, attribute: &Attribute<'_>) -> Request {
        let &Attribute { keyword, value, span } = attribute;
        if keyword == ":global-declarations" {
            self.reader.set_global_declarations(value == "true");
        }
        Request::SetOption { keyword: keyword.to_owned(), value: value.to_owned(), span }
    }
}

fn check_logic(name: &str, span: Span) -> Result<(), ReadError> {
    if matches!(name, "HORN" | "ALL") {
        return Ok(());
    }
    let message = format!(
        "the logic {name} is not one of Horn clauses (HORN is); scripts of other logics are for shem smt"
    );
    Err(ReadError::new(ErrorKind::Unsupported, span, message))
}

/// The error for a symbol that is neither a predicate nor bound, at its first occurrence in the command.
#[cold]
fn free_symbol(store: &Store, symbol: Symbol, text: &str, span: Span) -> ReadError {
    let name = store.name(symbol);
    let mut found_at = span;
    if let Ok(mut lexer) = Lexer::new(&text[span.range()]) {
        loop {
            let token = lexer.next_token();
            let found = match token.kind {
                TokenKind::Symbol => lexer.slice(token.span()),
                TokenKind::Quoted => lexer.slice(token.span()).trim_matches('|'),
                TokenKind::End | TokenKind::Malformed => break,
                _ => continue,
            };
            if found == name {
                found_at = Span::new(span.start + token.start, span.start + token.end);
                break;
            }
        }
    }
    let message = match store.signature(symbol).args.is_empty() {
        true => format!("the free constant {name} is not supported in clauses: quantify it"),
        false => format!("the function {name} is not supported in clauses: only predicates may be declared"),
    };
    ReadError::new(ErrorKind::Unsupported, found_at, message)
}
