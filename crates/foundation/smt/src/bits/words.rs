//! The words of nodes, with what is still to be made and how to go back.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{BitVec, Budget, Lit, UnknownReason, Var};
use shem_term::BitOp;

use super::abstraction::{Abstraction, WrongResult, value_of};
use super::circuits::{Circuit, Summand};
use super::gates::{Gate, Gates, Maker};
use super::options::BitOptions;
use crate::equality::Node;
use crate::theory::Definitions;

/// What a node of bit-vectors is.
pub(crate) enum WordShape<'a> {
    /// Nothing is known of its bits.
    Free,
    /// A number.
    Constant(BitVec),
    /// An operation on words.
    Operation(BitOp, &'a [Node]),
    /// An integer, modulo 2 to the power of the width.
    FromInt,
}

/// What has to be known of nodes.
pub(crate) trait Shapes {
    /// What a node is; `None` if it is no bit-vector.
    fn word(&self, node: Node) -> Option<(WordShape<'_>, u32)>;
}

/// A conditional: if the literal holds then the first node, else the second.
#[derive(Clone, Copy, Debug)]
struct Choice {
    node: Node,
    condition: Lit,
    branches: [Node; 2],
}

/// What was there when a scope was opened.
#[derive(Clone, Debug)]
struct Mark {
    gates: usize,
    bits: usize,
    order: usize,
    free: usize,
    swept: usize,
    untied: Vec<Node>,
    abstraction: [usize; 2],
}

/// The words of nodes.
#[derive(Debug)]
pub(crate) struct Words {
    gates: Gates,
    /// Where the bits of a node are.
    places: HashMap<Node, u32, FxBuildHasher>,
    bits: Vec<Lit>,
    /// The nodes with words and their first bits, in the order in which the words were made.
    order: Vec<(Node, u32)>,
    /// The nodes whose bits are new variables, those of abstract operations among them, each with its first one. SORTED
    /// by variable.
    free: Vec<(Var, Node)>,
    /// SORTED by node.
    choices: Vec<Choice>,
    /// How many nodes have been looked at.
    pub(crate) swept: usize,
    /// Atoms about words that are not tied to bits yet.
    pub(crate) untied: Vec<Node>,
    /// Conversions between integers and words that arithmetic has not been told of.
    pub(crate) conversions: Vec<Node>,
    /// The values of words in the last assignment, in their order.
    values: Vec<BitVec>,
    abstraction: Abstraction,
    /// An operation is abstract if its circuit has at least so many rows times columns.
    least_area: u64,
    marks: Vec<Mark>,
}

impl Words {
    /// No words yet, with this number of open scopes. The literal is always true.
    pub(crate) fn new(truth: Lit, options: &BitOptions, scopes: usize) -> Words {
        let abstraction = Abstraction::default();
        let mark = Mark {
            gates: 0,
            bits: 0,
            order: 0,
            free: 0,
            swept: 0,
            untied: Vec::new(),
            abstraction: abstraction.mark(),
        };
        Words {
            gates: Gates::new(truth, options.gates),
            places: HashMap::default(),
            bits: Vec::new(),
            order: Vec::new(),
            free: Vec::new(),
            choices: Vec::new(),
            swept: 0,
            untied: Vec::new(),
            conversions: Vec::new(),
            values: Vec::new(),
            abstraction,
            least_area: options.abstract_from.map_or(u64::MAX, |width| u64::from(width).pow(2)),
            marks: vec![mark; scopes],
        }
    }

    /// The number of gates.
    pub(crate) fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// How often the values of abstract operations were wrong.
    pub(crate) fn refinement_count(&self) -> u64 {
        self.abstraction.count
    }

    /// Whether some operation is abstract.
    pub(crate) fn is_abstract(&self) -> bool {
        self.abstraction.mark() != [0, 0]
    }

    /// The bits of a node, if they have been made.
    pub(crate) fn get(&self, node: Node) -> Option<&[Lit]> {
        let place = *self.places.get(&node)? as usize;
        let start = self.order[place].1 as usize;
        let end = self.order.get(place + 1).map_or(self.bits.len(), |next| next.1 as usize);
        Some(&self.bits[start..end])
    }

    /// The gate whose output a variable is.
    pub(crate) fn gate(&self, var: Var) -> Option<Gate> {
        self.gates.of(var)
    }

    /// The node whose bit a variable is, and its place.
    pub(crate) fn bit(&self, var: Var) -> Option<(Node, u32)> {
        let after = self.free.partition_point(|&(first, _)| first <= var);
        let (first, node) = *self.free.get(after.checked_sub(1)?)?;
        let place = var.index() - first.index();
        (place < self.get(node)?.len()).then_some((node, place as u32))
    }

    /// The bits of all words with their nodes and places, in the order in which the words were made.
    pub(crate) fn all_bits(&self) -> impl Iterator<Item = (Lit, Node, u32)> {
        let ends = self.order[1.min(self.order.len())..].iter().map(|next| next.1 as usize);
        self.order.iter().zip(ends.chain([self.bits.len()])).flat_map(|(&(node, start), end)| {
            let bits = self.bits[start as usize..end].iter();
            bits.zip(0..).map(move |(&bit, place)| (bit, node, place))
        })
    }

    /// Takes note that the node, the youngest one, is a conditional.
    pub(crate) fn add_choice(&mut self, node: Node, condition: Lit, branches: [Node; 2]) {
        self.choices.push(Choice { node, condition, branches });
    }

    fn choice(&self, node: Node) -> Option<Choice> {
        let place = self.choices.binary_search_by_key(&node, |choice| choice.node).ok()?;
        Some(self.choices[place])
    }

    /// Makes the word of a node, and those that it is made of, if there is none.
    pub(crate) fn demand(
        &mut self,
        shapes: &impl Shapes,
        node: Node,
        wires: &mut Definitions,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        let mut stack = vec![node];
        while let Some(&node) = stack.last() {
            if self.places.contains_key(&node) {
                stack.pop();
                continue;
            }
            let Some((shape, width)) = shapes.word(node) else {
                stack.pop();
                continue;
            };
            let before = stack.len();
            match (&shape, self.choice(node)) {
                (WordShape::Free, Some(choice)) => stack.extend(choice.branches),
                (WordShape::Operation(BitOp::Add, args), _) => {
                    stack.extend(args.iter().map(|&arg| summand(shapes, arg).1));
                }
                (WordShape::Operation(_, args), _) => stack.extend_from_slice(args),
                _ => {}
            }
            let mut place = before;
            while let Some(&part) = stack.get(place) {
                if self.places.contains_key(&part) {
                    stack.swap_remove(place);
                } else {
                    place += 1;
                }
            }
            if stack.len() == before {
                let abstracted = self.abstracted(&shape, width);
                let word = match abstracted {
                    Some(_) => (0..width).map(|_| wires.fresh()).collect(),
                    None => self.build(shapes, node, &shape, width, wires, budget)?,
                };
                if let Some((op, args)) = abstracted {
                    self.abstraction.add(node, op, args);
                    self.free.push((word[0].var(), node));
                }
                if let WordShape::FromInt = shape {
                    self.conversions.push(node);
                }
                if let (WordShape::Free | WordShape::FromInt, None) = (&shape, self.choice(node)) {
                    self.free.push((word[0].var(), node));
                }
                self.places.insert(node, self.order.len() as u32);
                self.order.push((node, self.bits.len() as u32));
                self.bits.extend(word);
                stack.pop();
            }
        }
        Ok(())
    }

    /// The operation that a shape is, if its circuit is so large that it is left abstract.
    fn abstracted(&self, shape: &WordShape<'_>, width: u32) -> Option<(BitOp, [Node; 2])> {
        let WordShape::Operation(op, &[a, b]) = *shape else { return None };
        let open = |node: Node| self.get(node).map_or(0, |word| self.gates.open_count(word));
        let area = match op {
            BitOp::Multiply => open(a) * open(b),
            BitOp::Quotient | BitOp::Remainder => u64::from(width) * open(b),
            _ => return None,
        };
        (area >= self.least_area).then_some((op, [a, b]))
    }

    /// Compares the values of abstract operations with those that they should have, and adds clauses that exclude the
    /// wrong ones; says whether there were any. The definitions have to be taken over even if a limit was reached.
    pub(crate) fn refine(&mut self, wires: &mut Definitions, budget: &Budget) -> Result<bool, UnknownReason> {
        let open: Vec<(usize, BitOp, [Node; 3])> = self.abstraction.open().collect();
        let mut found = false;
        for (at, op, nodes) in open {
            let values = nodes.map(|node| &self.values[self.places[&node] as usize]);
            let expected = value_of(op, values[0], values[1]);
            if *values[2] == expected {
                continue;
            }
            let none = Gates::new(self.gates.constant(true), 0);
            let mut gates = std::mem::replace(&mut self.gates, none);
            let words = nodes.map(|node| self.get(node).expect("parts have words"));
            let wrong = WrongResult { op, words, values, expected: &expected };
            let mut maker = Maker { gates: &mut gates, wires, budget };
            let refinement = maker.exclude(&wrong, self.abstraction.refinement(at));
            self.gates = gates;
            self.abstraction.set_refinement(at, refinement?);
            found = true;
        }
        Ok(found)
    }

    /// The word of a node whose parts have words.
    fn build(
        &mut self,
        shapes: &impl Shapes,
        node: Node,
        shape: &WordShape<'_>,
        width: u32,
        wires: &mut Definitions,
        budget: &Budget,
    ) -> Circuit {
        let choice = self.choice(node);
        let none = Gates::new(self.gates.constant(true), 0);
        let mut gates = std::mem::replace(&mut self.gates, none);
        let word = |node: Node| self.get(node).expect("parts have words");
        let mut maker = Maker { gates: &mut gates, wires, budget };
        let result = match (shape, choice) {
            (WordShape::Free, Some(Choice { condition, branches, .. })) => {
                maker.choose_word(condition, word(branches[0]), word(branches[1]))
            }
            (WordShape::Free | WordShape::FromInt, _) => Ok(maker.fresh(width)),
            (WordShape::Constant(value), _) => {
                Ok((0..width).map(|at| maker.gates.constant(value.bit(at))).collect())
            }
            (WordShape::Operation(BitOp::Add, args), _) => {
                let mut summands = Vec::new();
                for &arg in *args {
                    match summand(shapes, arg) {
                        (None, arg) => summands.push(Summand { word: word(arg).to_vec(), negative: false }),
                        (Some(factor), arg) => {
                            let digits: Vec<bool> = (0..width).map(|at| factor.bit(at)).collect();
                            summands.extend(maker.summands(&digits, word(arg)));
                        }
                    }
                }
                // What is added comes before what is taken away: an adder does each.
                summands.sort_by_key(|summand| summand.negative);
                maker.sum(summands, width as usize)
            }
            (WordShape::Operation(op, args), _) => {
                let words: Vec<&[Lit]> = args.iter().map(|&arg| word(arg)).collect();
                maker.operation(*op, &words, width)
            }
        };
        self.gates = gates;
        result
    }

    /// Ties an atom to the bits of the two words that it compares.
    pub(crate) fn tie(
        &mut self,
        atom: Lit,
        comparison: Option<BitOp>,
        [a, b]: [Node; 2],
        wires: &mut Definitions,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        let [Some(a), Some(b)] = [self.get(a), self.get(b)].map(|word| word.map(<[Lit]>::to_vec)) else {
            unreachable!("both words have been demanded")
        };
        let mut maker = Maker { gates: &mut self.gates, wires, budget };
        match comparison {
            Some(op) => {
                let holds = maker.comparison(op == BitOp::SignedLessEqual, &a, &b)?;
                maker.wires.clause(&[!atom, holds]);
                maker.wires.clause(&[atom, !holds]);
            }
            None => {
                let agreements = maker.agreements(&a, &b)?;
                for &agree in &agreements {
                    maker.wires.clause(&[!atom, agree]);
                }
                let clause: Vec<Lit> = agreements.iter().map(|&agree| !agree).chain([atom]).collect();
                maker.wires.clause(&clause);
            }
        }
        Ok(())
    }

    /// Reads the values of all words.
    pub(crate) fn read_values(&mut self, truth: &dyn Fn(Lit) -> bool) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for &(node, _) in &self.order {
            let word = self.get(node).expect("listed nodes have words");
            values.push(BitVec::from_bits(word.len() as u32, |at| truth(word[at as usize])));
        }
        self.values = values;
    }

    /// The nodes with words and their values in the assignment that was read last.
    pub(crate) fn values(&self) -> impl Iterator<Item = (Node, &BitVec)> {
        self.order.iter().map(|entry| entry.0).zip(&self.values)
    }

    pub(crate) fn push(&mut self) {
        self.marks.push(Mark {
            gates: self.gates.len(),
            bits: self.bits.len(),
            order: self.order.len(),
            free: self.free.len(),
            swept: self.swept,
            untied: self.untied.clone(),
            abstraction: self.abstraction.mark(),
        });
    }

    /// Closes a scope, after which there are so many nodes.
    pub(crate) fn pop(&mut self, nodes: usize) {
        let Some(mark) = self.marks.pop() else { return };
        self.gates.truncate(mark.gates);
        for (node, _) in self.order.drain(mark.order..) {
            self.places.remove(&node);
        }
        self.bits.truncate(mark.bits);
        self.free.truncate(mark.free);
        self.abstraction.truncate(mark.abstraction);
        self.values.clear();
        let choices = self.choices.partition_point(|choice| choice.node.index() < nodes);
        self.choices.truncate(choices);
        self.conversions.clear();
        (self.swept, self.untied) = (mark.swept, mark.untied);
    }
}

/// A summand as a number, if there is one, times a node.
fn summand(shapes: &impl Shapes, arg: Node) -> (Option<BitVec>, Node) {
    if let Some((WordShape::Operation(BitOp::Multiply, &[factor, rest]), _)) = shapes.word(arg)
        && let Some((WordShape::Constant(value), _)) = shapes.word(factor)
    {
        return (Some(value), rest);
    }
    (None, arg)
}
