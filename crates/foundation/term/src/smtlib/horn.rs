//! Commands of Horn clauses that SMT-LIB does not have.
//!
//! The fixed-point form of Z3 declares relations and variables, gives rules without writing their quantifiers
//! and asks whether a relation can be derived.

use super::error::ReadError;
use super::expect::skip_expression;
use super::lexer::{Lexer, Token, TokenKind};
use super::reader::Reader;
use super::script::{Command, spanned};
use super::symbol_table::Meaning;
use crate::{Sort, Store};

impl Reader {
    /// The Horn command with this name, up to its closing parenthesis; `None` if it is another one.
    pub(super) fn horn_command<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
        word: Token,
    ) -> Result<Option<Command<'t>>, ReadError> {
        Ok(Some(match lexer.slice(word.span()) {
            "declare-rel" => {
                let (name, _) = self.new_name(lexer)?;
                let args = self.read_sorts(lexer, store)?;
                // What may follow are the names of representations.
                skip_rest(lexer)?;
                Command::Declare(self.declare_symbol(store, name, &args, Sort::Bool))
            }
            "declare-var" => {
                let (name, _) = self.new_name(lexer)?;
                let sort = self.read_sort(lexer, store)?;
                Command::DeclareVariable(self.declare_symbol(store, name, &[], sort))
            }
            "rule" => {
                let (formula, span) = spanned(lexer, |lexer| self.read_term(lexer, store))?;
                self.check_sort(store, formula, Sort::Bool, span)?;
                // What may follow is the name of the rule.
                skip_rest(lexer)?;
                Command::Rule(formula)
            }
            "query" => {
                let command = self.query(lexer, store)?;
                // What may follow are options.
                skip_rest(lexer)?;
                command
            }
            _ => return Ok(None),
        }))
    }

    /// The subject of a query: a predicate with arguments by its bare name, or a formula.
    fn query<'t>(&mut self, lexer: &mut Lexer<'t>, store: &mut Store) -> Result<Command<'t>, ReadError> {
        let token = lexer.peek();
        if matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            let name = self.head_name(lexer, token)?;
            if let Meaning::Function(symbol) = self.symbol_table.meaning(name) {
                lexer.next_token();
                return Ok(Command::QueryPredicate(symbol));
            }
        }
        let (formula, span) = spanned(lexer, |lexer| self.read_term(lexer, store))?;
        self.check_sort(store, formula, Sort::Bool, span)?;
        Ok(Command::Query(formula))
    }
}

/// Passes over expressions up to the closing parenthesis of the command.
fn skip_rest(lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
    while lexer.peek().kind != TokenKind::Close {
        skip_expression(lexer)?;
    }
    Ok(())
}
