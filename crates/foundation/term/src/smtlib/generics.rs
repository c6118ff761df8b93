//! Parametric datatypes: their instances, and the uses of their constructors, selectors and testers.
//!
//! An instance is a datatype of its own, made when its sort is first read. The sort of an argument says which
//! instance a selector or tester belongs to; the arguments of a constructor determine it, or `as` does, or its place
//! (`undetermined`).

use rustc_hash::FxHashMap;

use super::apply::{ArgumentError, apply_function};
use super::error::{ErrorKind, ReadError, Span};
use super::names::Name;
use super::reader::Reader;
use super::schemes::{SchemeNode, Schemes, SortBody, SortConstructor};
use crate::{Constructor, ConstructorDeclaration, DatatypeError, Sort, Store, Symbol, Term};

/// The number of instances that one sort may need.
const INSTANCE_LIMIT: usize = 10_000;

/// A constructor of a parametric datatype.
#[derive(Clone, Debug)]
pub(super) struct GenericConstructor {
    pub(super) name: Name,
    pub(super) fields: Vec<(Name, SortBody)>,
    /// Whether the sorts of the arguments do not determine the instance.
    pub(super) qualified: bool,
}

/// A parametric datatype.
#[derive(Clone, Debug)]
pub(super) struct GenericDatatype {
    pub(super) name: Name,
    pub(super) arity: usize,
    pub(super) constructors: Vec<GenericConstructor>,
    /// Whether it is being declared in the old form, in which it occurs without its parameters.
    pub(super) open_without_parameters: bool,
    /// The instances that the script has used, up to the second.
    used: Vec<Sort>,
}

impl GenericDatatype {
    /// Forgets which instances were used.
    pub(super) fn forget_uses(&mut self) {
        self.used.clear();
    }
}

/// What a name of a parametric datatype stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GenericSymbol {
    pub(super) datatype: u32,
    pub(super) constructor: u32,
    /// The field, if it is a selector.
    pub(super) field: Option<u32>,
}

/// The number of a [`GenericSymbol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GenericId(u32);

/// A parametric datatype or sort, by its number, and its arguments.
pub(super) type InstanceKey = (u32, Vec<Sort>);

/// Sorts with parameters and their instances. Numbers are not used again when a level is popped: instances may have
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct SortFamilies {
    pub(super) schemes: Schemes,
    /// Parametric datatypes.
    pub(super) datatypes: Vec<GenericDatatype>,
    symbols: Vec<GenericSymbol>,
    pub(super) instances: FxHashMap<InstanceKey, Sort>,
    /// The parametric datatype of each instance.
    pub(super) instance_of: FxHashMap<Sort, u32>,
    /// Instances that have no constructors yet.
    pub(super) pending: Vec<(InstanceKey, Sort)>,
    /// Whether a group of datatypes is being read.
    pub(super) declaring_datatypes: bool,
    /// The names of declared sorts with parameters.
    pub(super) declared: Vec<Name>,
    pub(super) declared_instances: FxHashMap<InstanceKey, Sort>,
}

impl GenericDatatype {
    /// A datatype without constructors yet.
    pub(super) fn new(name: Name, arity: usize, open_without_parameters: bool) -> GenericDatatype {
        GenericDatatype { name, arity, constructors: Vec::new(), open_without_parameters, used: Vec::new() }
    }
}

impl SortFamilies {
    /// What a name of a parametric datatype stands for.
    pub(super) fn symbol(&self, id: GenericId) -> GenericSymbol {
        self.symbols[id.0 as usize]
    }

    /// Keeps what a name of a parametric datatype stands for.
    pub(super) fn add_symbol(&mut self, symbol: GenericSymbol) -> GenericId {
        self.symbols.push(symbol);
        GenericId(self.symbols.len() as u32 - 1)
    }
}

impl Reader {
    pub(super) fn is_open_without_parameters(&self, generic: u32) -> bool {
        self.families.datatypes[generic as usize].open_without_parameters
    }

    /// The instance of a parametric datatype. It has constructors after [`Reader::finish_instances`].
    pub(super) fn datatype_instance(&mut self, store: &mut Store, generic: u32, args: Vec<Sort>) -> Sort {
        let key = (generic, args);
        if let Some(&sort) = self.families.instances.get(&key) {
            return sort;
        }
        let name = self.families.datatypes[generic as usize].name;
        let sort = store.announce_datatype(self.symbol_table.text(name), &key.1);
        self.families.instances.insert(key.clone(), sort);
        self.families.instance_of.insert(sort, generic);
        self.families.pending.push((key, sort));
        sort
    }

    /// Defines the instances that were asked for, unless a group of datatypes is being declared, which may be
    /// part of them.
    pub(super) fn finish_instances(&mut self, store: &mut Store, span: Span) -> Result<(), ReadError> {
        if self.families.declaring_datatypes || self.families.pending.is_empty() {
            return Ok(());
        }
        self.define_with_instances(store, Vec::new(), Vec::new(), span).map_err(|error| match error {
            InstanceError::Datatype(error) => ReadError::new(ErrorKind::Unsupported, span, error.to_string()),
            InstanceError::Read(error) => error,
        })
    }

    /// Defines a group of datatypes together with the instances that it needs.
    pub(super) fn define_with_instances(
        &mut self,
        store: &mut Store,
        mut group: Vec<Sort>,
        mut constructors: Vec<Vec<ConstructorDeclaration<Sort>>>,
        span: Span,
    ) -> Result<(), InstanceError> {
        let result = self.pending_constructors(store, &mut group, &mut constructors, span);
        let result = result
            .map_err(InstanceError::Read)
            .and_then(|()| store.define_datatypes(&group, &constructors).map_err(InstanceError::Datatype));
        if result.is_err() {
            self.forget_instances();
        }
        self.families.pending.clear();
        result
    }

    /// Forgets the instances that are not defined.
    pub(super) fn forget_instances(&mut self) {
        for (key, sort) in self.families.pending.drain(..) {
            self.families.instances.remove(&key);
            self.families.instance_of.remove(&sort);
        }
    }

    fn pending_constructors(
        &mut self,
        store: &mut Store,
        group: &mut Vec<Sort>,
        constructors: &mut Vec<Vec<ConstructorDeclaration<Sort>>>,
        span: Span,
    ) -> Result<(), ReadError> {
        let mut next = 0;
        while let Some(((generic, args), sort)) = self.families.pending.get(next).cloned() {
            if next == INSTANCE_LIMIT {
                let message = "the instances of this datatype do not come to an end";
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
            next += 1;
            let args: Vec<SortBody> = args.into_iter().map(SortBody::Sort).collect();
            let mut declarations = Vec::new();
            for at in 0..self.families.datatypes[generic as usize].constructors.len() {
                let constructor = self.families.datatypes[generic as usize].constructors[at].clone();
                let mut fields = Vec::with_capacity(constructor.fields.len());
                for (name, body) in constructor.fields {
                    let SortBody::Sort(sort) = self.instantiate(store, body, &args, span)? else {
                        unreachable!("an instance has no parameters")
                    };
                    fields.push((self.symbol_table.text(name).to_owned(), sort));
                }
                let name = self.symbol_table.text(constructor.name).to_owned();
                declarations.push(ConstructorDeclaration { name, fields, qualified: constructor.qualified });
            }
            group.push(sort);
            constructors.push(declarations);
        }
        Ok(())
    }

    /// The constructor of an instance.
    pub(super) fn instance_constructor<'s>(
        &self,
        store: &'s Store,
        symbol: GenericSymbol,
        sort: Sort,
    ) -> Option<&'s Constructor> {
        let datatype = store.datatype_of(sort)?;
        let is_instance = self.families.instance_of.get(&sort) == Some(&symbol.datatype);
        datatype.constructors().get(symbol.constructor as usize).filter(|_| is_instance)
    }

    /// The application of a constructor or selector of a parametric datatype, if its sort is determined.
    pub(super) fn apply_generic(
        &mut self,
        store: &mut Store,
        symbol: GenericId,
        args: &mut [Term],
        span: Span,
    ) -> Result<Option<Term>, ArgumentError> {
        let symbol = self.families.symbol(symbol);
        match symbol.field {
            Some(field) => {
                let constructor = self.argument_constructor(store, symbol, args)?;
                let selector = constructor.selectors[field as usize];
                Ok(Some(store.select_field(selector, args[0])))
            }
            None => {
                let sorts: Vec<Option<Sort>> = args.iter().map(|&arg| Some(store.sort(arg))).collect();
                let Some(sort) = self.result_of_constructor(store, symbol, &sorts, span)? else {
                    return Ok(None);
                };
                let constructor = self.instance_constructor(store, symbol, sort);
                let constructor =
                    constructor.expect("an instance has the constructors of its datatype").symbol;
                apply_function(store, constructor, args).map(Some)
            }
        }
    }

    /// The application of a tester of a parametric datatype.
    pub(super) fn apply_generic_tester(
        &self,
        store: &mut Store,
        symbol: GenericId,
        args: &[Term],
    ) -> Result<Term, ArgumentError> {
        let tester = self.argument_constructor(store, self.families.symbol(symbol), args)?.tester;
        Ok(store.test(tester, args[0]))
    }

    /// `(_size t)`; `t` is what the stack of terms has from here on.
    pub(super) fn apply_constructor_count(
        &mut self,
        store: &mut Store,
        base: usize,
    ) -> Result<Term, ArgumentError> {
        let &[arg] = &self.terms[base..] else {
            return Err(ArgumentError::arity("_size", "one argument", self.terms.len() - base));
        };
        let sort = store.sort(arg);
        if store.datatype_of(sort).is_none() {
            return Err(ArgumentError::sort(store, Some(0), "a datatype", sort));
        }
        let known = self.constructor_counts.get_or_insert_default();
        let symbol = match known.iter().find(|(own, _)| *own == sort) {
            Some(&(_, symbol)) => symbol,
            None => {
                let symbol = store.declare("_size", &[sort], Sort::Int);
                known.push((sort, symbol));
                symbol
            }
        };
        Ok(store.apply(symbol, &[arg]))
    }

    /// The constructor that belongs to the symbol in the datatype of its only argument.
    fn argument_constructor<'s>(
        &self,
        store: &'s Store,
        symbol: GenericSymbol,
        args: &[Term],
    ) -> Result<&'s Constructor, ArgumentError> {
        let &[arg] = args else {
            let message = format!("a selector or tester takes one argument, not {}", args.len());
            return Err(ArgumentError::new(ErrorKind::IllSorted, None, message));
        };
        let sort = store.sort(arg);
        self.instance_constructor(store, symbol, sort).ok_or_else(|| {
            let name = self.symbol_table.text(self.families.datatypes[symbol.datatype as usize].name);
            ArgumentError::sort(store, Some(0), name, sort)
        })
    }

    /// The instance that the sorts of a constructor's arguments determine, as far as they are known.
    pub(super) fn result_of_constructor(
        &mut self,
        store: &mut Store,
        symbol: GenericSymbol,
        args: &[Option<Sort>],
        span: Span,
    ) -> Result<Option<Sort>, ArgumentError> {
        let generic = &self.families.datatypes[symbol.datatype as usize];
        let constructor = &generic.constructors[symbol.constructor as usize];
        let name = self.symbol_table.text(constructor.name);
        if constructor.fields.len() != args.len() {
            let expected = format!("{} arguments", constructor.fields.len());
            return Err(ArgumentError::arity(name, &expected, args.len()));
        }
        let mut bindings: Vec<Option<Sort>> = vec![None; generic.arity];
        let mut direct: Vec<(usize, Sort)> = Vec::new();
        for (position, (&(_, body), &arg)) in constructor.fields.iter().zip(args).enumerate() {
            let Some(sort) = arg else { continue };
            if let SortBody::Scheme(scheme) = body
                && let SchemeNode::Param(param) = self.families.schemes.node(scheme)
            {
                direct.push((*param, sort));
                continue;
            }
            let parts = |sort: Sort, constructor: SortConstructor| self.parts(store, sort, constructor);
            if matches!(body, SortBody::Scheme(_))
                && !self.families.schemes.unify(body, sort, &mut bindings, parts)
            {
                let message = format!(
                    "this argument of {name} has sort {}, which does not fit the others",
                    store.sort_text(sort)
                );
                return Err(ArgumentError::new(ErrorKind::IllSorted, Some(position), message));
            }
        }
        // An integer beside a real is taken as one, so that among numbers the reals decide.
        for pass in [Sort::Real, Sort::Int] {
            for &(param, sort) in &direct {
                if pass == Sort::Int || sort != Sort::Int {
                    bindings[param].get_or_insert(sort);
                }
            }
        }
        let Some(sorts) = bindings.into_iter().collect::<Option<Vec<Sort>>>() else {
            return Ok(None);
        };
        let sort = self.use_instance(store, symbol.datatype, sorts);
        self.finish_instances(store, span)
            .map_err(|error| ArgumentError::new(error.kind, None, error.message))?;
        Ok(Some(sort))
    }

    /// The sorts of which a sort is made, if it is made so.
    fn parts(&self, store: &Store, sort: Sort, constructor: SortConstructor) -> Option<Vec<Sort>> {
        match constructor {
            SortConstructor::Array => store.array_parts(sort).map(|(index, element)| vec![index, element]),
            SortConstructor::Datatype(generic) => {
                let own = self.families.instance_of.get(&sort) == Some(&generic);
                own.then(|| store.sort_name(sort).map(|(_, args)| args.to_vec()))?
            }
            SortConstructor::Declared(family) => {
                let args = store.sort_name(sort)?.1.to_vec();
                let key = (family, args);
                (self.families.declared_instances.get(&key) == Some(&sort)).then_some(key.1)
            }
        }
    }

    /// The instance of a parametric datatype that the script uses.
    pub(super) fn use_instance(&mut self, store: &mut Store, generic: u32, args: Vec<Sort>) -> Sort {
        let sort = self.datatype_instance(store, generic, args);
        let used = &mut self.families.datatypes[generic as usize].used;
        if used.len() < 2 && !used.contains(&sort) {
            used.push(sort);
        }
        sort
    }

    /// The instance of a parametric datatype that the script uses, if it is the only one.
    pub(super) fn only_instance(&self, generic: u32) -> Option<Sort> {
        match self.families.datatypes[generic as usize].used[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The constructor with this name of the sort, for `(as C sort)`.
    pub(super) fn qualified_constructor(
        &self,
        store: &Store,
        symbol: GenericId,
        sort: Sort,
    ) -> Option<Symbol> {
        let symbol = self.families.symbol(symbol);
        match symbol.field {
            None => self.instance_constructor(store, symbol, sort).map(|constructor| constructor.symbol),
            Some(_) => None,
        }
    }
}

/// Why a group of datatypes with its instances was not defined.
pub(super) enum InstanceError {
    Datatype(DatatypeError),
    Read(ReadError),
}
