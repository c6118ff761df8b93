//! Reading of VMT files.
//!
//! Terms are read by the reader of SMT-LIB, which passes over annotations. So the tokens of each definition are looked
//! at for annotations of VMT, and a definition that has some is asked for its term by its name. Only an annotation
//! around the whole body of a definition without parameters counts, `let` around it aside; anywhere else it is a mistake, since
//! the term under it would have no effect. Several formulas with `:init`, and likewise `:trans`, hold together.
//!
//! The functions `ltl.G` and so on, of which a file with `:ltl-property` speaks, need no declaration.

use std::collections::{BTreeMap, BTreeSet};

use shem_term::smtlib::{Command, ErrorKind, Lexer, ReadError, Reader, Span, TokenKind};
use shem_term::{Sort, Store, Symbol, Term};

use crate::ltl::{Operator, has_temporal, read_infix, stands_outside};
use crate::system::{Property, PropertyKind, StateVariable, Vmt};

/// The annotations that mean something.
const KEYWORDS: [&str; 6] =
    [":next", ":init", ":trans", ":invar-property", ":live-property", ":ltl-property"];

/// Annotations of other dialects that change what a system means, with what to do instead.
const FOREIGN: [(&str, &str); 1] =
    [(":invar", "constraints on states are not supported: write them into :init and :trans")];

/// Whether a text is VMT: whether some annotation of it says what a transition system is made of.
pub fn is_vmt(text: &str) -> bool {
    if !KEYWORDS.iter().any(|keyword| text.contains(keyword)) {
        return false;
    }
    let Ok(mut lexer) = Lexer::new(text) else { return false };
    // Where an annotation begins: after its parenthesis comes an exclamation mark.
    let mut annotated = false;
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::End | TokenKind::Malformed => return false,
            TokenKind::Symbol if lexer.slice(token.span()) == "!" => annotated = true,
            TokenKind::Keyword if annotated && KEYWORDS.contains(&lexer.slice(token.span())) => return true,
            _ => {}
        }
    }
}

/// An annotation of a definition.
struct Annotation<'t> {
    keyword: &'t str,
    place: Span,
    /// The value, if there is one.
    value: Option<(&'t str, Span)>,
}

impl Annotation<'_> {
    /// An annotation that only marks its term has the value true, or none.
    fn check_mark(&self) -> Result<(), ReadError> {
        match self.value {
            None | Some(("true", _)) => Ok(()),
            Some((value, span)) => {
                let message = format!("{} has the value true, not {value}", self.keyword);
                Err(ReadError::new(ErrorKind::Syntax, span, message))
            }
        }
    }
}

/// A system in the making.
#[derive(Default)]
struct Parts {
    /// State variables with the places of their annotations.
    states: Vec<(StateVariable, Span)>,
    init: Vec<(Term, Span)>,
    trans: Vec<Term>,
    properties: BTreeMap<u64, Property>,
}

/// A mistake in a file, or in a formula that is asked about it.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The number of the formula; none if the mistake is in the file.
    pub formula: Option<usize>,
    /// What is wrong, and where.
    pub error: ReadError,
}

impl From<ReadError> for Mistake {
    fn from(error: ReadError) -> Mistake {
        Mistake { formula: None, error }
    }
}

impl Vmt {
    /// Reads a file.
    ///
    /// # Errors
    /// A mistake in the text, with its place.
    pub fn read(store: &mut Store, text: &str) -> Result<Vmt, ReadError> {
        Vmt::read_asking(store, text, &[]).map_err(|mistake| mistake.error)
    }

    /// Reads a file. If there are formulas of linear temporal logic, in the usual notation over what the file declares and
    /// defines, they take the place of its properties.
    ///
    /// # Errors
    /// A mistake in the text or in a formula, with its place.
    pub fn read_asking(store: &mut Store, text: &str, formulas: &[String]) -> Result<Vmt, Mistake> {
        let mut reader = Reader::new();
        reader.set_bit_vectors(true);
        let mut lexer = Lexer::new(text)?;
        name_operators(store, &mut reader, text)?;
        let mut parts = Parts::default();
        let mut declared: Vec<Symbol> = Vec::new();
        while let Some((command, span)) = reader.next_command(&mut lexer, store)? {
            let (definition, annotations) = annotations(text, span, &command)?;
            match command {
                Command::SetLogic(name) => {
                    let real = (name.ends_with("RA") && !name.ends_with("IRA")) || name.ends_with("RDL");
                    reader.set_numerals_are_real(real);
                }
                // A declared operator is no constant.
                Command::Declare(symbol) if Operator::of(store, symbol).is_some() => {}
                Command::Declare(symbol) => {
                    if !store.signature(symbol).args.is_empty() {
                        let message = format!("the function {} is not supported in VMT", store.name(symbol));
                        return Err(ReadError::new(ErrorKind::Unsupported, span, message).into());
                    }
                    declared.push(symbol);
                }
                Command::Assert { formula, .. } if formula != Term::TRUE => {
                    let message = "an assertion has no effect in VMT: write it into :init or :trans";
                    return Err(ReadError::new(ErrorKind::Unsupported, span, message).into());
                }
                Command::Exit => break,
                Command::Define(_)
                | Command::SetInfo(_)
                | Command::SetOption(_)
                | Command::Echo(_)
                | Command::Assert { .. } => {}
                _ => {
                    let message = "this command does not belong into a VMT file";
                    return Err(ReadError::new(ErrorKind::Unsupported, span, message).into());
                }
            }
            for annotation in annotations {
                parts.add(store, &mut reader, definition, &annotation)?;
            }
        }
        if !formulas.is_empty() {
            parts.properties.clear();
        }
        for (number, text) in formulas.iter().enumerate() {
            let formula = read_infix(store, &mut reader, text);
            let formula = formula.map_err(|error| Mistake { formula: Some(number), error })?;
            let index = number as u64;
            let span = Span::new(0, 0);
            let property =
                Property { kind: PropertyKind::Ltl, index, name: text.as_str().into(), formula, span };
            parts.properties.insert(index, property);
        }
        Ok(parts.finish(store, &declared)?)
    }
}

/// Gives the operators of temporal logic their meaning, but for those that the text declares.
fn name_operators(store: &mut Store, reader: &mut Reader, text: &str) -> Result<(), ReadError> {
    let mut declared: BTreeSet<&str> = BTreeSet::new();
    if text.contains("ltl.") {
        let mut lexer = Lexer::new(text)?;
        let mut before = "";
        loop {
            let token = lexer.next_token();
            let word = match token.kind {
                TokenKind::End | TokenKind::Malformed => break,
                TokenKind::Symbol | TokenKind::Quoted => lexer.slice(token.span()).trim_matches('|'),
                _ => "",
            };
            if ["declare-fun", "declare-const", "define-fun", "define-const"].contains(&before) {
                declared.insert(word);
            }
            before = word;
        }
    }
    for (_, name, arity) in Operator::ALL {
        if !declared.contains(name) {
            let symbol = Operator::declare(store, name, arity);
            reader.name_function(name, symbol);
        }
    }
    Ok(())
}

/// The annotations of VMT in a command, with the name of what is defined.
fn annotations<'t>(
    text: &'t str,
    span: Span,
    command: &Command<'_>,
) -> Result<(&'t str, Vec<Annotation<'t>>), ReadError> {
    let slice = &text[span.range()];
    let mut found = Vec::new();
    if !KEYWORDS.iter().copied().chain(FOREIGN.map(|(word, _)| word)).any(|word| slice.contains(word)) {
        return Ok(("", found));
    }
    let mut lexer = Lexer::new(slice)?;
    let place = |at: Span| Span::new(span.start + at.start, span.start + at.end);
    // `(define-fun NAME () SORT (! …`
    lexer.next_token();
    let word = lexer.next_token().span();
    let is_definition = lexer.slice(word) == "define-fun" && matches!(command, Command::Define(_));
    let mut name = "";
    if is_definition {
        let token = lexer.next_token();
        name = lexer.slice(token.span());
    }
    let mut plain = is_definition;
    if is_definition {
        lexer.next_token();
        // Parameters make it another thing at each use.
        plain = lexer.peek().kind == TokenKind::Close;
        if plain {
            lexer.next_token();
        }
    }
    let mut depth = if is_definition && !plain { 2_usize } else { 1 };
    // The depth at which the body stands, inside of `let` around it, and whether its parenthesis is that of an annotation.
    let (mut body, mut around) = (2, false);
    // Of a `let` in the place of the body, whether its bindings have begun.
    let mut bindings: Option<bool> = None;
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::End | TokenKind::Malformed => return Ok((name, found)),
            TokenKind::Open => {
                depth += 1;
                match bindings.filter(|_| depth == body + 1) {
                    Some(true) => (body, bindings) = (depth, None),
                    Some(false) => bindings = Some(true),
                    None => {}
                }
                if depth == body {
                    let next = lexer.peek();
                    let word = if next.kind == TokenKind::Symbol { lexer.slice(next.span()) } else { "" };
                    around = plain && word == "!";
                    bindings = (plain && word == "let").then_some(false);
                }
            }
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Keyword => {
                let keyword = lexer.slice(token.span());
                let at = place(token.span());
                let annotated = matches!(command, Command::Define(_) | Command::Assert { .. });
                if let Some((_, advice)) = FOREIGN.iter().find(|(word, _)| *word == keyword && annotated) {
                    let message = format!("the annotation {keyword}: {advice}");
                    return Err(ReadError::new(ErrorKind::Unsupported, at, message));
                }
                if !KEYWORDS.contains(&keyword) || !annotated {
                    continue;
                }
                if depth != body || !around {
                    let message =
                        format!("{keyword} has to stand around the body of a definition without parameters");
                    return Err(ReadError::new(ErrorKind::Syntax, at, message));
                }
                let value = match lexer.peek().kind {
                    TokenKind::Keyword | TokenKind::Close => None,
                    _ => {
                        let value = lexer.peek().span();
                        Some((lexer.slice(value), place(value)))
                    }
                };
                found.push(Annotation { keyword, place: at, value });
            }
            _ => {}
        }
    }
}

impl Parts {
    /// Adds what an annotation of a definition says.
    fn add(
        &mut self,
        store: &mut Store,
        reader: &mut Reader,
        definition: &str,
        annotation: &Annotation<'_>,
    ) -> Result<(), ReadError> {
        let term = reader.read_term(&mut Lexer::new(definition)?, store)?;
        let Annotation { keyword, place, value } = *annotation;
        let kind = match keyword {
            ":next" => return self.add_state(store, reader, term, annotation),
            ":init" | ":trans" | ":invar-property" | ":live-property" | ":ltl-property"
                if store.sort(term) != Sort::Bool =>
            {
                let sort = store.display_sort(store.sort(term));
                let message = format!("{keyword} needs a formula, not a term of sort {sort}");
                return Err(ReadError::new(ErrorKind::IllSorted, place, message));
            }
            ":init" => {
                annotation.check_mark()?;
                self.init.push((term, place));
                return Ok(());
            }
            ":trans" => {
                annotation.check_mark()?;
                self.trans.push(term);
                return Ok(());
            }
            ":invar-property" => PropertyKind::Invariant,
            ":ltl-property" => PropertyKind::Ltl,
            _ => PropertyKind::Live,
        };
        let Some((number, at)) = value else {
            let message = format!("{keyword} needs a number");
            return Err(ReadError::new(ErrorKind::Syntax, place, message));
        };
        let Ok(index) = number.parse::<u64>() else {
            let message = format!("{keyword} needs a number, not {number}");
            return Err(ReadError::new(ErrorKind::Syntax, at, message));
        };
        let name = definition.trim_matches('|').into();
        let property = Property { kind, index, name, formula: term, span: place };
        if self.properties.insert(index, property).is_some() {
            let message = format!("there are two properties with the number {index}");
            return Err(ReadError::new(ErrorKind::Redeclared, at, message));
        }
        Ok(())
    }

    fn add_state(
        &mut self,
        store: &mut Store,
        reader: &mut Reader,
        current: Term,
        annotation: &Annotation<'_>,
    ) -> Result<(), ReadError> {
        let place = annotation.place;
        let constant = |store: &Store, term: Term| store.as_var(term).filter(|_| !term.is_negated());
        let Some(symbol) = constant(store, current) else {
            let message = ":next needs a declared constant";
            return Err(ReadError::new(ErrorKind::IllSorted, place, message));
        };
        let Some((value, at)) = annotation.value else {
            let message = ":next needs the constant for the next value";
            return Err(ReadError::new(ErrorKind::Syntax, place, message));
        };
        let next = reader.read_term(&mut Lexer::new(value)?, store).map_err(|error| {
            let span = Span::new(at.start + error.span.start, at.start + error.span.end);
            ReadError::new(error.kind, span, error.message)
        })?;
        if constant(store, next).is_none() {
            let message = format!("the value of :next has to be a declared constant, not {value}");
            return Err(ReadError::new(ErrorKind::IllSorted, at, message));
        }
        if store.sort(next) != store.sort(current) {
            let [now, then] = [current, next].map(|term| store.display_sort(store.sort(term)).to_string());
            let message =
                format!("{} has sort {now}, and {value}, its next value, {then}", store.name(symbol));
            return Err(ReadError::new(ErrorKind::IllSorted, at, message));
        }
        for (other, _) in &self.states {
            let both = [current, next].into_iter().find(|&term| term == other.current || term == other.next);
            if let Some(term) = both {
                let name = store.name(constant(store, term).expect("a constant"));
                let message = format!("{name} is a value of another state variable already");
                return Err(ReadError::new(ErrorKind::Redeclared, place, message));
            }
        }
        let name = store.name(symbol).into();
        self.states.push((StateVariable { name, current, next }, place));
        Ok(())
    }

    /// The system, once all is read.
    fn finish(self, store: &mut Store, declared: &[Symbol]) -> Result<Vmt, ReadError> {
        let changing = self.states.iter().filter(|(state, _)| state.current != state.next);
        let later: BTreeSet<Term> = changing.map(|(state, _)| state.next).collect();
        let now: BTreeSet<Term> = self.states.iter().map(|(state, _)| state.current).collect();
        let states_only = self.init.iter().map(|&(term, place)| (":init", term, place));
        // A temporal formula may speak about steps.
        let properties = self.properties.values().filter(|property| property.kind != PropertyKind::Ltl);
        let properties = properties.map(|p| (p.kind.word(), p.formula, p.span));
        for (word, formula, place) in states_only.chain(properties) {
            let mentioned = store.free_variables(&[formula]);
            if let Some(&next) = mentioned.iter().find(|variable| later.contains(variable)) {
                let name = store.name(store.as_var(next).expect("a variable"));
                let message = format!(
                    "{} is the value after a step, which has no place in {}",
                    name,
                    word.trim_start_matches(':')
                );
                return Err(ReadError::new(ErrorKind::Unsupported, place, message));
            }
        }
        let init: Vec<Term> = self.init.iter().map(|&(term, _)| term).collect();
        let (init, trans) = (store.and(&init), store.and(&self.trans));
        check_temporal(store, &self.properties, init, trans)?;
        let mut formulas = vec![init, trans];
        formulas.extend(self.properties.values().map(|property| property.formula));
        let used: BTreeSet<Term> = store.free_variables(&formulas).into_iter().collect();
        let mut inputs = Vec::new();
        for &symbol in declared {
            let term = store.var(symbol);
            if used.contains(&term) && !now.contains(&term) && !later.contains(&term) {
                inputs.push((store.name(symbol).into(), term));
            }
        }
        let states = self.states.into_iter().map(|(state, _)| state).collect();
        Ok(Vmt { states, inputs, init, trans, properties: self.properties.into_values().collect() })
    }
}

/// Temporal operators stand in temporal formulas only, and there around formulas only.
fn check_temporal(
    store: &Store,
    properties: &BTreeMap<u64, Property>,
    init: Term,
    trans: Term,
) -> Result<(), ReadError> {
    for Property { kind, formula, span, .. } in properties.values() {
        let message = match kind {
            PropertyKind::Ltl if !stands_outside(store, *formula) => {
                "a temporal operator stands inside of a term"
            }
            PropertyKind::Invariant | PropertyKind::Live if has_temporal(store, *formula) => {
                "temporal operators need :ltl-property"
            }
            _ => continue,
        };
        return Err(ReadError::new(ErrorKind::Unsupported, *span, message));
    }
    if has_temporal(store, init) || has_temporal(store, trans) {
        let message = "temporal operators have no place in :init and :trans";
        return Err(ReadError::new(ErrorKind::Unsupported, Span::new(0, 0), message));
    }
    Ok(())
}
