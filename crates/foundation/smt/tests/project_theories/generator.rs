//! Random formulas and models, as text.

use shem_base::Rng;

/// A sort of the scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int,
    Array,
    Matrix,
    Flags,
    ByColor,
    ByList,
    List,
    Pair,
    Color,
    Record,
    Tree,
    Forest,
    Declared,
}

use Kind::*;

/// The variables of the scenes by sort.
pub const VARIABLES: [(&str, Kind); 27] = [
    ("i", Int),
    ("j", Int),
    ("k", Int),
    ("x", Int),
    ("y", Int),
    ("t", Bool),
    ("a", Array),
    ("b", Array),
    ("c", Array),
    ("aa", Matrix),
    ("bb", Matrix),
    ("ab", Flags),
    ("ac", ByColor),
    ("bc", ByColor),
    ("al", ByList),
    ("bl", ByList),
    ("l", List),
    ("m", List),
    ("n", List),
    ("p", Pair),
    ("q", Pair),
    ("d", Color),
    ("e", Color),
    ("s", Record),
    ("w", Record),
    ("o", Tree),
    ("z", Tree),
];

/// Which parts of the language occur.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The sorts of equalities and of quantified terms; `Int` is always there.
    pub kinds: &'static [Kind],
    pub functions: bool,
    pub products: bool,
}

pub struct Generator {
    pub rng: Rng,
    pub language: Language,
}

impl Generator {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.index(from.len())]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.rng.below(n) == 0
    }

    fn has(&self, kind: Kind) -> bool {
        self.language.kinds.contains(&kind)
    }

    /// A variable of the sort, or a simple value if there is none.
    fn variable(&mut self, kind: Kind) -> String {
        let names: Vec<&str> = VARIABLES.iter().filter(|v| v.1 == kind).map(|v| v.0).collect();
        if kind == Declared {
            return self.pick(&["u", "v"]).to_owned();
        }
        if names.is_empty() { self.value(kind, 1) } else { self.pick(&names).to_owned() }
    }

    /// A term of the sort.
    pub fn term(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.one_in(3) {
            return if kind == Int && self.one_in(3) { self.number() } else { self.variable(kind) };
        }
        let depth = depth - 1;
        if self.one_in(10) {
            let condition = self.atom(depth);
            return format!("(ite {condition} {} {})", self.term(kind, depth), self.term(kind, depth));
        }
        let mut options: Vec<String> = Vec::new();
        let arg = |g: &mut Generator, kind| g.term(kind, depth);
        match kind {
            Int => {
                options.push(format!("(+ {} {})", arg(self, Int), arg(self, Int)));
                options.push(format!("(* 2 {})", arg(self, Int)));
                for array in [Array, ByColor, ByList] {
                    if self.has(array) {
                        let index = [Int, Color, List]
                            [[Array, ByColor, ByList].iter().position(|&k| k == array).unwrap()];
                        options.push(format!("(select {} {})", arg(self, array), arg(self, index)));
                    }
                }
                if self.has(List) {
                    options.push(format!("(head {})", arg(self, List)));
                }
                if self.has(Pair) {
                    options.push(format!("(first {})", arg(self, Pair)));
                }
                if self.has(Record) {
                    options.push(format!("({} {})", self.pick(&["size", "code"]), arg(self, Record)));
                }
                if self.has(Tree) {
                    options.push(format!("(label {})", arg(self, Tree)));
                }
                if self.language.functions {
                    options.push(format!("(f {})", arg(self, Int)));
                    options.push(format!("(on {})", self.atom(depth)));
                    if self.has(List) {
                        options.push(format!("(h {})", arg(self, List)));
                    }
                    if self.has(Array) {
                        options.push(format!("(of {})", arg(self, Array)));
                    }
                }
                if self.language.products {
                    let operator = self.pick(&["*", "div", "mod"]);
                    options.push(format!("({operator} {} {})", arg(self, Int), arg(self, Int)));
                }
            }
            Array => {
                options.push(format!("(store {} {} {})", arg(self, Array), arg(self, Int), arg(self, Int)));
                if self.has(Matrix) {
                    options.push(format!("(select {} {})", arg(self, Matrix), arg(self, Int)));
                }
                if self.has(Record) {
                    options.push(format!("(cells {})", arg(self, Record)));
                }
                if self.one_in(3) {
                    options.push(format!("((as const (Array Int Int)) {})", arg(self, Int)));
                }
            }
            Matrix => {
                options.push(format!(
                    "(store {} {} {})",
                    arg(self, Matrix),
                    arg(self, Int),
                    arg(self, Array)
                ));
            }
            Flags => {
                options.push(format!("(store {} {} {})", arg(self, Flags), arg(self, Int), self.atom(depth)));
            }
            ByColor => {
                options.push(format!(
                    "(store {} {} {})",
                    arg(self, ByColor),
                    arg(self, Color),
                    arg(self, Int)
                ));
            }
            ByList => {
                options.push(format!("(store {} {} {})", arg(self, ByList), arg(self, List), arg(self, Int)));
            }
            List => {
                options.push("nil".to_owned());
                options.push(format!("(cons {} {})", arg(self, Int), arg(self, List)));
                options.push(format!("(tail {})", arg(self, List)));
                if self.has(Pair) {
                    options.push(format!("(second {})", arg(self, Pair)));
                }
            }
            Pair => options.push(format!("(pair {} {})", arg(self, Int), arg(self, List))),
            Color => options.push(self.pick(&["red", "green", "blue"]).to_owned()),
            Record => {
                options.push(format!("(record {} {})", arg(self, Array), arg(self, Int)));
                options.push(format!("(broken {})", arg(self, Int)));
            }
            Tree => {
                options.push(format!("(leaf {})", arg(self, Int)));
                options.push(format!("(node {})", arg(self, Forest)));
                options.push(format!("(tree {})", arg(self, Forest)));
            }
            Forest => {
                options.push("none".to_owned());
                options.push(format!("(more {} {})", arg(self, Tree), arg(self, Forest)));
                options.push(format!("(children {})", arg(self, Tree)));
                options.push(format!("(rest {})", arg(self, Forest)));
            }
            Declared => options.push(format!("(g {})", arg(self, Declared))),
            Bool => options.push(self.atom(depth)),
        }
        options.swap_remove(self.rng.index(options.len()))
    }

    fn number(&mut self) -> String {
        match self.rng.range(-2..=3) {
            n if n < 0 => format!("(- {})", -n),
            n => n.to_string(),
        }
    }

    /// An atom.
    pub fn atom(&mut self, depth: usize) -> String {
        let tester = match self.rng.index(8) {
            0 => return "t".to_owned(),
            1 if self.has(Flags) => {
                return format!("(select {} {})", self.term(Flags, depth), self.term(Int, depth));
            }
            2 if self.has(List) => ["nil", "cons"][self.rng.index(2)],
            3 if self.has(Record) => ["record", "broken"][self.rng.index(2)],
            4 | 5 => {
                let relation = self.pick(&["<", "<=", "="]);
                return format!("({relation} {} {})", self.term(Int, depth), self.term(Int, depth));
            }
            _ => {
                let kind = self.language.kinds[self.rng.index(self.language.kinds.len())];
                return format!("(= {} {})", self.term(kind, depth), self.term(kind, depth));
            }
        };
        let kind = if ["nil", "cons"].contains(&tester) { List } else { Record };
        format!("((_ is {tester}) {})", self.term(kind, depth))
    }

    /// A formula.
    pub fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(2) {
            return self.atom(2);
        }
        let operator = self.pick(&["and", "or", "=", "=>"]);
        format!("({operator} {} {})", self.formula(depth - 1), self.formula(depth - 1))
    }

    /// A value.
    pub fn value(&mut self, kind: Kind, depth: usize) -> String {
        let entries = |g: &mut Generator, sort: &str, index: Kind, element: Kind| {
            let mut text = format!("((as const (Array {sort})) {})", g.value(element, 1));
            for _ in 0..g.rng.index(3) {
                text = format!("(store {text} {} {})", g.value(index, 1), g.value(element, 1));
            }
            text
        };
        match kind {
            Bool => self.pick(&["true", "false"]).to_owned(),
            Int => self.number(),
            Array => entries(self, "Int Int", Int, Int),
            Matrix => entries(self, "Int (Array Int Int)", Int, Array),
            Flags => entries(self, "Int Bool", Int, Bool),
            ByColor => entries(self, "Color Int", Color, Int),
            ByList => entries(self, "List Int", List, Int),
            List if depth == 0 || self.one_in(3) => "nil".to_owned(),
            List => format!("(cons {} {})", self.value(Int, 0), self.value(List, depth - 1)),
            Pair => format!("(pair {} {})", self.value(Int, 0), self.value(List, 1)),
            Color => self.pick(&["red", "green", "blue"]).to_owned(),
            Record if self.one_in(3) => format!("(broken {})", self.value(Int, 0)),
            Record => format!("(record {} {})", self.value(Array, 0), self.value(Int, 0)),
            Tree if depth == 0 || self.one_in(2) => format!("(leaf {})", self.value(Int, 0)),
            Tree => format!("(node {})", self.value(Forest, depth - 1)),
            Forest if depth == 0 || self.one_in(3) => "none".to_owned(),
            Forest => format!("(more {} {})", self.value(Tree, depth - 1), self.value(Forest, depth - 1)),
            Declared => unreachable!("elements have no names"),
        }
    }

    /// The tables of the functions that have names for their values.
    pub fn functions(&mut self) -> Vec<(&'static str, String)> {
        let table = |g: &mut Generator, kind: Kind| {
            let mut text = String::new();
            for _ in 0..g.rng.index(3) {
                text += &format!("{} {} ", g.value(kind, 2), g.number());
            }
            text + &g.number()
        };
        let kinds = [
            ("f", Int),
            ("h", List),
            ("on", Bool),
            ("of", Array),
            ("head", List),
            ("label", Tree),
            ("size", Record),
            ("code", Record),
        ];
        kinds.into_iter().map(|(name, kind)| (name, table(self, kind))).collect()
    }

    /// Values of all variables, each as it was with even chance.
    pub fn values(&mut self, before: Option<&[(&'static str, String)]>) -> Vec<(&'static str, String)> {
        let mut values = Vec::new();
        for (at, (name, kind)) in VARIABLES.into_iter().enumerate() {
            let kept = before.filter(|_| self.rng.below(2) == 0).map(|before| before[at].1.clone());
            let value = kept.unwrap_or_else(|| self.value(kind, 2));
            values.push((name, value));
        }
        values
    }
}
