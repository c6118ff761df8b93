//! Datatypes of the tests, their values, and two judges: evaluation of a model, and enumeration of small values.

use std::collections::BTreeMap;

use crate::equality::{Closure, Constructor, Datatype, Equality, Function, Kind, Node, NodeShape, NodeSort};

pub(crate) const BOOLEAN: NodeSort = NodeSort::new(0);
/// An enumeration of three, a list of it, a tree with it in the leaves, a pair of it, a pair of it and a list.
pub(crate) const COLOUR: NodeSort = NodeSort::new(1);
pub(crate) const LIST: NodeSort = NodeSort::new(2);
pub(crate) const TREE: NodeSort = NodeSort::new(3);
pub(crate) const PAIR: NodeSort = NodeSort::new(4);
pub(crate) const RECORD: NodeSort = NodeSort::new(5);

/// The sorts of the fields of the constructors of each datatype.
const DATATYPES: [(NodeSort, &[&[NodeSort]], bool); 5] = [
    (COLOUR, &[&[], &[], &[]], true),
    (LIST, &[&[], &[COLOUR, LIST]], false),
    (TREE, &[&[COLOUR], &[TREE, TREE]], false),
    (PAIR, &[&[COLOUR, COLOUR]], true),
    (RECORD, &[&[COLOUR, LIST]], false),
];

/// The number of the datatype of a sort and the number of its constructors.
pub(crate) fn datatype_of(sort: NodeSort) -> Option<(u32, u32)> {
    let index = sort.index().checked_sub(1)?;
    Some((index as u32, DATATYPES[index].1.len() as u32))
}

/// A function with its sorts.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) function: Function,
    pub(crate) args: Vec<NodeSort>,
    pub(crate) result: NodeSort,
}

/// An equality engine with the datatypes, and all functions over them, two free ones among them.
pub(crate) fn declare() -> (Equality, Vec<Signature>) {
    let mut equality = Equality::new(BOOLEAN);
    let mut functions: Vec<Signature> = Vec::new();
    let mut add = |args: &[NodeSort], result| {
        let function = Function::new(functions.len() as u32);
        functions.push(Signature { function, args: args.to_vec(), result });
        function
    };
    for (number, &(sort, constructors, finite)) in (0..).zip(&DATATYPES) {
        let mut parts = Vec::new();
        for &fields in constructors {
            let function = add(fields, sort);
            let tester = add(&[sort], BOOLEAN);
            let selectors = fields.iter().map(|&field| add(&[sort], field)).collect();
            parts.push(Constructor { function, tester, selectors, fields: fields.to_vec() });
        }
        equality.declare_datatype(number, Datatype { sort, constructors: parts, finite });
    }
    add(&[LIST], LIST);
    add(&[COLOUR], COLOUR);
    (equality, functions)
}

/// A value: of a Boolean, or a constructor with its fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    Data(u32, Vec<Value>),
}

/// All values of a sort up to a depth.
fn domain(sort: NodeSort, depth: usize) -> Vec<Value> {
    if sort == BOOLEAN {
        return vec![Value::Bool(false), Value::Bool(true)];
    }
    let (_, constructors, _) = DATATYPES[sort.index() - 1];
    let mut values = Vec::new();
    for (index, fields) in (0..).zip(constructors) {
        let mut tuples = vec![Vec::new()];
        for &field in *fields {
            let below = if depth == 0 { Vec::new() } else { domain(field, depth - 1) };
            tuples = tuples
                .iter()
                .flat_map(|tuple: &Vec<Value>| {
                    below.iter().map(move |value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
                })
                .collect();
        }
        values.extend(tuples.into_iter().map(|tuple| Value::Data(index, tuple)));
    }
    values
}

/// A value that is deeper than `depth`, different for each depth, of a sort that is infinite.
fn deep(sort: NodeSort, depth: usize) -> Value {
    let colour = Value::Data(0, vec![]);
    match sort {
        LIST => (0..depth).fold(Value::Data(0, vec![]), |tail, _| Value::Data(1, vec![colour.clone(), tail])),
        TREE => {
            let leaf = Value::Data(0, vec![colour]);
            (0..depth).fold(leaf.clone(), |tree, _| Value::Data(1, vec![leaf.clone(), tree]))
        }
        RECORD => Value::Data(0, vec![colour, deep(LIST, depth)]),
        _ => panic!("{sort:?} has no fresh values"),
    }
}

/// What a node must be, given its arguments: known, or any value but the same for the same arguments.
fn apply(closure: &Closure, function: Function, args: &[Value]) -> Option<Value> {
    let of = |value: &Value| match value {
        Value::Data(index, fields) => (*index, fields.clone()),
        Value::Bool(_) => panic!("no value of a datatype"),
    };
    match closure.kind(function) {
        Kind::Constructor { index, .. } => Some(Value::Data(index, args.to_vec())),
        Kind::Tester { constructor, .. } => Some(Value::Bool(of(&args[0]).0 == constructor)),
        Kind::Selector { constructor, field, .. } => {
            let (index, fields) = of(&args[0]);
            (index == constructor).then(|| fields[field as usize].clone())
        }
        _ => None,
    }
}

/// Checks that the classes describe values: builds one for each class and evaluates all nodes.
pub(crate) fn check_model(closure: &Closure) {
    let nodes: Vec<Node> = (0..closure.len() as u32).map(Node::new).collect();
    let mut values: BTreeMap<Node, Value> = BTreeMap::new();
    let mut depth = 0;
    for &node in &nodes {
        let class = closure.class(node);
        match closure.value(node) {
            Some(value) if value.index() < 2 => {
                values.insert(class, Value::Bool(value == closure.truth()));
            }
            None if class == node && closure.sort(node) != BOOLEAN => {
                // So far apart that constructors around one do not make another.
                depth += 60;
                values.insert(class, deep(closure.sort(node), depth));
            }
            _ => {}
        }
    }
    // Values of constructor applications, as soon as those of their fields are there.
    loop {
        let before = values.len();
        for &node in &nodes {
            let Some((_, Kind::Constructor { index, .. })) = closure.function(node) else { continue };
            let fields: Option<Vec<Value>> =
                closure.args(node).iter().map(|&arg| values.get(&closure.class(arg)).cloned()).collect();
            if let Some(fields) = fields {
                values.entry(closure.class(node)).or_insert(Value::Data(index, fields));
            }
        }
        if values.len() == before {
            break;
        }
    }
    let mut tables: BTreeMap<(Function, Vec<Value>), Value> = BTreeMap::new();
    for &node in &nodes {
        let value = values.get(&closure.class(node));
        match closure.shape(node) {
            NodeShape::Equation(a, b) => {
                let equal = values[&closure.class(a)] == values[&closure.class(b)];
                assert!(value.is_none_or(|value| *value == Value::Bool(equal)));
            }
            NodeShape::Application(function, args) => {
                let args: Vec<Value> = args.iter().map(|&arg| values[&closure.class(arg)].clone()).collect();
                let value = value.expect("an application has a value").clone();
                let expected = apply(closure, function, &args);
                let expected = expected.unwrap_or_else(|| {
                    tables.entry((function, args)).or_insert_with(|| value.clone()).clone()
                });
                assert_eq!(value, expected, "{node:?}");
            }
            _ => {}
        }
    }
}

/// Looks for values up to a depth that satisfy claims.
pub(crate) struct Enumeration<'a> {
    closure: &'a Closure,
    /// The nodes that matter, in order.
    nodes: Vec<Node>,
    /// Pairs that are to be equal or different, at the later of the two nodes.
    claims: BTreeMap<Node, Vec<(Node, bool)>>,
    values: BTreeMap<Node, Value>,
    tables: BTreeMap<(Function, Vec<Value>), Value>,
    domains: Vec<Vec<Value>>,
    /// The number of values that may still be tried.
    budget: usize,
}

impl<'a> Enumeration<'a> {
    pub(crate) fn new(closure: &'a Closure, claims: &[(Node, Node, bool)], budget: usize) -> Enumeration<'a> {
        let mut matters = vec![false; closure.len()];
        matters[0] = true;
        matters[1] = true;
        let mut by_node: BTreeMap<Node, Vec<(Node, bool)>> = BTreeMap::new();
        for &(a, b, equal) in claims {
            matters[a.index()] = true;
            matters[b.index()] = true;
            by_node.entry(a.max(b)).or_default().push((a.min(b), equal));
        }
        for index in (0..closure.len()).rev().filter(|&index| index > 1) {
            if matters[index] {
                closure.args(Node::new(index as u32)).iter().for_each(|arg| matters[arg.index()] = true);
            }
        }
        let nodes = (0..closure.len()).filter(|&index| matters[index]);
        let nodes = nodes.map(|index| Node::new(index as u32)).collect();
        let depths = [0, 0, 2, 2, 1, 3];
        let domains = (0..).zip(depths).map(|(sort, depth)| domain(NodeSort::new(sort), depth)).collect();
        let (values, tables) = (BTreeMap::new(), BTreeMap::new());
        Enumeration { closure, nodes, claims: by_node, values, tables, domains, budget }
    }

    /// Whether there are such values; nothing if the budget does not suffice.
    pub(crate) fn is_satisfiable(&mut self) -> Option<bool> {
        self.search(0)
    }

    fn search(&mut self, index: usize) -> Option<bool> {
        let Some(&node) = self.nodes.get(index) else { return Some(true) };
        let mut key = None;
        let candidates = match self.closure.shape(node) {
            NodeShape::Truth => vec![Value::Bool(true)],
            NodeShape::Falsity => vec![Value::Bool(false)],
            NodeShape::Equation(a, b) => vec![Value::Bool(self.values[&a] == self.values[&b])],
            NodeShape::Application(function, args) => {
                let args: Vec<Value> = args.iter().map(|arg| self.values[arg].clone()).collect();
                let known = apply(self.closure, function, &args)
                    .or_else(|| self.tables.get(&(function, args.clone())).cloned());
                if known.is_none() {
                    key = Some((function, args));
                }
                known.map_or_else(
                    || self.domains[self.closure.sort(node).index()].clone(),
                    |value| vec![value],
                )
            }
            _ => self.domains[self.closure.sort(node).index()].clone(),
        };
        for candidate in candidates {
            self.budget = self.budget.checked_sub(1)?;
            let claims = self.claims.get(&node).cloned().unwrap_or_default();
            let holds = |&(other, equal): &(Node, bool)| {
                let same = other == node || self.values[&other] == candidate;
                same == equal
            };
            if !claims.iter().all(holds) {
                continue;
            }
            if let Some(key) = &key {
                self.tables.insert(key.clone(), candidate.clone());
            }
            self.values.insert(node, candidate);
            if self.search(index + 1)? {
                return Some(true);
            }
        }
        if let Some(key) = &key {
            self.tables.remove(key);
        }
        Some(false)
    }
}
