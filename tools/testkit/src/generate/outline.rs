//! Outlines of scripts: how assertions, scopes and checks follow each other.

use super::grammar::{Grammar, Macro, Vocabulary};
use super::numbers::{self, Magnitude};
use super::taste::Taste;
use crate::rng::Rng;
use crate::sexpr::Sexpr;
use crate::sorts::Sort;

/// How a script goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// Assertions with a check now and then.
    Flat,
    /// A walk over scopes; symbols declared in a scope are declared again later with another sort.
    Stack,
    /// Checks under assumptions over Boolean stand-ins for literals.
    Assume,
    /// Named assertions, so that a core can be asked for.
    Core,
    /// Scopes, names and assumptions at once, with `reset-assertions` or `reset` between.
    Medley,
}

/// The outlines that any profile may take.
pub const OUTLINES: &[Outline] =
    &[Outline::Flat, Outline::Stack, Outline::Stack, Outline::Assume, Outline::Core, Outline::Medley];

/// A script in the making.
pub struct Writer<'a> {
    rng: &'a mut Rng,
    taste: &'a Taste,
    outline: Outline,
    commands: Vec<Sexpr>,
    vocabulary: Vocabulary,
    /// The vocabulary and the stand-ins outside each open scope.
    scopes: Vec<(Vocabulary, usize)>,
    /// Boolean stand-ins for literals.
    proxies: Vec<String>,
    /// The number of names given so far; a name is never given twice.
    names: usize,
    checks: usize,
}

/// A command with arguments.
pub fn command(head: &str, arguments: &[&str]) -> Sexpr {
    Sexpr::app(head, arguments.iter().map(|&text| Sexpr::atom(text)))
}

/// A declaration, in one of its two forms.
pub fn declare(rng: &mut Rng, name: &str, sort: Sort) -> Sexpr {
    let sort = match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::Real => "Real",
    };
    if rng.chance(50) {
        command("declare-const", &[name, sort])
    } else {
        let items = [Sexpr::atom(name), Sexpr::List(Vec::new()), Sexpr::atom(sort)];
        Sexpr::app("declare-fun", items)
    }
}

impl<'a> Writer<'a> {
    /// The script of a taste and an outline.
    pub fn script(rng: &'a mut Rng, taste: &'a Taste, outline: Outline) -> Vec<Sexpr> {
        let mut writer = Self {
            rng,
            taste,
            outline,
            commands: Vec::new(),
            vocabulary: Vocabulary::default(),
            scopes: Vec::new(),
            proxies: Vec::new(),
            names: 0,
            checks: 0,
        };
        writer.open();
        match outline {
            Outline::Flat => writer.flat(),
            Outline::Stack | Outline::Core => writer.walk(14),
            Outline::Assume => writer.assume(),
            Outline::Medley => writer.medley(),
        }
        if writer.checks == 0 || writer.rng.chance(30) {
            writer.check();
        }
        writer.commands
    }

    /// Options, logic, declarations and definitions.
    fn open(&mut self) {
        if matches!(self.outline, Outline::Core | Outline::Medley) {
            self.commands.push(command("set-option", &[":produce-unsat-cores", "true"]));
        }
        if matches!(self.outline, Outline::Assume | Outline::Medley) {
            self.commands.push(command("set-option", &[":produce-unsat-assumptions", "true"]));
        }
        self.commands.push(command("set-option", &[":produce-models", "true"]));
        let logic =
            if self.rng.chance(10) && self.taste.logic != "QF_LRA" { "ALL" } else { self.taste.logic };
        self.commands.push(command("set-logic", &[logic]));
        self.declarations();
    }

    fn declarations(&mut self) {
        let taste = self.taste;
        for (sort, (low, high)) in
            [(Sort::Int, taste.ints), (Sort::Real, taste.reals), (Sort::Bool, taste.bools)]
        {
            for _ in 0..self.rng.range(low, high) {
                self.declare(sort);
            }
        }
        for _ in 0..self.rng.range(0, taste.macros) {
            self.define();
        }
        if self.rng.chance(taste.bounded) {
            let width = *self.rng.pick(&[3, 10, 10, 50, 1_000]);
            for name in self.vocabulary.ints.clone() {
                let name = Sexpr::atom(name);
                let low = Sexpr::app("<=", [numbers::literal(-width), name.clone()]);
                let high = Sexpr::app("<=", [name, numbers::literal(width)]);
                if self.rng.chance(50) {
                    self.commands.push(Sexpr::app("assert", [Sexpr::app("and", [low, high])]));
                } else {
                    self.commands.push(Sexpr::app("assert", [low]));
                    self.commands.push(Sexpr::app("assert", [high]));
                }
            }
        }
    }

    /// Declares a constant whose name depends only on how many symbols are in force.
    fn declare(&mut self, sort: Sort) {
        let number = self.vocabulary.len();
        let name = if number % 7 == 6 { format!("|v {number}|") } else { format!("v{number}") };
        let declaration = declare(self.rng, &name, sort);
        self.commands.push(declaration);
        self.vocabulary.bind(&name, sort);
    }

    /// Defines a function over its parameters and, half of the time, over the constants too.
    fn define(&mut self) {
        let name = format!("f{}", self.vocabulary.macros.len());
        let sorts: Vec<_> =
            [(Sort::Int, self.taste.ints.1), (Sort::Real, self.taste.reals.1), (Sort::Bool, 1)]
                .into_iter()
                .filter_map(|(sort, most)| (most > 0).then_some(sort))
                .collect();
        let mut vocabulary =
            if self.rng.chance(50) { self.vocabulary.clone() } else { Vocabulary::default() };
        let mut parameters = Vec::new();
        let mut binders = Vec::new();
        for number in 0..self.rng.below(4) {
            let sort = *self.rng.pick(&sorts);
            let parameter = if self.rng.chance(80) { format!("p{number}") } else { format!("v{number}") };
            binders.push(command(&parameter, &[&format!("{sort:?}")]));
            vocabulary.bind(&parameter, sort);
            parameters.push(sort);
        }
        let sort = *self.rng.pick(&sorts);
        let mut grammar = Grammar { rng: self.rng, taste: self.taste, vocabulary };
        let body = grammar.term(sort);
        let items =
            [Sexpr::atom(name.as_str()), Sexpr::List(binders), Sexpr::atom(format!("{sort:?}")), body];
        self.commands.push(Sexpr::app("define-fun", items));
        self.vocabulary.macros.push(Macro { name, parameters, sort });
    }

    fn grammar(&mut self) -> Grammar<'_> {
        Grammar { rng: self.rng, taste: self.taste, vocabulary: self.vocabulary.clone() }
    }

    fn assert(&mut self) {
        let formula = self.grammar().formula();
        let named = match self.outline {
            Outline::Core => 80,
            Outline::Medley => 40,
            _ => 0,
        };
        let term = if self.rng.chance(named) {
            self.names += 1;
            let name = Sexpr::atom(format!("a{}", self.names));
            Sexpr::app("!", [formula, Sexpr::atom(":named"), name])
        } else {
            formula
        };
        self.commands.push(Sexpr::app("assert", [term]));
    }

    fn check(&mut self) {
        self.checks += 1;
        let assuming = match self.outline {
            Outline::Assume => 90,
            Outline::Medley => 40,
            _ => 0,
        };
        if !self.rng.chance(assuming) {
            self.commands.push(command("check-sat", &[]));
            return;
        }
        let mut literals = Vec::new();
        let names = [self.proxies.as_slice(), self.vocabulary.bools.as_slice()].concat();
        for name in names {
            if self.rng.chance(45) {
                let atom = Sexpr::atom(name);
                literals.push(if self.rng.chance(20) { Sexpr::app("not", [atom]) } else { atom });
            }
        }
        self.commands.push(Sexpr::app("check-sat-assuming", [Sexpr::List(literals)]));
    }

    fn flat(&mut self) {
        for _ in 0..self.rng.range(2, self.taste.assertions + 2) {
            self.assert();
            if self.rng.chance(15) {
                self.check();
            }
        }
        self.check();
    }

    /// Random steps over scopes.
    fn walk(&mut self, steps: i64) {
        for _ in 0..self.rng.range(1, self.taste.assertions) {
            self.assert();
        }
        for _ in 0..self.rng.range(4, steps) {
            match self.rng.below(100) {
                0..40 => self.assert(),
                40..58 => self.push(),
                58..70 => self.pop(),
                70..76 => {
                    let sort = match (self.taste.ints.1 > 0, self.taste.reals.1 > 0) {
                        (true, true) => *self.rng.pick(&[Sort::Int, Sort::Real, Sort::Bool]),
                        (true, false) => *self.rng.pick(&[Sort::Int, Sort::Bool]),
                        (false, _) => *self.rng.pick(&[Sort::Real, Sort::Bool]),
                    };
                    self.declare(sort);
                }
                _ => self.check(),
            }
        }
        if self.rng.chance(50) {
            self.check();
            while !self.scopes.is_empty() {
                self.pop();
            }
            self.check();
        }
    }

    fn push(&mut self) {
        let levels = if self.rng.chance(10) { 2 } else { 1 };
        for _ in 0..levels {
            self.scopes.push((self.vocabulary.clone(), self.proxies.len()));
        }
        self.commands.push(command("push", &[&levels.to_string()]));
    }

    fn pop(&mut self) {
        let levels = (1 + self.rng.below(2)).min(self.scopes.len());
        let Some(left) = self.scopes.len().checked_sub(levels) else { return };
        if levels > 0 {
            let (vocabulary, proxies) = self.scopes.swap_remove(left);
            self.scopes.truncate(left);
            self.vocabulary = vocabulary;
            self.proxies.truncate(proxies);
            self.commands.push(command("pop", &[&levels.to_string()]));
        }
    }

    /// A stand-in that implies a literal, or is equivalent to it.
    fn proxy(&mut self) {
        let name = format!("q{}", self.proxies.len());
        let literal = self.grammar().literal();
        let head = if self.rng.chance(80) { "=>" } else { "=" };
        self.commands.push(command("declare-const", &[&name, "Bool"]));
        self.commands.push(Sexpr::app("assert", [Sexpr::app(head, [Sexpr::atom(name.as_str()), literal])]));
        self.proxies.push(name);
    }

    fn assume(&mut self) {
        for _ in 0..self.rng.range(0, self.taste.assertions / 2) {
            self.assert();
        }
        for _ in 0..self.rng.range(2, 7) {
            self.proxy();
        }
        for _ in 0..self.rng.range(2, 6) {
            self.check();
            match self.rng.below(10) {
                0 => self.assert(),
                1 => self.push(),
                2 => self.pop(),
                3 => self.proxy(),
                _ => {}
            }
        }
    }

    fn medley(&mut self) {
        for _ in 0..self.rng.range(1, 4) {
            self.proxy();
        }
        self.walk(8);
        if self.rng.chance(40) {
            self.scopes.clear();
            self.proxies.clear();
            self.vocabulary = Vocabulary::default();
            if self.rng.chance(50) {
                self.commands.push(command("reset", &[]));
                self.open();
            } else {
                self.commands.push(command("reset-assertions", &[]));
                self.declarations();
            }
            self.walk(6);
        }
    }
}

/// A formula of one operator nested as deep as asked, which no recursive walk should mind.
pub fn deep_script(rng: &mut Rng) -> Vec<Sexpr> {
    let depth = rng.range(100, 300);
    let mut commands = vec![command("set-logic", &["QF_LIA"])];
    for name in ["x", "y", "z"] {
        commands.push(declare(rng, name, Sort::Int));
    }
    commands.push(declare(rng, "p", Sort::Bool));
    let names = ["x", "y", "z"];
    let bound = |rng: &mut Rng| {
        let constant = numbers::integer(rng, Magnitude::Medium);
        let head = *rng.pick(&["<=", ">=", "<", ">"]);
        Sexpr::app(head, [Sexpr::atom(*rng.pick(&names)), constant])
    };
    let mut sum = Sexpr::atom("x");
    let mut formula = bound(rng);
    for step in 0..depth {
        if rng.chance(50) {
            let other = Sexpr::atom(*rng.pick(&names));
            sum = match rng.below(4) {
                0 => Sexpr::app("ite", [Sexpr::atom("p"), sum, other]),
                1 => Sexpr::app("-", [other, sum]),
                _ => Sexpr::app("+", [sum, other]),
            };
        } else {
            let part = bound(rng);
            formula = match rng.below(6) {
                0 => Sexpr::app("not", [formula]),
                1 | 2 => Sexpr::app("or", [formula, part]),
                3 => Sexpr::app("=>", [part, formula]),
                4 if step % 8 == 0 => Sexpr::app("xor", [formula, part]),
                _ => Sexpr::app("and", [part, formula]),
            };
        }
    }
    let constant = numbers::integer(rng, Magnitude::Medium);
    commands.push(Sexpr::app("assert", [formula]));
    commands.push(command("check-sat", &[]));
    commands.push(command("push", &["1"]));
    commands.push(Sexpr::app("assert", [Sexpr::app("=", [sum, constant])]));
    commands.push(command("check-sat", &[]));
    commands.push(command("pop", &["1"]));
    let last = bound(rng);
    commands.push(Sexpr::app("assert", [last]));
    commands.push(command("check-sat", &[]));
    commands
}
