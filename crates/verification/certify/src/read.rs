//! From the text of an assertion to its syntax.
//!
//! The whole script has been read and checked before, so mistakes are not told with their places here; what proofs do
//! not know is refused. Nothing recurses: terms that are not complete are frames on a stack, and the body of a defined
//! function is read again for each of its uses, with its parameters bound to the arguments.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Rat;
use shem_chc::System;
use shem_term::smtlib::{Lexer, Span, Token, TokenKind};
use shem_term::{Sort, Value};

use crate::error::{ProofError, unsupported};
use crate::formula::{Constant, Formula, Head, NodeId, Operator, Quantifier, Variable, VariableId};

/// How many tokens are read for one assertion; only defined functions make more of them than there is text.
const TOKEN_LIMIT: usize = 50_000_000;

type Names<'t, T> = HashMap<&'t str, T, FxBuildHasher>;

/// What the names of a script mean.
pub(crate) struct Definitions<'t> {
    text: &'t str,
    functions: Names<'t, Function<'t>>,
    sorts: Names<'t, Sort>,
    predicates: Names<'t, u32>,
}

/// A function that the script defines.
struct Function<'t> {
    parameters: Vec<&'t str>,
    /// Where the body starts.
    body: Lexer<'t>,
}

impl<'t> Definitions<'t> {
    /// Reads the definitions of a script.
    pub(crate) fn read(text: &'t str, system: &'t System) -> Result<Definitions<'t>, ProofError> {
        let sorts = [("Bool", Sort::Bool), ("Int", Sort::Int), ("Real", Sort::Real)];
        let predicates = system.predicates.iter().enumerate().map(|(i, p)| (&*p.name, i as u32));
        let mut definitions = Definitions {
            text,
            functions: Names::default(),
            sorts: sorts.into_iter().collect(),
            predicates: predicates.collect(),
        };
        let Ok(mut lexer) = Lexer::new(text) else { return unsupported("the text is too long") };
        while lexer.next_token().kind == TokenKind::Open {
            let word = lexer.next_token();
            let mut inside = lexer.clone();
            match lexer.slice(word.span()) {
                "define-fun" => definitions.function(&mut inside)?,
                "define-sort" => definitions.sort(&mut inside),
                _ => {}
            }
            skip_to_close(&mut lexer);
        }
        Ok(definitions)
    }

    fn function(&mut self, lexer: &mut Lexer<'t>) -> Result<(), ProofError> {
        let name = symbol(lexer)?;
        lexer.next_token();
        let mut parameters = Vec::new();
        while lexer.next_token().kind == TokenKind::Open {
            parameters.push(symbol(lexer)?);
            skip_to_close(lexer);
        }
        skip_expression(lexer);
        self.functions.insert(name, Function { parameters, body: lexer.clone() });
        Ok(())
    }

    /// A name for one of the sorts that proofs know. Others are not known where they are used.
    fn sort(&mut self, lexer: &mut Lexer<'t>) {
        let Ok(name) = symbol(lexer) else { return };
        skip_expression(lexer);
        let token = lexer.next_token();
        if let Some(&sort) = self.sorts.get(lexer.slice(token.span())) {
            self.sorts.insert(name, sort);
        }
    }

    /// The text of the formula that a command asserts, and its syntax with the root.
    pub(crate) fn assertion(&self, span: Span) -> Result<(&'t str, Formula, NodeId), ProofError> {
        let command = &self.text[span.range()];
        let Ok(mut lexer) = Lexer::new(command) else { return unsupported("the text is too long") };
        lexer.next_token();
        let word = lexer.next_token();
        match lexer.slice(word.span()) {
            "assert" => {}
            "rule" | "query" => {
                return unsupported("proofs are about assertions, not about rules and queries");
            }
            other => return unsupported(format!("proofs are about assertions, not about {other}")),
        }
        let reading = Reading {
            definitions: self,
            lexer,
            formula: Formula::default(),
            scope: Names::default(),
            frames: Vec::new(),
            terms: Vec::new(),
            depth: 0,
            tokens: 0,
        };
        let (formula, root, end) = reading.read()?;
        Ok((command[word.end as usize..end as usize].trim(), formula, root))
    }
}

/// A term that is not complete.
enum Frame<'t> {
    /// The arguments so far begin here in the list of terms.
    Apply {
        name: &'t str,
        base: usize,
    },
    /// The values of the names so far begin here in the list of terms.
    LetBindings {
        names: Vec<&'t str>,
        base: usize,
    },
    LetBody {
        names: Vec<&'t str>,
    },
    Quantifier {
        index: u32,
        names: Vec<&'t str>,
    },
    Annotation,
    /// The body of a defined function is read; what follows the call comes after it.
    Call {
        parameters: Vec<&'t str>,
        rest: Lexer<'t>,
    },
}

/// An assertion being read.
struct Reading<'d, 't> {
    definitions: &'d Definitions<'t>,
    lexer: Lexer<'t>,
    formula: Formula,
    /// The meanings of local names, the latest last, with the depth of calls at which they hold.
    scope: Names<'t, Vec<(usize, NodeId)>>,
    frames: Vec<Frame<'t>>,
    terms: Vec<NodeId>,
    /// The number of calls of defined functions around the current place.
    depth: usize,
    tokens: usize,
}

impl<'t> Reading<'_, 't> {
    fn read(mut self) -> Result<(Formula, NodeId, u32), ProofError> {
        loop {
            // A term begins here; it is complete at once or a frame.
            let mut complete = self.begin()?;
            while complete {
                if self.frames.is_empty() {
                    let root = self.terms.pop().expect("a term was read");
                    return Ok((self.formula, root, self.lexer.offset()));
                }
                complete = self.advance()?;
            }
        }
    }

    fn token(&mut self) -> Result<Token, ProofError> {
        self.tokens += 1;
        if self.tokens > TOKEN_LIMIT {
            return unsupported("an assertion is too large once its defined functions are put in");
        }
        Ok(self.lexer.next_token())
    }

    /// Starts to read a term. Whether it is complete.
    fn begin(&mut self) -> Result<bool, ProofError> {
        let token = self.token()?;
        let text = self.lexer.slice(token.span());
        match token.kind {
            TokenKind::Numeral | TokenKind::Decimal => {
                let node = self.number(text, token.kind == TokenKind::Decimal)?;
                self.terms.push(node);
                Ok(true)
            }
            TokenKind::Symbol | TokenKind::Quoted => {
                let base = self.terms.len();
                self.resolve(unquoted(text), base)
            }
            TokenKind::Open => self.open(),
            _ => unsupported(format!("the literal {text}")),
        }
    }

    /// What follows an opening parenthesis.
    fn open(&mut self) -> Result<bool, ProofError> {
        let token = self.token()?;
        let text = self.lexer.slice(token.span());
        let base = self.terms.len();
        match (token.kind, text) {
            (TokenKind::Symbol, "let") => {
                self.token()?;
                self.token()?;
                let name = self.symbol()?;
                self.frames.push(Frame::LetBindings { names: vec![name], base });
            }
            (TokenKind::Symbol, "forall" | "exists") => self.quantifier(text == "forall")?,
            (TokenKind::Symbol, "!") => self.frames.push(Frame::Annotation),
            (TokenKind::Symbol, "_" | "as" | "match" | "lambda") => {
                return unsupported(format!("terms with {text}"));
            }
            (TokenKind::Symbol | TokenKind::Quoted, _) => {
                self.frames.push(Frame::Apply { name: unquoted(text), base });
            }
            _ => return unsupported("indexed and qualified functions"),
        }
        Ok(false)
    }

    fn symbol(&mut self) -> Result<&'t str, ProofError> {
        let token = self.token()?;
        Ok(unquoted(self.lexer.slice(token.span())))
    }

    fn quantifier(&mut self, universal: bool) -> Result<(), ProofError> {
        self.token()?;
        let (mut names, mut variables) = (Vec::new(), Vec::new());
        while self.token()?.kind == TokenKind::Open {
            let token = self.token()?;
            let name = self.lexer.slice(token.span());
            let sort = self.token()?;
            let sort = self.lexer.slice(sort.span());
            let Some(&sort) = self.definitions.sorts.get(unquoted(sort)) else {
                return unsupported(
                    "variables of sorts other than Bool, Int and Real: Carcara has no rules for them",
                );
            };
            self.token()?;
            let variable = VariableId::new(self.formula.variables.len());
            self.formula.variables.push(Variable { name: name.into(), sort });
            variables.push(variable);
            names.push((unquoted(name), self.formula.node(Head::Variable(variable), &[], sort)));
        }
        for &(name, node) in &names {
            self.bind(name, node);
        }
        let index = self.formula.quantifiers.len() as u32;
        self.formula.quantifiers.push(Quantifier { universal, variables });
        let names = names.into_iter().map(|(name, _)| name).collect();
        self.frames.push(Frame::Quantifier { index, names });
        Ok(())
    }

    fn bind(&mut self, name: &'t str, node: NodeId) {
        let depth = self.depth;
        self.scope.entry(name).or_default().push((depth, node));
    }

    fn unbind(&mut self, names: &[&'t str]) {
        for name in names {
            self.scope.get_mut(name).and_then(Vec::pop);
        }
    }

    /// A number, which need not be the only one with its value.
    fn number(&mut self, text: &str, decimal: bool) -> Result<NodeId, ProofError> {
        let sort = if decimal { Sort::Real } else { Sort::Int };
        match parse_number(text) {
            Some(value) => Ok(self.constant(text, Value::Num(value), sort)),
            None => unsupported(format!("the number {text}")),
        }
    }

    fn constant(&mut self, text: &str, value: Value, sort: Sort) -> NodeId {
        let constants = &mut self.formula.constants;
        let index = constants.iter().position(|known| &*known.text == text).unwrap_or_else(|| {
            constants.push(Constant { text: text.into(), value });
            constants.len() - 1
        });
        self.formula.node(Head::Constant(index as u32), &[], sort)
    }

    /// Applies what a name means to the terms from `base` on. Whether the result is complete.
    fn resolve(&mut self, name: &'t str, base: usize) -> Result<bool, ProofError> {
        let local = self.scope.get(name).and_then(|meanings| meanings.last());
        let local = local.filter(|(depth, _)| *depth == self.depth).map(|&(_, node)| node);
        let args = self.terms.split_off(base);
        let node = if let Some(node) = local.filter(|_| args.is_empty()) {
            node
        } else if let Some(function) = self.definitions.functions.get(name) {
            if args.len() != function.parameters.len() {
                return unsupported(format!("the application of {name}"));
            }
            self.depth += 1;
            for (&parameter, &arg) in function.parameters.iter().zip(&args) {
                self.bind(parameter, arg);
            }
            let rest = std::mem::replace(&mut self.lexer, function.body.clone());
            self.frames.push(Frame::Call { parameters: function.parameters.clone(), rest });
            return Ok(false);
        } else if let Some(&predicate) = self.definitions.predicates.get(name) {
            self.formula.node(Head::Predicate(predicate), &args, Sort::Bool)
        } else {
            match (name, &args[..]) {
                ("true", []) => self.constant("true", Value::Bool(true), Sort::Bool),
                ("false", []) => self.constant("false", Value::Bool(false), Sort::Bool),
                (_, []) => return unsupported(format!("the symbol {name}")),
                _ => self.operation(name, &args)?,
            }
        };
        self.terms.push(node);
        Ok(true)
    }

    fn operation(&mut self, name: &str, args: &[NodeId]) -> Result<NodeId, ProofError> {
        let Some(operator) = Operator::named(name) else {
            return unsupported(format!("the function {name}: Carcara has no rule that computes it"));
        };
        let mixed = args.iter().any(|&arg| self.formula.is_mixed(arg));
        match (operator, args) {
            (
                Operator::Not | Operator::Absolute | Operator::ToReal | Operator::ToInt | Operator::IsInt,
                [_],
            )
            | (Operator::Subtract | Operator::And | Operator::Or, [_, ..])
            | (Operator::Ite, [_, _, _])
            | (_, [_, _]) => {}
            (Operator::Implies, [_, _, _, ..]) if mixed => {
                let whole = self.formula.apply(operator, args);
                self.formula.nest(whole);
                return Ok(whole);
            }
            (Operator::IntDivide | Operator::Modulo, _) => {
                return unsupported(format!("{name} of many terms"));
            }
            (_, [_, _, _, ..]) if !mixed => {}
            _ => return unsupported(format!("predicates inside {name} of {} terms", args.len())),
        }
        Ok(self.formula.apply(operator, args))
    }

    /// Goes on with the innermost frame after a term in it. Whether the frame is complete.
    fn advance(&mut self) -> Result<bool, ProofError> {
        match self.frames.pop().expect("a frame") {
            Frame::Apply { name, base } => {
                if self.lexer.peek().kind != TokenKind::Close {
                    self.frames.push(Frame::Apply { name, base });
                    return Ok(false);
                }
                self.token()?;
                self.resolve(name, base)
            }
            Frame::LetBindings { mut names, base } => {
                self.token()?;
                if self.token()?.kind == TokenKind::Open {
                    let name = self.symbol()?;
                    names.push(name);
                    self.frames.push(Frame::LetBindings { names, base });
                    return Ok(false);
                }
                let values = self.terms.split_off(base);
                for (&name, value) in names.iter().zip(values) {
                    self.bind(name, value);
                }
                self.frames.push(Frame::LetBody { names });
                Ok(false)
            }
            Frame::LetBody { names } => {
                self.token()?;
                self.unbind(&names);
                Ok(true)
            }
            Frame::Quantifier { index, names } => {
                self.token()?;
                self.unbind(&names);
                let body = self.terms.pop().expect("a body");
                let node = self.formula.node(Head::Quantifier(index), &[body], Sort::Bool);
                self.terms.push(node);
                Ok(true)
            }
            Frame::Annotation => {
                skip_to_close(&mut self.lexer);
                Ok(true)
            }
            Frame::Call { parameters, rest } => {
                self.unbind(&parameters);
                self.depth -= 1;
                self.lexer = rest;
                Ok(true)
            }
        }
    }
}

/// The name without bars.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('|').and_then(|inner| inner.strip_suffix('|')).unwrap_or(text)
}

fn symbol<'t>(lexer: &mut Lexer<'t>) -> Result<&'t str, ProofError> {
    let token = lexer.next_token();
    match token.kind {
        TokenKind::Symbol | TokenKind::Quoted => Ok(unquoted(lexer.slice(token.span()))),
        _ => unsupported("a definition without a name"),
    }
}

/// Skips what is left in the current parentheses, and the closing one.
fn skip_to_close(lexer: &mut Lexer<'_>) {
    let mut depth = 1_usize;
    while depth > 0 {
        match lexer.next_token().kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::End => return,
            _ => {}
        }
    }
}

fn skip_expression(lexer: &mut Lexer<'_>) {
    if lexer.next_token().kind == TokenKind::Open {
        skip_to_close(lexer);
    }
}

/// Digits with or without a point among them.
fn parse_number(text: &str) -> Option<Rat> {
    let Some((whole, part)) = text.split_once('.') else { return text.parse().ok() };
    let digits: Rat = format!("{whole}{part}").parse().ok()?;
    let scale: Rat = format!("1{}", "0".repeat(part.len())).parse().ok()?;
    Some(digits / scale)
}
