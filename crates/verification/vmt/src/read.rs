//! Reading of VMT files.
//!
//! Terms are read by the reader of SMT-LIB, which passes over annotations. So the tokens of each definition are looked
//! at for annotations of VMT, and a definition that has some is asked for its term by its name. Only an annotation
//! around the whole body of a definition without parameters counts; anywhere else it is a mistake, since the term under
//! it would have no effect. Several formulas with `:init`, and likewise `:trans`, hold together.

use std::collections::{BTreeMap, BTreeSet};

use shem_term::smtlib::{Command, ErrorKind, Lexer, ReadError, Reader, Span, TokenKind};
use shem_term::{Sort, Store, Symbol, Term};

use crate::system::{Property, PropertyKind, StateVariable, Vmt};

/// The annotations that mean something.
const KEYWORDS: [&str; 5] = [":next", ":init", ":trans", ":invar-property", ":live-property"];

/// Annotations of other dialects that change what a system means, with what to do instead.
const FOREIGN: [(&str, &str); 2] = [
    (":ltl-property", "temporal formulas are not supported: compile them into a :live-property"),
    (":invar", "constraints on states are not supported: write them into :init and :trans"),
];

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

impl Vmt {
    /// Reads a file.
    ///
    /// # Errors
    /// A mistake in the text, with its place.
    pub fn read(store: &mut Store, text: &str) -> Result<Vmt, ReadError> {
        let mut reader = Reader::new();
        reader.set_bit_vectors(true);
        let mut lexer = Lexer::new(text)?;
        let mut parts = Parts::default();
        let mut declared: Vec<Symbol> = Vec::new();
        while let Some((command, span)) = reader.next_command(&mut lexer, store)? {
            let (definition, annotations) = annotations(text, span, &command)?;
            match command {
                Command::SetLogic(name) => {
                    let real = (name.ends_with("RA") && !name.ends_with("IRA")) || name.ends_with("RDL");
                    reader.set_numerals_are_real(real);
                }
                Command::Declare(symbol) => {
                    if !store.signature(symbol).args.is_empty() {
                        let message = format!("the function {} is not supported in VMT", store.name(symbol));
                        return Err(ReadError::new(ErrorKind::Unsupported, span, message));
                    }
                    declared.push(symbol);
                }
                Command::Assert { formula, .. } if formula != Term::TRUE => {
                    let message = "an assertion has no effect in VMT: write it into :init or :trans";
                    return Err(ReadError::new(ErrorKind::Unsupported, span, message));
                }
                Command::Exit => break,
                Command::Define(_)
                | Command::SetInfo(_)
                | Command::SetOption(_)
                | Command::Echo(_)
                | Command::Assert { .. } => {}
                _ => {
                    let message = "this command does not belong into a VMT file";
                    return Err(ReadError::new(ErrorKind::Unsupported, span, message));
                }
            }
            for annotation in annotations {
                parts.add(store, &mut reader, definition, &annotation)?;
            }
        }
        parts.finish(store, &declared)
    }
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
    // Whether the parenthesis at depth two is that of an annotation around the body.
    let mut around = false;
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::End | TokenKind::Malformed => return Ok((name, found)),
            TokenKind::Open => {
                depth += 1;
                if depth == 2 {
                    let next = lexer.peek();
                    around = plain && next.kind == TokenKind::Symbol && lexer.slice(next.span()) == "!";
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
                if depth != 2 || !around {
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
            ":init" | ":trans" | ":invar-property" | ":live-property" if store.sort(term) != Sort::Bool => {
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
        let properties = self.properties.values().map(|p| (p.kind.word(), p.formula, p.span));
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
