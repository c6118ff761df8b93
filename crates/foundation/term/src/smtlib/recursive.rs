//! Recursive definitions: read, and refused only where they are used.

use super::error::{ErrorKind, ReadError};
use super::expect::{expect_close, expect_open, skip_expression};
use super::lexer::{Lexer, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::script::Command;
use super::symbol_table::Meaning;
use crate::Store;

impl Reader {
    /// The rest of `define-fun-rec`.
    pub(super) fn define_recursive<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<Command<'t>, ReadError> {
        let name = self.read_recursive_signature(lexer, store)?;
        skip_expression(lexer)?;
        self.symbol_table.define(name, Meaning::Recursive);
        Ok(Command::Define(name))
    }

    /// The rest of `define-funs-rec`: signatures, and as many bodies.
    pub(super) fn define_mutually_recursive<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<Command<'t>, ReadError> {
        expect_open(lexer)?;
        let mut names: Vec<Name> = Vec::new();
        loop {
            let open = expect_open(lexer)?;
            let name = self.read_recursive_signature(lexer, store)?;
            let close = expect_close(lexer)?;
            if names.contains(&name) {
                let message = format!("{} is declared already", self.symbol_table.text(name));
                return Err(ReadError::new(ErrorKind::Redeclared, open.span().to(close.span()), message));
            }
            names.push(name);
            if lexer.peek().kind == TokenKind::Close {
                break;
            }
        }
        expect_close(lexer)?;
        expect_open(lexer)?;
        for _ in &names {
            skip_expression(lexer)?;
        }
        expect_close(lexer)?;
        for &name in &names {
            self.symbol_table.define(name, Meaning::Recursive);
        }
        Ok(Command::Define(names[0]))
    }

    /// Reads a name, parameters and a sort, which are not kept but for the name.
    fn read_recursive_signature(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
    ) -> Result<Name, ReadError> {
        let (name, _) = self.new_name(lexer)?;
        let bindings = self.symbol_table.binding_count();
        let parameters = self.read_parameters(lexer, store);
        self.symbol_table.unbind(bindings);
        parameters?;
        self.read_sort(lexer, store)?;
        Ok(name)
    }
}
