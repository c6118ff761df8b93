//! Reading of integer transition systems in ARI, the language of the termination competition since 2025.
//!
//! A file is a list of commands: `(format LCTRS)`, `(theory Ints)`, `(fun f (-> Int Int Int))` for each location,
//! `(entrypoint f)`, and rules `(rule (f x y) (g t u) :guard φ)`, whose terms are those of SMT-LIB. A variable of a rule that
//! stands on the right or in the guard only may have any value; `:var ((x Int) …)` may say which variables there are. Runs
//! begin at the entry point with any arguments, so a rule is a clause, and the entry point a fact. What a rewrite system may have
//! beyond that, such as a location below another one, is no transition system and is refused.

use std::collections::BTreeMap;

use shem_chc::{Atom, Clause, Predicate, PredicateId, System};
use shem_term::smtlib::{
    ErrorKind, Lexer, ReadError, Reader, Span, Token, TokenKind, expect_close, skip_expression,
};
use shem_term::{Sort, Store, Term};

/// Whether a text begins like a file in ARI.
pub fn is_ari(text: &str) -> bool {
    let Ok(mut lexer) = Lexer::new(text) else { return false };
    let words = [lexer.next_token(), lexer.next_token(), lexer.next_token()];
    words[0].kind == TokenKind::Open
        && lexer.slice(words[1].span()) == "format"
        && ["LCTRS", "ITS", "TRS"].contains(&lexer.slice(words[2].span()))
}

/// Reads a file as clauses: a predicate for each location, a clause for each rule, and a fact for the entry point.
///
/// # Errors
/// A mistake in the text, with its place.
pub fn read_ari(store: &mut Store, text: &str) -> Result<System, ReadError> {
    let mut lexer = Lexer::new(text)?;
    let mut file = File { names: BTreeMap::new(), system: System::default(), sort: Sort::Int, entry: None };
    let mut has_format = false;
    loop {
        let open = lexer.next_token();
        match open.kind {
            TokenKind::End => break,
            TokenKind::Open => {}
            _ => return Err(unexpected(&lexer, open, "a command in parentheses")),
        }
        let (word, span) = symbol(&mut lexer, "the name of a command")?;
        match word.as_str() {
            "format" => {
                has_format = true;
                format(&mut lexer)?;
            }
            _ if !has_format => {
                return Err(ReadError::new(ErrorKind::Syntax, span, "a file begins with (format LCTRS)"));
            }
            "theory" => file.theory(&mut lexer)?,
            "fun" => file.function(store, &mut lexer)?,
            "entrypoint" => file.entry_point(&mut lexer)?,
            "rule" => file.rule(store, &mut lexer, span)?,
            other => {
                let message = format!("the command {other} is not supported in transition systems");
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
        }
        expect_close(&mut lexer)?;
    }
    let end = Span::new(lexer.offset(), lexer.offset());
    match file.entry {
        Some((predicate, span)) => file.start(store, predicate, span),
        None => return Err(ReadError::new(ErrorKind::Syntax, end, "there is no (entrypoint f)")),
    }
    Ok(file.system)
}

/// What was read of a file.
struct File {
    names: BTreeMap<String, PredicateId>,
    system: System,
    /// The sort of variables that are not declared.
    sort: Sort,
    entry: Option<(PredicateId, Span)>,
}

fn unexpected(lexer: &Lexer<'_>, token: Token, expected: &str) -> ReadError {
    match token.kind {
        TokenKind::Malformed => lexer.mistake(token),
        TokenKind::End => {
            ReadError::new(ErrorKind::Syntax, token.span(), format!("{expected} is expected, the file ends"))
        }
        _ => {
            let found = lexer.slice(token.span());
            let message = format!("{expected} is expected, not {found}");
            ReadError::new(ErrorKind::Syntax, token.span(), message)
        }
    }
}

/// A symbol without its bars.
fn symbol(lexer: &mut Lexer<'_>, expected: &str) -> Result<(String, Span), ReadError> {
    let token = lexer.next_token();
    match token.kind {
        TokenKind::Symbol | TokenKind::Quoted => {
            Ok((lexer.slice(token.span()).trim_matches('|').to_owned(), token.span()))
        }
        _ => Err(unexpected(lexer, token, expected)),
    }
}

/// The rest of `(format LCTRS :smtlib 2.6)`.
fn format(lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
    let (name, span) = symbol(lexer, "the name of a format")?;
    if !["LCTRS", "ITS"].contains(&name.as_str()) {
        let message = format!("the format {name} is not one of transition systems: LCTRS");
        return Err(ReadError::new(ErrorKind::Unsupported, span, message));
    }
    while lexer.peek().kind == TokenKind::Keyword {
        let keyword = lexer.next_token();
        if lexer.slice(keyword.span()) != ":smtlib" {
            return Err(unexpected(lexer, keyword, ":smtlib"));
        }
        skip_expression(lexer)?;
    }
    Ok(())
}

fn sort(lexer: &mut Lexer<'_>) -> Result<Sort, ReadError> {
    let (name, span) = symbol(lexer, "a sort")?;
    match name.as_str() {
        "Int" => Ok(Sort::Int),
        "Real" => Ok(Sort::Real),
        "Bool" => Ok(Sort::Bool),
        _ => {
            let message = format!("the sort {name} is not supported; sorts are Int, Real and Bool");
            Err(ReadError::new(ErrorKind::Unsupported, span, message))
        }
    }
}

impl File {
    fn theory(&mut self, lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
        let (name, span) = symbol(lexer, "the name of a theory")?;
        self.sort = match name.as_str() {
            "Ints" | "Reals_Ints" | "Core" => Sort::Int,
            "Reals" => Sort::Real,
            _ => {
                let message = format!("the theory {name} is not supported; theories are Ints and Reals");
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
        };
        Ok(())
    }

    /// The rest of `(fun f (-> Int Int Int))`, whose last sort is that of the result.
    fn function(&mut self, store: &mut Store, lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
        let (name, span) = symbol(lexer, "the name of a location")?;
        let mut sorts = Vec::new();
        if lexer.peek().kind == TokenKind::Open {
            lexer.next_token();
            let arrow = lexer.next_token();
            if lexer.slice(arrow.span()) != "->" {
                return Err(unexpected(lexer, arrow, "->"));
            }
            while lexer.peek().kind != TokenKind::Close {
                sorts.push(sort(lexer)?);
            }
            let close = lexer.next_token();
            if sorts.pop().is_none() {
                return Err(unexpected(lexer, close, "a sort"));
            }
        } else {
            sort(lexer)?;
        }
        let id = PredicateId::new(self.system.predicates.len());
        if self.names.insert(name.clone(), id).is_some() {
            let message = format!("the location {name} is declared already");
            return Err(ReadError::new(ErrorKind::Redeclared, span, message));
        }
        let symbol = store.declare(&name, &sorts, Sort::Bool);
        self.system.predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
        Ok(())
    }

    fn location(&self, lexer: &mut Lexer<'_>) -> Result<(PredicateId, Span), ReadError> {
        let (name, span) = symbol(lexer, "a location")?;
        match self.names.get(&name) {
            Some(&id) => Ok((id, span)),
            None => {
                let message = format!("{name} is no location that was declared by (fun {name} …)");
                Err(ReadError::new(ErrorKind::Unknown, span, message))
            }
        }
    }

    fn entry_point(&mut self, lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
        let (id, span) = self.location(lexer)?;
        if self.entry.replace((id, span)).is_some() {
            return Err(ReadError::new(ErrorKind::Redeclared, span, "there are two entry points"));
        }
        Ok(())
    }

    /// The rest of `(rule LEFT RIGHT :guard φ :var (…))`.
    fn rule(&mut self, store: &mut Store, lexer: &mut Lexer<'_>, place: Span) -> Result<(), ReadError> {
        let declared = declared_variables(lexer.clone())?;
        let mut reader = Reader::new();
        reader.set_numerals_are_real(self.sort == Sort::Real);
        let mut variables = Vec::new();
        let is_declared = declared.is_some();
        let sorts = match declared {
            Some(declared) => declared,
            None => self.variables(lexer.clone())?,
        };
        for (name, sort) in sorts {
            let variable = store.variable(&name, sort);
            reader.name_term(&name, variable);
            variables.push(variable);
        }
        let left = self.side(store, lexer, &mut reader)?;
        let right = self.side(store, lexer, &mut reader)?;
        let mut guard = Term::TRUE;
        while lexer.peek().kind == TokenKind::Keyword {
            let keyword = lexer.next_token();
            match lexer.slice(keyword.span()) {
                ":guard" => guard = reader.read_formula(lexer, store)?,
                ":var" if is_declared => {
                    skip_expression(lexer)?;
                }
                other => {
                    let message = format!("{other} is not supported; a rule has :guard and :var");
                    return Err(ReadError::new(ErrorKind::Unsupported, keyword.span(), message));
                }
            }
        }
        if let Some(&symbol) = store.predicates(&[guard]).first() {
            let message = format!("{} has no place in a guard", store.name(symbol));
            return Err(ReadError::new(ErrorKind::Unsupported, place, message));
        }
        let mut used = left.args.to_vec();
        used.extend(&right.args);
        used.push(guard);
        let used = store.free_variables(&used);
        variables.retain(|variable| used.contains(variable));
        self.system.clauses.push(Clause {
            variables: variables.into(),
            constraint: guard,
            body: [left].into(),
            premises: [].into(),
            head: Some(right),
            span: place,
        });
        Ok(())
    }

    /// A location with its arguments.
    fn side(&self, store: &mut Store, lexer: &mut Lexer<'_>, reader: &mut Reader) -> Result<Atom, ReadError> {
        let is_open = lexer.peek().kind == TokenKind::Open;
        if is_open {
            lexer.next_token();
        }
        let (predicate, span) = self.location(lexer)?;
        let Predicate { sorts, name, .. } = self.system.predicate(predicate);
        let mut args = Vec::new();
        if is_open {
            while !matches!(lexer.peek().kind, TokenKind::Close | TokenKind::End) {
                let place = lexer.peek().span();
                let term = reader.read_term(lexer, store)?;
                if let Some(&expected) = sorts.get(args.len())
                    && store.sort(term) != expected
                {
                    let [expected, found] =
                        [expected, store.sort(term)].map(|s| store.display_sort(s).to_string());
                    let message = format!("an argument of {name} must be of sort {expected}, not {found}");
                    return Err(ReadError::new(ErrorKind::IllSorted, place, message));
                }
                args.push(term);
            }
            expect_close(lexer)?;
        }
        if args.len() != sorts.len() {
            let message = format!("{name} takes {} arguments, not {}", sorts.len(), args.len());
            return Err(ReadError::new(ErrorKind::IllSorted, span, message));
        }
        Ok(Atom { predicate, args: args.into() })
    }

    /// The names in a rule that are neither applied nor bound to a meaning by SMT-LIB, with their sorts: an argument of a
    /// location on the left has the sort of its place.
    fn variables(&self, mut lexer: Lexer<'_>) -> Result<BTreeMap<String, Sort>, ReadError> {
        let mut found: BTreeMap<String, Sort> = BTreeMap::new();
        // For each open list how many of its members were passed, and the location that it begins with.
        let mut open: Vec<(usize, Option<PredicateId>)> = vec![(1, None)];
        loop {
            let token = lexer.next_token();
            let Some((position, location)) = open.last_mut() else { return Ok(found) };
            let at = *position;
            match token.kind {
                TokenKind::End | TokenKind::Malformed => return Ok(found),
                TokenKind::Close => {
                    open.pop();
                    continue;
                }
                TokenKind::Open => {
                    *position += 1;
                    open.push((0, None));
                    continue;
                }
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = lexer.slice(token.span()).trim_matches('|');
                    if at == 0 {
                        *location = self.names.get(name).copied();
                    } else if !["true", "false"].contains(&name) {
                        let sorts = location.map(|id| &self.system.predicate(id).sorts);
                        let sort = sorts.and_then(|sorts| sorts.get(at - 1)).copied();
                        match (found.get(name), sort) {
                            (Some(_), None) => {}
                            (Some(&known), Some(_)) if known != self.sort => {}
                            _ => {
                                found.insert(name.to_owned(), sort.unwrap_or(self.sort));
                            }
                        }
                    }
                }
                _ => {}
            }
            *position += 1;
        }
    }

    /// Adds the fact that runs begin at the entry point.
    fn start(&mut self, store: &mut Store, predicate: PredicateId, span: Span) {
        let sorts = self.system.predicate(predicate).sorts.clone();
        let args: Box<[Term]> = sorts.iter().map(|&sort| store.variable("start", sort)).collect();
        let head = Some(Atom { predicate, args: args.clone() });
        let (constraint, body, premises) = (Term::TRUE, [].into(), [].into());
        self.system.clauses.push(Clause { variables: args, constraint, body, premises, head, span });
    }
}

/// The variables that `:var` declares in the rule whose sides come next, if it does.
fn declared_variables(mut lexer: Lexer<'_>) -> Result<Option<BTreeMap<String, Sort>>, ReadError> {
    skip_expression(&mut lexer)?;
    skip_expression(&mut lexer)?;
    while lexer.peek().kind == TokenKind::Keyword {
        let keyword = lexer.next_token();
        if lexer.slice(keyword.span()) != ":var" {
            skip_expression(&mut lexer)?;
            continue;
        }
        let open = lexer.next_token();
        if open.kind != TokenKind::Open {
            return Err(unexpected(&lexer, open, "a list of variables"));
        }
        let mut declared = BTreeMap::new();
        while lexer.peek().kind == TokenKind::Open {
            lexer.next_token();
            let (name, span) = symbol(&mut lexer, "a variable")?;
            if declared.insert(name.clone(), sort(&mut lexer)?).is_some() {
                let message = format!("the variable {name} is declared already");
                return Err(ReadError::new(ErrorKind::Redeclared, span, message));
            }
            expect_close(&mut lexer)?;
        }
        expect_close(&mut lexer)?;
        return Ok(Some(declared));
    }
    Ok(None)
}
