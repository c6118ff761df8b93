//! What binds or names: `let`, quantifiers, parameters and annotations.

use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, expect_open, skip_expression, unexpected};
use super::frames::Head;
use super::lexer::{Lexer, Token, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::symbol_table::Meaning;
use crate::{Store, Term};

impl Reader {
    /// The start of a `let`, up to and including the name of the first binding.
    pub(super) fn open_let(&mut self, lexer: &mut Lexer<'_>, open: Token) -> Result<Option<Term>, ReadError> {
        expect_open(lexer)?;
        self.push_frame(Head::LetBindings, open.start, self.pending.len() as u32);
        expect_open(lexer)?;
        self.binding_name(lexer)?;
        Ok(None)
    }

    pub(super) fn binding_name(&mut self, lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
        let token = lexer.next_token();
        let name = self.symbol_name(lexer, token)?;
        self.pending.push((name, token.span()));
        Ok(())
    }

    /// `(forall ((x S) …)`, after the quantifier: declares and binds the variables.
    pub(super) fn open_quantifier(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        open: Token,
        universal: bool,
    ) -> Result<Option<Term>, ReadError> {
        let mark = self.symbol_table.binding_count() as u32;
        self.push_frame(Head::Quantifier { universal }, open.start, mark);
        let base = self.terms.len();
        self.read_variables(lexer, store)?;
        if self.terms.len() == base {
            let span = Span::new(open.start, lexer.offset());
            return Err(ReadError::new(ErrorKind::Syntax, span, "a quantifier needs a variable"));
        }
        self.variable_scopes += 1;
        Ok(None)
    }

    /// Reads `((x S) …)`: makes a variable for each, leaves it on the stack of terms, and binds its name.
    pub(super) fn read_variables(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
    ) -> Result<(), ReadError> {
        expect_open(lexer)?;
        self.binders += 1;
        loop {
            let token = lexer.next_token();
            match token.kind {
                TokenKind::Close => return Ok(()),
                TokenKind::Open => {}
                _ => return Err(unexpected(lexer, token, "a variable with its sort")),
            }
            let token = lexer.next_token();
            let name = self.symbol_name(lexer, token)?;
            let sort = self.read_sort(lexer, store)?;
            expect_close(lexer)?;
            self.check_repetition(name, token.span())?;
            let variable = store.variable(self.symbol_table.text(name), sort);
            self.push_term(variable, token.start);
            self.symbol_table.bind(name, Meaning::Term(variable));
        }
    }

    /// Reads a list of parameters and binds them; gives the variables that stand for them.
    pub(super) fn read_parameters(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
    ) -> Result<Vec<Term>, ReadError> {
        let result = self.read_variables(lexer, store);
        let variables = std::mem::take(&mut self.terms);
        self.starts.clear();
        result.map(|()| variables)
    }

    /// Fails if the name was bound before in the list of bindings that is being worked on.
    pub(super) fn check_repetition(&mut self, name: Name, span: Span) -> Result<(), ReadError> {
        if self.bound_in.len() <= name.index() {
            self.bound_in.resize(name.index() + 1, 0);
        }
        if std::mem::replace(&mut self.bound_in[name.index()], self.binders) == self.binders {
            let message = format!("{} is bound twice", self.symbol_table.text(name));
            return Err(ReadError::new(ErrorKind::Redeclared, span, message));
        }
        Ok(())
    }

    /// Binds the names of a `let` to the terms read for them, and turns its frame to the body.
    pub(super) fn enter_let_body(&mut self, base: usize, pending: usize) -> Result<(), ReadError> {
        let mark = self.symbol_table.binding_count() as u32;
        self.binders += 1;
        for offset in 0..self.pending.len() - pending {
            let (name, span) = self.pending[pending + offset];
            self.check_repetition(name, span)?;
            self.symbol_table.bind(name, Meaning::Term(self.terms[base + offset]));
        }
        self.pending.truncate(pending);
        self.terms.truncate(base);
        self.starts.truncate(base);
        if let Some(frame) = self.frames.last_mut() {
            frame.head = Head::LetBody;
            frame.mark = mark;
        }
        Ok(())
    }

    /// The attributes of an annotation, up to and including its closing parenthesis. `:named` takes effect, the
    /// others are skipped.
    pub(super) fn read_attributes(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        term: Term,
    ) -> Result<(), ReadError> {
        let mut token = lexer.next_token();
        if token.kind != TokenKind::Keyword {
            return Err(unexpected(lexer, token, "an attribute"));
        }
        while token.kind == TokenKind::Keyword {
            if lexer.slice(token.span()) == ":named" {
                let token = lexer.next_token();
                let name = self.symbol_name(lexer, token)?;
                if self.variable_scopes > 0 {
                    let message =
                        "a term inside a quantifier or a definition with parameters is given a name";
                    return Err(ReadError::new(ErrorKind::Unsupported, token.span(), message));
                }
                self.check_unused(name, token.span())?;
                let term = self.settle_bits(store, term, token.span())?;
                self.symbol_table.label(name, term);
                if self.frames.len() == 1 {
                    self.label = Some(name);
                }
            } else if !matches!(lexer.peek().kind, TokenKind::Keyword | TokenKind::Close) {
                skip_expression(lexer)?;
            }
            token = lexer.next_token();
        }
        match token.kind {
            TokenKind::Close => Ok(()),
            _ => Err(unexpected(lexer, token, "an attribute or a closing parenthesis")),
        }
    }
}
