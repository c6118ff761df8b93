//! Sorts with parameters: the right-hand sides of sort definitions and the fields of parametric datatypes.
//!
//! They are interned, so that definitions that use each other do not multiply, and taken apart without recursion.

use rustc_hash::FxHashMap;

use crate::Sort;

/// A sort, or one with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SortBody {
    Sort(Sort),
    Scheme(Scheme),
}

/// The number of an interned sort with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scheme(u32);

/// What makes a sort of sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SortConstructor {
    Array,
    /// A parametric datatype, by its number.
    Datatype(u32),
    /// A declared sort with parameters, by its number.
    Declared(u32),
}

/// What a sort with parameters is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SchemeNode {
    Param(usize),
    Application(SortConstructor, Box<[SortBody]>),
}

/// The table of sorts with parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Schemes {
    nodes: Vec<SchemeNode>,
    index: FxHashMap<SchemeNode, Scheme>,
}

impl Schemes {
    pub(super) fn node(&self, scheme: Scheme) -> &SchemeNode {
        &self.nodes[scheme.0 as usize]
    }

    pub(super) fn intern(&mut self, node: SchemeNode) -> Scheme {
        if let Some(&scheme) = self.index.get(&node) {
            return scheme;
        }
        let scheme = Scheme(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, scheme);
        scheme
    }

    pub(super) fn param(&mut self, position: usize) -> SortBody {
        SortBody::Scheme(self.intern(SchemeNode::Param(position)))
    }

    /// Whether the parameter occurs in one of the sorts.
    pub(super) fn mentions(&self, bodies: impl Iterator<Item = SortBody>, param: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<SortBody> = bodies.collect();
        while let Some(body) = stack.pop() {
            let SortBody::Scheme(scheme) = body else { continue };
            if std::mem::replace(&mut seen[scheme.0 as usize], true) {
                continue;
            }
            match self.node(scheme) {
                SchemeNode::Param(position) if *position == param => return true,
                SchemeNode::Param(_) => {}
                SchemeNode::Application(_, args) => stack.extend(args.iter().copied()),
            }
        }
        false
    }

    /// The sort with sorts in the place of its parameters. `apply` makes the sorts, and gives them back as they
    /// are if something is wrong.
    pub(super) fn instantiate<E>(
        &mut self,
        body: SortBody,
        args: &[SortBody],
        mut apply: impl FnMut(&mut Schemes, SortConstructor, &[SortBody]) -> Result<SortBody, E>,
    ) -> Result<SortBody, E> {
        let SortBody::Scheme(root) = body else { return Ok(body) };
        let mut known: FxHashMap<Scheme, SortBody> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&scheme) = stack.last() {
            if known.contains_key(&scheme) {
                stack.pop();
                continue;
            }
            let (constructor, parts) = match self.node(scheme) {
                SchemeNode::Param(position) => {
                    known.insert(scheme, args[*position]);
                    continue;
                }
                SchemeNode::Application(constructor, parts) => (*constructor, parts.clone()),
            };
            let before = stack.len();
            stack.extend(parts.iter().filter_map(|part| match part {
                SortBody::Scheme(part) if !known.contains_key(part) => Some(*part),
                _ => None,
            }));
            if stack.len() > before {
                continue;
            }
            let parts: Vec<SortBody> = parts
                .iter()
                .map(|part| match part {
                    SortBody::Scheme(part) => known[part],
                    sort => *sort,
                })
                .collect();
            let result = apply(self, constructor, &parts)?;
            known.insert(scheme, result);
        }
        Ok(known[&root])
    }

    /// Finds the parameters with which the body is the sort; `parts` takes a sort apart. Whether there are such, as
    /// far as they were not bound before.
    pub(super) fn unify(
        &self,
        body: SortBody,
        sort: Sort,
        bindings: &mut [Option<Sort>],
        mut parts: impl FnMut(Sort, SortConstructor) -> Option<Vec<Sort>>,
    ) -> bool {
        let mut known: FxHashMap<Scheme, Sort> = FxHashMap::default();
        let mut pairs = vec![(body, sort)];
        while let Some((body, sort)) = pairs.pop() {
            let scheme = match body {
                SortBody::Sort(own) if own == sort => continue,
                SortBody::Sort(_) => return false,
                SortBody::Scheme(scheme) => scheme,
            };
            match known.insert(scheme, sort) {
                Some(before) if before == sort => continue,
                Some(_) => return false,
                None => {}
            }
            match self.node(scheme) {
                SchemeNode::Param(position) => {
                    if *bindings[*position].get_or_insert(sort) != sort {
                        return false;
                    }
                }
                SchemeNode::Application(constructor, args) => match parts(sort, *constructor) {
                    Some(parts) => pairs.extend(args.iter().copied().zip(parts)),
                    None => return false,
                },
            }
        }
        true
    }
}
