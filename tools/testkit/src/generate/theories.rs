//! Random scripts over functions, arrays, datatypes and bit-vectors, mixed with arithmetic.
//!
//! A script first declares a small signature: sorts, datatypes, array sorts over them, and for every sort a few
//! constants and functions. Terms are then drawn sort by sort, so that any mixture can occur: an array of records
//! indexed by a list's length, a function of an array. Scripts stay small, so that two oracles decide them.

use super::bits::{self, bit_sort, bit_width};
use super::outline::command;
use crate::rng::Rng;
use crate::sexpr::Sexpr;

/// Which theories a script mixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ingredients {
    /// Declared sorts and functions.
    pub functions: bool,
    /// Arrays; nested ones and constant ones.
    pub arrays: bool,
    /// Arrays of arrays.
    pub nested: bool,
    /// Constant arrays.
    pub constant: bool,
    /// Datatypes without recursion: records, enumerations, sums.
    pub records: bool,
    /// Recursive datatypes, mutually recursive ones among them.
    pub recursive: bool,
    /// Real numbers beside integers.
    pub reals: bool,
    /// Products of terms and division by terms, also by zero.
    pub nonlinear: bool,
    /// The greatest width of bit-vectors, if there are any. Integers are left out then, unless there are conversions.
    pub bits: Option<u32>,
    /// Of the operations on bit-vectors only those that Alethe has rules for.
    pub with_rules: bool,
    /// Conversions between bit-vectors and integers.
    pub conversions: bool,
    /// Quantifiers, nested at will.
    pub quantifiers: bool,
}

impl Ingredients {
    /// Nothing but integers and truth values.
    pub const NONE: Self = Self {
        functions: false,
        arrays: false,
        nested: false,
        constant: false,
        records: false,
        recursive: false,
        reals: false,
        nonlinear: false,
        bits: None,
        with_rules: false,
        conversions: false,
        quantifiers: false,
    };

    fn has_integers(self) -> bool {
        self.bits.is_none() || self.conversions
    }
}

/// A constructor: its name and its selectors with their sorts.
type Constructor = (String, Vec<(String, String)>);

struct Datatype {
    name: String,
    constructors: Vec<Constructor>,
}

struct Array {
    sort: String,
    index: String,
    element: String,
}

#[derive(Clone)]
struct Function {
    name: String,
    parameters: Vec<String>,
    result: String,
}

/// What terms are made of.
pub(super) struct Signature {
    /// All sorts, by their text; the first are `Bool` and, if there are integers, `Int`.
    pub(super) sorts: Vec<String>,
    datatypes: Vec<Datatype>,
    arrays: Vec<Array>,
    /// Constants have no parameters.
    functions: Vec<Function>,
}

/// A script in the making.
pub(super) struct Writer<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) ingredients: Ingredients,
    pub(super) signature: Signature,
    commands: Vec<Sexpr>,
    /// The number of functions outside each open scope.
    scopes: Vec<(usize, usize)>,
    proxies: Vec<String>,
    names: usize,
    named: bool,
    assuming: bool,
}

impl<'a> Writer<'a> {
    /// A script of these ingredients.
    pub(super) fn script(rng: &'a mut Rng, ingredients: Ingredients) -> Vec<Sexpr> {
        let (named, assuming) = (rng.chance(30), rng.chance(30));
        let mut sorts = vec!["Bool".to_owned()];
        if ingredients.has_integers() {
            sorts.push("Int".to_owned());
        }
        let signature = Signature { sorts, datatypes: Vec::new(), arrays: Vec::new(), functions: Vec::new() };
        let mut writer = Writer {
            rng,
            ingredients,
            signature,
            commands: Vec::new(),
            scopes: Vec::new(),
            proxies: Vec::new(),
            names: 0,
            named,
            assuming,
        };
        writer.open();
        writer.walk();
        writer.commands
    }

    fn open(&mut self) {
        if self.named {
            self.commands.push(command("set-option", &[":produce-unsat-cores", "true"]));
        }
        if self.assuming {
            self.commands.push(command("set-option", &[":produce-unsat-assumptions", "true"]));
        }
        self.commands.push(command("set-option", &[":produce-models", "true"]));
        self.commands.push(command("set-logic", &[if self.ingredients.quantifiers { "BV" } else { "ALL" }]));
        self.declare_sorts();
        for sort in self.signature.sorts.clone() {
            for _ in 0..self.rng.range(1, 3) {
                self.declare(&[], &sort);
            }
        }
        if self.ingredients.functions {
            for _ in 0..self.rng.range(1, 3) {
                let parameters: Vec<_> = (0..self.rng.range(1, 2)).map(|_| self.any_sort()).collect();
                let result = self.any_sort();
                self.declare(&parameters, &result);
            }
        }
    }

    pub(super) fn any_sort(&mut self) -> String {
        self.rng.pick(&self.signature.sorts).clone()
    }

    fn declare_sorts(&mut self) {
        let ingredients = self.ingredients;
        if ingredients.reals {
            self.signature.sorts.push("Real".to_owned());
        }
        if let Some(widest) = ingredients.bits {
            for _ in 0..self.rng.range(1, 3) {
                let sort = bit_sort(self.width(widest));
                if !self.signature.sorts.contains(&sort) {
                    self.signature.sorts.push(sort);
                }
            }
        }
        if ingredients.functions && self.rng.chance(70) {
            self.commands.push(command("declare-sort", &["U", "0"]));
            self.signature.sorts.push("U".to_owned());
        }
        if ingredients.arrays && self.rng.chance(60) {
            self.array_sort();
        }
        if ingredients.records {
            self.declare_plain();
        }
        if ingredients.recursive {
            self.declare_recursive();
        }
        if ingredients.arrays {
            for _ in 0..self.rng.range(1, 2) {
                self.array_sort();
            }
        }
    }

    fn array_sort(&mut self) {
        let simple: Vec<String> =
            self.signature.sorts.iter().filter(|sort| !sort.starts_with("(Array")).cloned().collect();
        let nested = self.ingredients.nested && self.rng.chance(60);
        // Mostly over integers or bit-vectors, as programs have them.
        let usual = simple.get(1).cloned().unwrap_or_else(|| "Bool".to_owned());
        let index = if self.rng.chance(60) { usual.clone() } else { self.rng.pick(&simple).clone() };
        let element = if nested { self.any_sort() } else { self.rng.pick(&simple).clone() };
        let element = if self.rng.chance(40) && !nested { usual } else { element };
        let sort = format!("(Array {index} {element})");
        if !self.signature.sorts.contains(&sort) {
            self.signature.sorts.push(sort.clone());
            self.signature.arrays.push(Array { sort, index, element });
        }
    }

    /// Declares an enumeration, a record or a sum.
    fn declare_plain(&mut self) {
        for number in 0..self.rng.range(1, 2) {
            let name = format!("D{number}");
            let kind = self.rng.below(3);
            let count = if kind == 1 { 1 } else { self.rng.range(2, 3) };
            let mut constructors = Vec::new();
            for index in 0..count {
                let fields = match kind {
                    0 => 0,
                    1 => self.rng.range(1, 3),
                    _ => self.rng.range(0, 2),
                };
                let fields = (0..fields).map(|field| {
                    let sort = self.rng.pick(&self.signature.sorts).clone();
                    (format!("s{number}{index}{field}"), sort)
                });
                constructors.push((format!("c{number}{index}"), fields.collect()));
            }
            self.add_datatypes(vec![Datatype { name, constructors }]);
        }
    }

    /// Declares lists, trees, or trees and forests that are defined together.
    fn declare_recursive(&mut self) {
        let inner = self.any_sort();
        let field = |name: &str, sort: &str| (name.to_owned(), sort.to_owned());
        let datatype =
            |name: &str, constructors: Vec<Constructor>| Datatype { name: name.to_owned(), constructors };
        let group = match self.rng.below(4) {
            0 => vec![datatype(
                "Chain",
                vec![
                    ("stop".to_owned(), vec![]),
                    ("link".to_owned(), vec![field("head", &inner), field("tail", "Chain")]),
                ],
            )],
            1 => vec![datatype(
                "Tree",
                vec![
                    ("leaf".to_owned(), vec![field("label", &inner)]),
                    ("node".to_owned(), vec![field("left", "Tree"), field("right", "Tree")]),
                ],
            )],
            2 => vec![datatype(
                "Nat",
                vec![("zero".to_owned(), vec![]), ("succ".to_owned(), vec![field("pred", "Nat")])],
            )],
            _ => vec![
                datatype(
                    "Rose",
                    vec![("rose".to_owned(), vec![field("mark", &inner), field("children", "Forest")])],
                ),
                datatype(
                    "Forest",
                    vec![
                        ("none".to_owned(), vec![]),
                        ("more".to_owned(), vec![field("first", "Rose"), field("others", "Forest")]),
                    ],
                ),
            ],
        };
        self.add_datatypes(group);
    }

    fn add_datatypes(&mut self, group: Vec<Datatype>) {
        let sort = |text: &str| Sexpr::atom(text);
        let bodies: Vec<Sexpr> = group
            .iter()
            .map(|datatype| {
                let constructors = datatype.constructors.iter().map(|(name, fields)| {
                    let fields = fields.iter().map(|(name, of)| Sexpr::app(name, [sort(of)]));
                    Sexpr::app(name, fields)
                });
                Sexpr::List(constructors.collect())
            })
            .collect();
        let declaration = if let [datatype] = &group[..]
            && self.rng.chance(60)
        {
            Sexpr::app("declare-datatype", [sort(&datatype.name), bodies[0].clone()])
        } else {
            let heads = group.iter().map(|datatype| command(&datatype.name, &["0"]));
            Sexpr::app("declare-datatypes", [Sexpr::List(heads.collect()), Sexpr::List(bodies)])
        };
        // Sorts were put in as one atom each: reading the text again makes lists of them.
        let text = declaration.to_string();
        self.commands.extend(crate::sexpr::read_all(&text).expect("what was printed"));
        for datatype in group {
            self.signature.sorts.push(datatype.name.clone());
            self.signature.datatypes.push(datatype);
        }
    }

    fn declare(&mut self, parameters: &[String], result: &str) {
        let name =
            format!("{}{}", if parameters.is_empty() { "v" } else { "f" }, self.signature.functions.len());
        let text = format!("(declare-fun {name} ({}) {result})", parameters.join(" "));
        self.commands.extend(crate::sexpr::read_all(&text).expect("what was printed"));
        let function = Function { name, parameters: parameters.to_vec(), result: result.to_owned() };
        self.signature.functions.push(function);
    }

    fn walk(&mut self) {
        let mut checks = 0;
        for _ in 0..self.rng.range(1, 4) {
            self.assert();
        }
        for _ in 0..self.rng.range(3, 10) {
            match self.rng.below(100) {
                0..45 => self.assert(),
                45..58 => {
                    self.scopes.push((self.signature.functions.len(), self.proxies.len()));
                    self.commands.push(command("push", &["1"]));
                }
                58..68 => self.pop(),
                68..72 => {
                    let sort = self.any_sort();
                    self.declare(&[], &sort);
                }
                72..80 if self.assuming => self.proxy(),
                _ => {
                    checks += 1;
                    self.check();
                }
            }
        }
        if checks == 0 || self.rng.chance(50) {
            self.check();
        }
    }

    fn pop(&mut self) {
        if let Some((functions, proxies)) = self.scopes.pop() {
            self.signature.functions.truncate(functions);
            self.proxies.truncate(proxies);
            self.commands.push(command("pop", &["1"]));
        }
    }

    fn assert(&mut self) {
        // Blocks of quantifiers take the place of connectives.
        let depth = self.rng.range(0, 2) + if self.ingredients.quantifiers { 2 } else { 0 };
        let formula = self.formula(depth);
        let term = if self.named && self.rng.chance(70) {
            self.names += 1;
            let name = Sexpr::atom(format!("a{}", self.names));
            Sexpr::app("!", [formula, Sexpr::atom(":named"), name])
        } else {
            formula
        };
        self.commands.push(Sexpr::app("assert", [term]));
    }

    fn proxy(&mut self) {
        let name = format!("q{}", self.proxies.len());
        let formula = self.formula(1);
        self.commands.push(command("declare-const", &[&name, "Bool"]));
        let implied = Sexpr::app("=>", [Sexpr::atom(name.as_str()), formula]);
        self.commands.push(Sexpr::app("assert", [implied]));
        self.proxies.push(name);
    }

    fn check(&mut self) {
        if self.proxies.is_empty() || !self.rng.chance(70) {
            self.commands.push(command("check-sat", &[]));
            return;
        }
        let mut literals = Vec::new();
        for name in self.proxies.clone() {
            if self.rng.chance(60) {
                let atom = Sexpr::atom(name);
                literals.push(if self.rng.chance(15) { Sexpr::app("not", [atom]) } else { atom });
            }
        }
        self.commands.push(Sexpr::app("check-sat-assuming", [Sexpr::List(literals)]));
    }

    fn formula(&mut self, depth: i64) -> Sexpr {
        if self.ingredients.quantifiers && depth > 0 && self.rng.chance(40) {
            return self.quantified(depth);
        }
        if depth <= 0 || self.rng.chance(30) {
            let atom = self.atom();
            return if self.rng.chance(40) { Sexpr::app("not", [atom]) } else { atom };
        }
        let head = *self.rng.pick(&["and", "or", "or", "=>", "=", "xor", "not", "ite"]);
        let count = match head {
            "not" => 1,
            "ite" => 3,
            "and" | "or" => self.rng.range(2, 3),
            _ => 2,
        };
        Sexpr::app(head, (0..count).map(|_| self.formula(depth - 1)).collect::<Vec<_>>())
    }

    /// A formula under a block of quantifiers. Bound variables are constants of the signature in between.
    fn quantified(&mut self, depth: i64) -> Sexpr {
        let outside = self.signature.functions.len();
        for _ in 0..self.rng.range(1, 2) {
            let name = format!("x{}", self.signature.functions.len());
            let result = self.any_sort();
            self.signature.functions.push(Function { name, parameters: Vec::new(), result });
        }
        let body = self.formula(depth - 1);
        let bound =
            self.signature.functions.drain(outside..).map(|it| format!("({} {})", it.name, it.result));
        let head = *self.rng.pick(&["forall", "exists"]);
        let text = format!("({head} ({}) {body})", bound.collect::<Vec<_>>().join(" "));
        crate::sexpr::read_all(&text).expect("what was printed").remove(0)
    }

    fn atom(&mut self) -> Sexpr {
        let depth = self.rng.range(0, 2);
        match self.rng.below(10) {
            0..6 => {
                let sort = self.interesting_sort();
                let distinct = self.rng.chance(12);
                let count = if distinct { self.rng.range(2, 3) } else { 2 };
                let terms: Vec<_> = (0..count).map(|_| self.term(&sort, depth)).collect();
                Sexpr::app(if distinct { "distinct" } else { "=" }, terms)
            }
            6..8 if self.ingredients.bits.is_some() && self.rng.chance(80) => self.bit_relation(depth),
            6..8 if self.ingredients.has_integers() => {
                let sort = if self.ingredients.reals && self.rng.chance(40) { "Real" } else { "Int" };
                let head = *self.rng.pick(&["<=", "<", ">=", ">"]);
                let (left, right) = (self.term(sort, depth), self.term(sort, depth - 1));
                Sexpr::app(head, [left, right])
            }
            8 if !self.signature.datatypes.is_empty() => self.tester(depth),
            _ => self.term("Bool", depth),
        }
    }

    fn tester(&mut self, depth: i64) -> Sexpr {
        let datatype = self.rng.below(self.signature.datatypes.len());
        let datatype = &self.signature.datatypes[datatype];
        let constructor = self.rng.pick(&datatype.constructors).0.clone();
        let sort = datatype.name.clone();
        let argument = self.term(&sort, depth);
        Sexpr::List(vec![command("_", &["is", &constructor]), argument])
    }

    /// A sort, more often one that the ingredients are about.
    fn interesting_sort(&mut self) -> String {
        let plain = 1 + usize::from(self.ingredients.has_integers());
        if self.signature.sorts.len() > plain && self.rng.chance(60) {
            let at = plain + self.rng.below(self.signature.sorts.len() - plain);
            return self.signature.sorts[at].clone();
        }
        self.any_sort()
    }

    /// A term of a sort.
    pub(super) fn term(&mut self, sort: &str, depth: i64) -> Sexpr {
        if depth <= 0 || self.rng.chance(15) {
            return self.leaf(sort);
        }
        for _ in 0..4 {
            if let Some(term) = self.composed(sort, depth) {
                return term;
            }
        }
        self.leaf(sort)
    }

    fn leaf(&mut self, sort: &str) -> Sexpr {
        let mut leaves: Vec<Sexpr> = self
            .signature
            .functions
            .iter()
            .filter(|function| function.parameters.is_empty() && function.result == sort)
            .map(|function| Sexpr::atom(function.name.as_str()))
            .collect();
        match sort {
            "Bool" => leaves.push(Sexpr::atom(*self.rng.pick(&["true", "false"]))),
            "Int" => leaves.push(Sexpr::atom(self.rng.range(0, 3).to_string())),
            "Real" => leaves.push(Sexpr::atom(*self.rng.pick(&["0.0", "1.0", "0.5", "2.0"]))),
            _ => leaves.extend(bit_width(sort).map(|width| bits::literal(self.rng, width))),
        }
        for datatype in self.signature.datatypes.iter().filter(|datatype| datatype.name == sort) {
            let nullary = datatype.constructors.iter().filter(|(_, fields)| fields.is_empty());
            leaves.extend(nullary.map(|(name, _)| Sexpr::atom(name.as_str())));
        }
        self.rng.pick(&leaves).clone()
    }

    /// A term with an operator at its head, if the one that was drawn fits the sort.
    fn composed(&mut self, sort: &str, depth: i64) -> Option<Sexpr> {
        let below = depth - 1;
        match self.rng.below(8) {
            0 => {
                let condition = self.atom_below(below);
                let branches = [condition, self.term(sort, below), self.term(sort, below)];
                Some(Sexpr::app("ite", branches))
            }
            1 => {
                let fitting: Vec<Function> = self
                    .signature
                    .functions
                    .iter()
                    .filter(|function| !function.parameters.is_empty() && function.result == sort)
                    .cloned()
                    .collect();
                if fitting.is_empty() {
                    return None;
                }
                let function = self.rng.pick(&fitting).clone();
                let arguments: Vec<_> = function.parameters.iter().map(|of| self.term(of, below)).collect();
                Some(Sexpr::app(&function.name, arguments))
            }
            2 | 3 => {
                let arrays: Vec<(String, String)> = self
                    .signature
                    .arrays
                    .iter()
                    .filter(|array| array.element == sort)
                    .map(|array| (array.sort.clone(), array.index.clone()))
                    .collect();
                if arrays.is_empty() {
                    return None;
                }
                let (array, index) = self.rng.pick(&arrays).clone();
                Some(Sexpr::app("select", [self.term(&array, below), self.term(&index, below)]))
            }
            4 => {
                let mut selectors = Vec::new();
                for datatype in &self.signature.datatypes {
                    for (name, of) in datatype.constructors.iter().flat_map(|(_, fields)| fields) {
                        if of == sort {
                            selectors.push((name.clone(), datatype.name.clone()));
                        }
                    }
                }
                if selectors.is_empty() {
                    return None;
                }
                let (selector, datatype) = self.rng.pick(&selectors).clone();
                Some(Sexpr::app(&selector, [self.term(&datatype, below)]))
            }
            _ => self.of_sort(sort, below),
        }
    }

    pub(super) fn atom_below(&mut self, depth: i64) -> Sexpr {
        let sort = self.any_sort();
        if self.rng.chance(40) {
            return self.leaf("Bool");
        }
        Sexpr::app("=", [self.term(&sort, depth - 1), self.term(&sort, depth - 1)])
    }

    /// A term by an operator that the sort itself has.
    fn of_sort(&mut self, sort: &str, below: i64) -> Option<Sexpr> {
        match sort {
            "Bool" => Some(self.formula(below)),
            "Int" if self.ingredients.conversions && self.rng.chance(40) => {
                let width = self.some_width();
                let name = *self.rng.pick(&["ubv_to_int", "ubv_to_int", "sbv_to_int"]);
                Some(Sexpr::app(name, [self.term(&bit_sort(width), below)]))
            }
            "Int" | "Real" => Some(self.arithmetic(sort, below)),
            _ if bit_width(sort).is_some() => bit_width(sort).map(|width| self.bit_term(width, below)),
            _ if sort.starts_with('(') => {
                let array = self.signature.arrays.iter().find(|array| array.sort == sort)?;
                let (index, element) = (array.index.clone(), array.element.clone());
                if self.ingredients.constant && self.rng.chance(30) {
                    let text = format!("(as const {sort})");
                    let head = crate::sexpr::read_all(&text).expect("what was printed").remove(0);
                    return Some(Sexpr::List(vec![head, self.leaf(&element)]));
                }
                let parts =
                    [self.term(sort, below), self.term(&index, below - 1), self.term(&element, below - 1)];
                Some(Sexpr::app("store", parts))
            }
            _ => {
                let datatype = self.signature.datatypes.iter().find(|datatype| datatype.name == sort)?;
                let (name, fields) = self.rng.pick(&datatype.constructors).clone();
                if fields.is_empty() {
                    return Some(Sexpr::atom(name));
                }
                let fields: Vec<_> = fields.iter().map(|(_, of)| self.term(of, below - 1)).collect();
                Some(Sexpr::app(&name, fields))
            }
        }
    }

    fn arithmetic(&mut self, sort: &str, below: i64) -> Sexpr {
        let left = self.term(sort, below);
        if self.ingredients.nonlinear && self.rng.chance(30) {
            let right = self.term(sort, below - 1);
            let head = match sort {
                "Real" => *self.rng.pick(&["*", "/"]),
                _ => *self.rng.pick(&["*", "div", "mod"]),
            };
            return Sexpr::app(head, [left, right]);
        }
        match self.rng.below(4) {
            0 => Sexpr::app("*", [self.literal(sort), left]),
            1 => Sexpr::app("-", [left, self.term(sort, below - 1)]),
            _ => Sexpr::app("+", [left, self.term(sort, below - 1)]),
        }
    }

    fn literal(&mut self, sort: &str) -> Sexpr {
        let number = self.rng.range(1, 3);
        Sexpr::atom(if sort == "Real" { format!("{number}.0") } else { number.to_string() })
    }
}
