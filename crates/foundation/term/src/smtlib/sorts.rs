//! Reading sorts: basic ones, arrays, declared sorts and datatypes with their parameters, and names that
//! `define-sort` gives.

use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, expect_open, unexpected};
use super::lexer::{Lexer, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::schemes::{SchemeNode, Schemes, SortBody, SortConstructor};
use super::script::Command;
use super::symbol_table::{SortAlias, SortMeaning, is_reserved, word};
use crate::{SORT_LIMIT, Sort, Store};
use shem_base::counted;

/// An application of a sort name whose arguments are being read.
struct Application {
    alias: SortAlias,
    start: u32,
    /// Where its arguments start in the list of those read.
    base: usize,
}

impl Reader {
    /// Reads a sort.
    pub fn read_sort(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Sort, ReadError> {
        match self.read_sort_body(lexer, store, &[])? {
            SortBody::Sort(sort) => Ok(sort),
            SortBody::Scheme(_) => unreachable!("a parameter of a definition that has none"),
        }
    }

    /// Reads a sort in which these parameters may occur.
    pub(super) fn read_sort_body(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        params: &[Name],
    ) -> Result<SortBody, ReadError> {
        let mut open: Vec<Application> = Vec::new();
        let mut done: Vec<SortBody> = Vec::new();
        loop {
            let token = lexer.next_token();
            let sort = match token.kind {
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = self.symbol_name(lexer, token)?;
                    match params.iter().position(|&param| param == name) {
                        Some(param) => self.families.schemes.param(param),
                        None => {
                            let alias = self.sort_alias(name, token.span())?;
                            // The old form of `declare-datatypes` leaves the parameters out inside the group.
                            let args = match alias.meaning {
                                SortMeaning::Constructor(SortConstructor::Datatype(generic))
                                    if self.is_open_without_parameters(generic) =>
                                {
                                    (0..alias.arity).map(|param| self.families.schemes.param(param)).collect()
                                }
                                _ => Vec::new(),
                            };
                            self.apply_sort(store, alias, &args, token.span())?
                        }
                    }
                }
                TokenKind::Open => {
                    let head = lexer.next_token();
                    let name = self.head_name(lexer, head)?;
                    if head.kind == TokenKind::Symbol && name == word::INDEXED {
                        let sort = SortBody::Sort(self.indexed_sort(lexer)?);
                        if open.is_empty() {
                            return Ok(sort);
                        }
                        done.push(sort);
                        continue;
                    }
                    if head.kind == TokenKind::Symbol && is_reserved(name) {
                        return Err(ReadError::new(ErrorKind::Syntax, head.span(), "expected a sort"));
                    }
                    let alias = self.sort_alias(name, head.span())?;
                    open.push(Application { alias, start: token.start, base: done.len() });
                    continue;
                }
                TokenKind::Close => match open.pop() {
                    Some(Application { alias, start, base }) => {
                        let span = Span::new(start, token.end);
                        if done.len() == base {
                            let message = "a sort in parentheses needs arguments";
                            return Err(ReadError::new(ErrorKind::Syntax, span, message));
                        }
                        let args = done.split_off(base);
                        self.apply_sort(store, alias, &args, span)?
                    }
                    None => return Err(unexpected(lexer, token, "a sort")),
                },
                _ => return Err(unexpected(lexer, token, "a sort")),
            };
            if sort == SortBody::Sort(Sort::Int) {
                self.integers_in_use = true;
            }
            if open.is_empty() {
                return Ok(sort);
            }
            done.push(sort);
        }
    }

    fn sort_alias(&self, name: Name, span: Span) -> Result<SortAlias, ReadError> {
        if let Some(alias) = self.symbol_table.sort(name) {
            return Ok(alias);
        }
        let text = self.symbol_table.text(name);
        let number = |sort| SortAlias { arity: 0, meaning: SortMeaning::Definition(SortBody::Sort(sort)) };
        match text {
            // The logic has no numbers, and nobody has declared a sort of this name.
            "Int" => Ok(number(Sort::Int)),
            "Real" => Ok(number(Sort::Real)),
            "Array" => Ok(SortAlias { arity: 2, meaning: SortMeaning::Constructor(SortConstructor::Array) }),
            "String" | "RegLan" | "RoundingMode" | "Float16" | "Float32" | "Float64" | "Float128"
            | "BitVec" | "FloatingPoint" | "Seq" | "Set" => {
                let message = format!("the sort {text} is not supported yet");
                Err(ReadError::new(ErrorKind::Unsupported, span, message))
            }
            _ => Err(ReadError::new(ErrorKind::Unknown, span, format!("the sort {text} is not declared"))),
        }
    }

    /// The sort name applied to these arguments.
    fn apply_sort(
        &mut self,
        store: &mut Store,
        alias: SortAlias,
        args: &[SortBody],
        span: Span,
    ) -> Result<SortBody, ReadError> {
        if alias.arity != args.len() {
            let message = format!("this sort takes {}, not {}", counted(alias.arity, "argument"), args.len());
            return Err(ReadError::new(ErrorKind::IllSorted, span, message));
        }
        let result = match alias.meaning {
            SortMeaning::Constructor(constructor) => {
                let mut schemes = std::mem::take(&mut self.families.schemes);
                let result = self.make_sort(store, &mut schemes, constructor, args, span);
                self.families.schemes = schemes;
                result?
            }
            SortMeaning::Definition(body) => self.instantiate(store, body, args, span)?,
        };
        self.finish_instances(store, span)?;
        Ok(result)
    }

    /// The body with these sorts for its parameters.
    pub(super) fn instantiate(
        &mut self,
        store: &mut Store,
        body: SortBody,
        args: &[SortBody],
        span: Span,
    ) -> Result<SortBody, ReadError> {
        let mut schemes = std::mem::take(&mut self.families.schemes);
        let result = schemes.instantiate(body, args, |schemes, constructor, parts| {
            self.make_sort(store, schemes, constructor, parts, span)
        });
        self.families.schemes = schemes;
        result
    }

    fn make_sort(
        &mut self,
        store: &mut Store,
        schemes: &mut Schemes,
        constructor: SortConstructor,
        args: &[SortBody],
        span: Span,
    ) -> Result<SortBody, ReadError> {
        let sorts: Option<Vec<Sort>> = args
            .iter()
            .map(|arg| match arg {
                SortBody::Sort(sort) => Some(*sort),
                SortBody::Scheme(_) => None,
            })
            .collect();
        let Some(sorts) = sorts else {
            return Ok(SortBody::Scheme(schemes.intern(SchemeNode::Application(constructor, args.into()))));
        };
        check_room(store, span)?;
        Ok(SortBody::Sort(match constructor {
            SortConstructor::Array => store.array_sort(sorts[0], sorts[1]),
            SortConstructor::Datatype(generic) => self.use_instance(store, generic, sorts),
            SortConstructor::Declared(family) => {
                let name = self.families.declared[family as usize];
                let text = self.symbol_table.text(name);
                let instances = &mut self.families.declared_instances;
                *instances
                    .entry((family, sorts))
                    .or_insert_with_key(|(_, sorts)| store.declare_sort_instance(text, sorts))
            }
        }))
    }

    /// Reads the name of a new sort.
    pub(super) fn new_sort_name(&mut self, lexer: &mut Lexer<'_>) -> Result<(Name, Span), ReadError> {
        let token = lexer.next_token();
        let name = self.symbol_name(lexer, token)?;
        if self.symbol_table.sort(name).is_some() {
            let message = format!("the sort {} is declared already", self.symbol_table.text(name));
            return Err(ReadError::new(ErrorKind::Redeclared, token.span(), message));
        }
        Ok((name, token.span()))
    }

    /// The rest of `declare-sort`.
    pub(super) fn declare_sort<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<Command<'t>, ReadError> {
        let (name, span) = self.new_sort_name(lexer)?;
        let arity = if lexer.peek().kind == TokenKind::Close { 0 } else { read_arity(lexer)? };
        check_room(store, span)?;
        let meaning = if arity == 0 {
            let sort = store.declare_sort(self.symbol_table.text(name));
            SortMeaning::Definition(SortBody::Sort(sort))
        } else {
            self.families.declared.push(name);
            SortMeaning::Constructor(SortConstructor::Declared(self.families.declared.len() as u32 - 1))
        };
        self.symbol_table.define_sort(name, SortAlias { arity, meaning });
        Ok(Command::Define(name))
    }

    /// The rest of `define-sort`.
    pub(super) fn define_sort<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
    ) -> Result<Command<'t>, ReadError> {
        let (name, _) = self.new_sort_name(lexer)?;
        let params = self.read_sort_parameters(lexer)?;
        let body = self.read_sort_body(lexer, store, &params)?;
        let meaning = SortMeaning::Definition(body);
        self.symbol_table.define_sort(name, SortAlias { arity: params.len(), meaning });
        Ok(Command::Define(name))
    }

    /// Reads the names of parameters of a sort, in parentheses.
    pub(super) fn read_sort_parameters(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<Name>, ReadError> {
        expect_open(lexer)?;
        let mut params = Vec::new();
        while lexer.peek().kind != TokenKind::Close {
            let token = lexer.next_token();
            params.push(self.symbol_name(lexer, token)?);
        }
        expect_close(lexer)?;
        Ok(params)
    }
}

/// Fails if there are too many sorts.
pub(super) fn check_room(store: &Store, span: Span) -> Result<(), ReadError> {
    if store.sort_count() + 1 < SORT_LIMIT {
        return Ok(());
    }
    Err(ReadError::new(ErrorKind::Unsupported, span, format!("more than {SORT_LIMIT} sorts")))
}

/// Reads the number of parameters of a sort.
pub(super) fn read_arity(lexer: &mut Lexer<'_>) -> Result<usize, ReadError> {
    let token = lexer.next_token();
    if token.kind != TokenKind::Numeral {
        return Err(unexpected(lexer, token, "a numeral"));
    }
    lexer.slice(token.span()).parse().map_err(|_| unexpected(lexer, token, "a numeral"))
}
