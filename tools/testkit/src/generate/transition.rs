//! The shape of Horn solving: transition systems unrolled step by step, and single steps between cubes.

use super::numbers;
use super::outline::{command, declare};
use crate::rng::Rng;
use crate::sexpr::Sexpr;
use crate::sorts::Sort;

/// A random transition system over numbers of one sort.
struct System {
    sort: Sort,
    count: usize,
    /// Guarded commands: a guard over the state, and per state variable its next value.
    branches: Vec<(Sexpr, Vec<Sexpr>)>,
}

fn current(index: usize) -> Sexpr {
    Sexpr::atom(format!("s{index}"))
}

fn next(index: usize) -> Sexpr {
    Sexpr::atom(format!("t{index}"))
}

impl System {
    fn random(rng: &mut Rng, count: usize, branches: usize) -> Self {
        let sort = if rng.chance(70) { Sort::Int } else { Sort::Real };
        let mut system = Self { sort, count, branches: Vec::new() };
        for _ in 0..branches {
            let guard = system.bound(rng, &current);
            let updates = (0..count).map(|index| system.update(rng, index)).collect();
            system.branches.push((guard, updates));
        }
        system
    }

    fn literal(&self, value: i64) -> Sexpr {
        if self.sort == Sort::Int { numbers::literal(value) } else { numbers::real_literal(value) }
    }

    /// A bound on a variable or on the difference of two.
    fn bound(&self, rng: &mut Rng, state: &dyn Fn(usize) -> Sexpr) -> Sexpr {
        let first = state(rng.below(self.count));
        let left = if rng.chance(60) {
            first
        } else {
            let second = state(rng.below(self.count));
            let head = *rng.pick(&["-", "+"]);
            Sexpr::app(head, [first, second])
        };
        let right = self.literal(rng.range(-10, 10));
        let head = *rng.pick(&["<=", "<", ">=", ">", "="]);
        Sexpr::app(head, [left, right])
    }

    fn update(&self, rng: &mut Rng, index: usize) -> Sexpr {
        let own = current(index);
        let other = current(rng.below(self.count));
        let step = self.literal(rng.range(-3, 3));
        match rng.below(10) {
            0..3 => own,
            3..6 => Sexpr::app("+", [own, step]),
            6 => Sexpr::app("+", [own, other]),
            7 => Sexpr::app("-", [other, step]),
            8 => {
                let condition = self.bound(rng, &current);
                Sexpr::app("ite", [condition, other, step])
            }
            _ if self.sort == Sort::Int => Sexpr::app("mod", [own, numbers::literal(rng.range(2, 5))]),
            _ => Sexpr::app("*", [Sexpr::atom("0.5"), own]),
        }
    }

    /// The relation between the state `s…` and the state `t…`.
    fn relation(&self) -> Sexpr {
        let branches = self.branches.iter().map(|(guard, updates)| {
            let effects = updates
                .iter()
                .enumerate()
                .map(|(index, value)| Sexpr::app("=", [next(index), value.clone()]));
            Sexpr::app("and", [guard.clone()].into_iter().chain(effects))
        });
        Sexpr::app("or", branches)
    }

    fn cube(&self, rng: &mut Rng, state: &dyn Fn(usize) -> Sexpr, most: usize) -> Vec<Sexpr> {
        (0..1 + rng.below(most)).map(|_| self.bound(rng, state)).collect()
    }

    fn header(&self) -> Vec<Sexpr> {
        vec![command("set-logic", &[if self.sort == Sort::Int { "QF_LIA" } else { "QF_LRA" }])]
    }
}

fn assert(formula: Sexpr) -> Sexpr {
    Sexpr::app("assert", [formula])
}

/// The term with its state symbols renamed: `s…` to step `from`, `t…` to step `to`.
fn rename(term: &Sexpr, from: usize, to: usize) -> Sexpr {
    match term {
        Sexpr::List(items) => Sexpr::List(items.iter().map(|item| rename(item, from, to)).collect()),
        Sexpr::Atom(text) => {
            let stepped = |prefix, step: usize| {
                text.strip_prefix(prefix)
                    .filter(|rest: &&str| rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty())
                    .map(|rest| Sexpr::atom(format!("x{rest}@{step}")))
            };
            stepped('s', from).or_else(|| stepped('t', to)).unwrap_or_else(|| term.clone())
        }
    }
}

/// An unrolling: at each depth the bad states are checked in a scope of their own.
pub fn unrolling(rng: &mut Rng) -> Vec<Sexpr> {
    let (count, branches) = (2 + rng.below(3), 1 + rng.below(3));
    let system = System::random(rng, count, branches);
    let mut commands = system.header();
    let relation = system.relation();
    let parameters = |state: &dyn Fn(usize) -> Sexpr| -> Vec<Sexpr> { (0..count).map(state).collect() };
    let defined = rng.chance(50);
    if defined {
        let sort = Sexpr::atom(format!("{:?}", system.sort));
        let binders = [parameters(&current), parameters(&next)].concat();
        let binders = binders.into_iter().map(|name| Sexpr::List(vec![name, sort.clone()])).collect();
        let items = [Sexpr::atom("tr"), Sexpr::List(binders), Sexpr::atom("Bool"), relation.clone()];
        commands.push(Sexpr::app("define-fun", items));
    }
    let declare_step = |rng: &mut Rng, commands: &mut Vec<Sexpr>, step: usize| {
        for index in 0..count {
            commands.push(declare(rng, &format!("x{index}@{step}"), system.sort));
        }
    };
    declare_step(rng, &mut commands, 0);
    for index in 0..count {
        if rng.chance(80) {
            let value = system.literal(rng.range(-5, 5));
            let head = if rng.chance(70) { "=" } else { ">=" };
            commands.push(assert(Sexpr::app(head, [rename(&current(index), 0, 0), value])));
        }
    }
    let bad = Sexpr::app("and", system.cube(rng, &current, 2));
    for depth in 0..if rng.chance(15) { 10 } else { 2 + rng.below(4) } {
        if depth > 0 {
            declare_step(rng, &mut commands, depth);
            let step = if defined {
                let call = Sexpr::app("tr", [parameters(&current), parameters(&next)].concat());
                rename(&call, depth - 1, depth)
            } else {
                rename(&relation, depth - 1, depth)
            };
            commands.push(assert(step));
        }
        commands.push(command("push", &["1"]));
        commands.push(assert(rename(&bad, depth, depth)));
        commands.push(command("check-sat", &[]));
        commands.push(command("pop", &["1"]));
    }
    commands
}

/// One step between changing cubes: in scopes, under named assertions or under assumptions.
pub fn steps(rng: &mut Rng) -> Vec<Sexpr> {
    let count = 2 + rng.below(4);
    let system = System::random(rng, count, 2);
    let way = rng.below(3);
    let mut commands = Vec::new();
    match way {
        0 => {}
        1 => commands.push(command("set-option", &[":produce-unsat-cores", "true"])),
        _ => commands.push(command("set-option", &[":produce-unsat-assumptions", "true"])),
    }
    commands.extend(system.header());
    for index in 0..count {
        commands.push(declare(rng, &format!("x{index}@0"), system.sort));
        commands.push(declare(rng, &format!("x{index}@1"), system.sort));
    }
    commands.push(assert(rename(&system.relation(), 0, 1)));
    let mut proxies = 0;
    for _ in 0..if rng.chance(10) { 25 } else { 3 + rng.below(4) } {
        let mut cube = system.cube(rng, &current, 4);
        cube.extend(system.cube(rng, &next, 4));
        let cube: Vec<_> = cube.iter().map(|literal| rename(literal, 0, 1)).collect();
        if way == 2 {
            let mut literals = Vec::new();
            for literal in cube {
                let name = format!("p{proxies}");
                proxies += 1;
                commands.push(command("declare-const", &[&name, "Bool"]));
                commands.push(assert(Sexpr::app("=>", [Sexpr::atom(name.as_str()), literal])));
                literals.push(Sexpr::atom(name));
            }
            commands.push(Sexpr::app("check-sat-assuming", [Sexpr::List(literals)]));
            continue;
        }
        commands.push(command("push", &["1"]));
        for literal in cube {
            proxies += 1;
            let name = Sexpr::atom(format!("a{proxies}"));
            commands.push(assert(if way == 1 {
                Sexpr::app("!", [literal, Sexpr::atom(":named"), name])
            } else {
                literal
            }));
        }
        commands.push(command("check-sat", &[]));
        commands.push(command("pop", &["1"]));
    }
    commands
}
