//! `declare-datatype` and `declare-datatypes`, in the form of the standard and in the older one.
//!
//! The standard lists names with the numbers of their parameters and then the constructors of each; `par` names
//! the parameters. The older form lists the parameters first, the same for the whole group, and leaves them out
//! where a datatype occurs inside its own group.

use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, expect_open, unexpected};
use super::generics::{GenericConstructor, GenericDatatype, GenericSymbol, InstanceError};
use super::lexer::{Lexer, TokenKind};
use super::names::Name;
use super::reader::Reader;
use super::schemes::{SortBody, SortConstructor};
use super::script::Command;
use super::sorts::{check_room, read_arity};
use super::symbol_table::{Meaning, SortAlias, SortMeaning};
use crate::{ConstructorDeclaration, DatatypeError, Sort, Store};

/// A datatype of the group that is being read.
struct Member {
    name: Name,
    span: Span,
    arity: usize,
    kind: MemberKind,
    constructors: Vec<ReadConstructor>,
}

#[derive(Clone, Copy)]
enum MemberKind {
    Plain(Sort),
    Generic(u32),
}

/// A constructor as it was read.
struct ReadConstructor {
    name: Name,
    span: Span,
    fields: Vec<(Name, Span, SortBody)>,
}

impl Reader {
    /// The rest of `declare-datatype`, or of `declare-datatypes` if there are `several`.
    pub(super) fn declare_datatypes<'t>(
        &mut self,
        lexer: &mut Lexer<'t>,
        store: &mut Store,
        several: bool,
    ) -> Result<Command<'t>, ReadError> {
        let sorts = self.symbol_table.sort_mark();
        let generics = self.families.datatypes.len();
        self.families.declaring_datatypes = true;
        let mut result = self.read_group(lexer, store, several);
        self.families.declaring_datatypes = false;
        if let Ok(members) = &result
            && let Err(error) = self.define_group(store, members)
        {
            result = Err(error);
        }
        for generic in &mut self.families.datatypes {
            generic.open_without_parameters = false;
        }
        match result {
            Ok(members) => Ok(Command::Define(members[0].name)),
            Err(error) => {
                self.symbol_table.forget_sorts(sorts);
                self.forget_instances();
                // Numbers of parametric datatypes are not used again: instances may have theirs.
                self.families
                    .datatypes
                    .iter_mut()
                    .skip(generics)
                    .for_each(|generic| generic.constructors.clear());
                Err(error)
            }
        }
    }

    fn read_group(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        several: bool,
    ) -> Result<Vec<Member>, ReadError> {
        if !several {
            let (name, span) = self.new_sort_name(lexer)?;
            let (params, in_par) = self.open_constructors(lexer)?;
            let mut member = self.announce(store, name, span, params.len(), false)?;
            member.constructors = self.read_constructors(lexer, store, &params)?;
            if in_par {
                expect_close(lexer)?;
            }
            return Ok(vec![member]);
        }
        expect_open(lexer)?;
        if lexer.peek().kind == TokenKind::Open {
            self.read_new_form(lexer, store)
        } else {
            self.read_old_form(lexer, store)
        }
    }

    /// `((name arity) …) (constructors …)`, after the first parenthesis.
    fn read_new_form(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Vec<Member>, ReadError> {
        let mut members = Vec::new();
        while lexer.peek().kind != TokenKind::Close {
            expect_open(lexer)?;
            let (name, span) = self.new_sort_name(lexer)?;
            let arity = read_arity(lexer)?;
            expect_close(lexer)?;
            members.push(self.announce(store, name, span, arity, false)?);
        }
        expect_close(lexer)?;
        expect_open(lexer)?;
        for member in &mut members {
            let start = lexer.peek().start;
            let (params, in_par) = self.open_constructors(lexer)?;
            if params.len() != member.arity {
                let text = self.symbol_table.text(member.name);
                let message = format!("{text} has {} parameters, not {}", member.arity, params.len());
                let span = Span::new(start, lexer.offset());
                return Err(ReadError::new(ErrorKind::IllSorted, span, message));
            }
            member.constructors = self.read_constructors(lexer, store, &params)?;
            if in_par {
                expect_close(lexer)?;
            }
        }
        expect_close(lexer)?;
        Ok(members)
    }

    /// `(parameter …) ((name constructor …) …)`, after the first parenthesis.
    fn read_old_form(&mut self, lexer: &mut Lexer<'_>, store: &mut Store) -> Result<Vec<Member>, ReadError> {
        let mut params = Vec::new();
        while lexer.peek().kind != TokenKind::Close {
            let token = lexer.next_token();
            params.push(self.symbol_name(lexer, token)?);
        }
        expect_close(lexer)?;
        expect_open(lexer)?;
        // The names of the group come first, since constructors may use those of later members.
        let start = lexer.offset();
        let mut members = Vec::new();
        while lexer.peek().kind != TokenKind::Close {
            expect_open(lexer)?;
            let (name, span) = self.new_sort_name(lexer)?;
            members.push(self.announce(store, name, span, params.len(), true)?);
            while lexer.peek().kind != TokenKind::Close {
                super::expect::skip_expression(lexer)?;
            }
            expect_close(lexer)?;
        }
        if members.is_empty() {
            let token = lexer.next_token();
            return Err(unexpected(lexer, token, "a datatype"));
        }
        lexer.rewind(start);
        for member in &mut members {
            expect_open(lexer)?;
            lexer.next_token();
            member.constructors = self.read_constructors(lexer, store, &params)?;
        }
        expect_close(lexer)?;
        Ok(members)
    }

    /// Gives a datatype of the group its sort.
    fn announce(
        &mut self,
        store: &mut Store,
        name: Name,
        span: Span,
        arity: usize,
        without_parameters: bool,
    ) -> Result<Member, ReadError> {
        check_room(store, span)?;
        let (kind, meaning) = if arity == 0 {
            let sort = store.announce_datatype(self.symbol_table.text(name), &[]);
            (MemberKind::Plain(sort), SortMeaning::Definition(SortBody::Sort(sort)))
        } else {
            let number = self.families.datatypes.len() as u32;
            self.families.datatypes.push(GenericDatatype::new(name, arity, without_parameters));
            (MemberKind::Generic(number), SortMeaning::Constructor(SortConstructor::Datatype(number)))
        };
        self.symbol_table.define_sort(name, SortAlias { arity, meaning });
        Ok(Member { name, span, arity, kind, constructors: Vec::new() })
    }

    /// `(` before constructors, or `(par (X …) (`: the parameters, and whether a `par` has to be closed.
    fn open_constructors(&mut self, lexer: &mut Lexer<'_>) -> Result<(Vec<Name>, bool), ReadError> {
        expect_open(lexer)?;
        let token = lexer.peek();
        if token.kind == TokenKind::Symbol && lexer.slice(token.span()) == "par" {
            lexer.next_token();
            let params = self.read_sort_parameters(lexer)?;
            expect_open(lexer)?;
            return Ok((params, true));
        }
        Ok((Vec::new(), false))
    }

    /// Reads constructors up to and including the closing parenthesis.
    fn read_constructors(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        params: &[Name],
    ) -> Result<Vec<ReadConstructor>, ReadError> {
        let mut constructors = Vec::new();
        loop {
            let token = lexer.next_token();
            match token.kind {
                TokenKind::Close => return Ok(constructors),
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = self.symbol_name(lexer, token)?;
                    constructors.push(ReadConstructor { name, span: token.span(), fields: Vec::new() });
                }
                TokenKind::Open => {
                    let token = lexer.next_token();
                    let name = self.symbol_name(lexer, token)?;
                    let mut fields = Vec::new();
                    while lexer.peek().kind != TokenKind::Close {
                        expect_open(lexer)?;
                        let token = lexer.next_token();
                        let field = self.symbol_name(lexer, token)?;
                        let sort = self.read_sort_body(lexer, store, params)?;
                        expect_close(lexer)?;
                        fields.push((field, token.span(), sort));
                    }
                    expect_close(lexer)?;
                    constructors.push(ReadConstructor { name, span: token.span(), fields });
                }
                _ => return Err(unexpected(lexer, token, "a constructor")),
            }
        }
    }

    /// Defines a group that was read, and the names of its constructors and selectors.
    fn define_group(&mut self, store: &mut Store, members: &[Member]) -> Result<(), ReadError> {
        self.binders += 1;
        for member in members {
            if member.constructors.is_empty() {
                let message = DatatypeError::NoConstructor(0).to_string();
                return Err(ReadError::new(ErrorKind::IllSorted, member.span, message));
            }
            for constructor in &member.constructors {
                let fields = constructor.fields.iter().map(|&(name, span, _)| (name, span));
                for (name, span) in [(constructor.name, constructor.span)].into_iter().chain(fields) {
                    self.check_unused(name, span)?;
                    self.check_repetition(name, span)?;
                }
            }
        }
        self.define_members(store, members)?;
        for member in members {
            for (index, constructor) in member.constructors.iter().enumerate() {
                self.define_names(store, member.kind, index as u32, constructor);
            }
        }
        Ok(())
    }

    fn define_members(&mut self, store: &mut Store, members: &[Member]) -> Result<(), ReadError> {
        let mut group = Vec::new();
        let mut spans = Vec::new();
        let mut declarations = Vec::new();
        for member in members {
            match member.kind {
                MemberKind::Plain(sort) => {
                    group.push(sort);
                    spans.push(member.span);
                    declarations.push(self.plain_constructors(member));
                }
                MemberKind::Generic(generic) => {
                    let constructors =
                        member.constructors.iter().map(|c| self.generic_constructor(member.arity, c));
                    let constructors = constructors.collect();
                    self.families.datatypes[generic as usize].constructors = constructors;
                }
            }
        }
        // An instance of a parametric datatype is made at once: what is wrong with it is wrong with all.
        for member in members {
            if let MemberKind::Generic(generic) = member.kind {
                self.datatype_instance(store, generic, vec![Sort::Bool; member.arity]);
            }
        }
        let whole = members[0].span;
        let pending: Vec<Sort> = self.families.pending.iter().map(|entry| entry.1).collect();
        let defined = self.define_with_instances(store, group, declarations, whole);
        // Nobody has used these instances yet.
        for member in members {
            if let MemberKind::Generic(generic) = member.kind {
                self.families.datatypes[generic as usize].forget_uses();
            }
        }
        defined.map_err(|error| match error {
            InstanceError::Read(error) => error,
            InstanceError::Datatype(error) => {
                let kind = match error {
                    DatatypeError::RecursionThroughArray(_) => ErrorKind::Unsupported,
                    _ => ErrorKind::IllSorted,
                };
                let position = error.member();
                let span = spans.get(position).copied().unwrap_or_else(|| {
                    // The error is about an instance, perhaps one of a member.
                    let generic = pending
                        .get(position.saturating_sub(spans.len()))
                        .and_then(|&sort| store.sort_name(sort))
                        .map_or("", |(name, _)| name);
                    let named = |member: &&Member| self.symbol_table.text(member.name) == generic;
                    members.iter().find(named).map_or(whole, |member| member.span)
                });
                ReadError::new(kind, span, error.to_string())
            }
        })
    }

    fn plain_constructors(&self, member: &Member) -> Vec<ConstructorDeclaration<Sort>> {
        let text = |name: Name| self.symbol_table.text(name).to_owned();
        let constructors = member.constructors.iter().map(|constructor| {
            let fields = constructor.fields.iter().map(|&(name, _, body)| match body {
                SortBody::Sort(sort) => (text(name), sort),
                SortBody::Scheme(_) => unreachable!("a datatype without parameters"),
            });
            let fields = fields.collect();
            ConstructorDeclaration { name: text(constructor.name), fields, qualified: false }
        });
        constructors.collect()
    }

    fn generic_constructor(&self, arity: usize, constructor: &ReadConstructor) -> GenericConstructor {
        let bodies = || constructor.fields.iter().map(|field| field.2);
        GenericConstructor {
            name: constructor.name,
            fields: constructor.fields.iter().map(|&(name, _, body)| (name, body)).collect(),
            qualified: !(0..arity).all(|param| self.families.schemes.mentions(bodies(), param)),
        }
    }

    /// Gives the names of a constructor and its selectors their meanings.
    fn define_names(
        &mut self,
        store: &mut Store,
        kind: MemberKind,
        index: u32,
        constructor: &ReadConstructor,
    ) {
        match kind {
            MemberKind::Plain(sort) => {
                let Some(datatype) = store.datatype_of(sort) else { return };
                let made = datatype.constructors()[index as usize].clone();
                let meaning = if made.selectors.is_empty() {
                    Meaning::Term(store.construct(made.symbol, &[]))
                } else {
                    Meaning::Function(made.symbol)
                };
                self.symbol_table.define(constructor.name, meaning);
                for (&(name, ..), &selector) in constructor.fields.iter().zip(&made.selectors) {
                    self.symbol_table.define(name, Meaning::Function(selector));
                }
            }
            MemberKind::Generic(datatype) => {
                let symbol = GenericSymbol { datatype, constructor: index, field: None };
                let id = self.families.add_symbol(symbol);
                self.symbol_table.define(constructor.name, Meaning::Generic(id));
                for (field, &(name, ..)) in constructor.fields.iter().enumerate() {
                    let symbol = GenericSymbol { field: Some(field as u32), ..symbol };
                    let id = self.families.add_symbol(symbol);
                    self.symbol_table.define(name, Meaning::Generic(id));
                }
            }
        }
    }
}
