//! Random programs over heaps, without loops, beside a simulation of them.
//!
//! Each step is a clause: an allocation, a write, a link that is followed. The last clause says something that the
//! simulation knows to be right or wrong, so every answer is known without another solver.

use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

use shem_base::Rng;

/// How many programs there are.
const PROGRAMS: u64 = 60;

const HEAP: &str = "(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((I (int Int)) (A (addr Addr)) (N (getnode node)) (none)) ((node (data Int) (next Addr)))))
";

/// An object, with addresses as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Number(usize),
    Address(usize),
    Node(usize, usize),
    None,
}

/// A program with the state at its end.
struct Program {
    rng: Rng,
    objects: Vec<Object>,
    /// The addresses that are known, the first one null.
    addresses: Vec<usize>,
    declarations: String,
    clauses: String,
}

impl Program {
    fn read(&self, address: usize) -> Object {
        let at = self.addresses[address].checked_sub(1);
        at.and_then(|at| self.objects.get(at)).copied().unwrap_or(Object::None)
    }

    fn is_valid(&self, address: usize) -> bool {
        (1..=self.objects.len()).contains(&self.addresses[address])
    }

    fn address(&mut self) -> usize {
        self.rng.index(self.addresses.len())
    }

    fn object(&mut self) -> (String, Object) {
        let (number, address) = (self.rng.index(3), self.address());
        let at = self.addresses[address];
        match self.rng.index(4) {
            0 => (format!("(I {number})"), Object::Number(number)),
            1 => (format!("(A a{address})"), Object::Address(at)),
            2 => (format!("(N (node {number} a{address}))"), Object::Node(number, at)),
            _ => ("none".to_owned(), Object::None),
        }
    }

    fn names(&self) -> String {
        (0..self.addresses.len()).map(|at| format!(" a{at}")).collect()
    }

    /// The variables of a clause, and the atom of a step.
    fn state(&self, step: usize) -> (String, String) {
        let variables: String = (0..self.addresses.len()).map(|at| format!(" (a{at} Addr)")).collect();
        (format!("(h Heap){variables}"), format!("(p{step} h{})", self.names()))
    }

    fn declare(&mut self, step: usize) {
        let sorts = " Addr".repeat(self.addresses.len());
        let _ = writeln!(self.declarations, "(declare-fun p{step} (Heap{sorts}) Bool)");
    }

    fn step(&mut self, step: usize) {
        let ((variables, here), names) = (self.state(step), self.names());
        let next = step + 1;
        let clause = match self.rng.index(4) {
            0 => {
                let (text, object) = self.object();
                self.objects.push(object);
                self.addresses.push(self.objects.len());
                format!(
                    "({variables}) (=> {here} (p{next} (newHeap (alloc h {text})){names} (newAddr (alloc h {text}))))"
                )
            }
            1 => {
                let (text, object) = self.object();
                self.objects.push(object);
                self.addresses.push(self.objects.len());
                let body = format!("(and {here} (= (AllocResHeap g b) (alloc h {text})))");
                format!("({variables} (g Heap) (b Addr)) (=> {body} (p{next} g{names} b))")
            }
            2 => {
                let ((text, object), at) = (self.object(), self.address());
                if self.is_valid(at) {
                    let place = self.addresses[at] - 1;
                    self.objects[place] = object;
                }
                format!("({variables}) (=> {here} (p{next} (write h a{at} {text}){names}))")
            }
            _ => {
                let at = self.address();
                let (text, found) = match self.read(at) {
                    Object::Node(_, next) => (format!("(next (getnode (read h a{at})))"), next),
                    _ => (format!("a{at}"), self.addresses[at]),
                };
                self.addresses.push(found);
                format!("({variables}) (=> {here} (p{next} h{names} {text}))")
            }
        };
        let _ = writeln!(self.clauses, "(assert (forall {clause}))");
        self.declare(next);
    }

    /// Something about the state, and whether it is so.
    fn claim(&mut self) -> (String, bool) {
        let (a, b, number) = (self.address(), self.address(), self.rng.index(3));
        match self.rng.index(5) {
            0 => (format!("(valid h a{a})"), self.is_valid(a)),
            1 => (format!("(= a{a} a{b})"), self.addresses[a] == self.addresses[b]),
            2 => (format!("(= (read h a{a}) (read h a{b}))"), self.read(a) == self.read(b)),
            3 => (format!("(= (read h a{a}) (I {number}))"), self.read(a) == Object::Number(number)),
            _ => {
                let same = !self.is_valid(a) || self.read(a) == self.read(b);
                (format!("(= (write h a{a} (read h a{b})) h)"), same)
            }
        }
    }
}

fn answer(text: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    let command = command.args(["-e", "spacer", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn random_programs_end_as_simulated() {
    let mut counts = [0; 2];
    for seed in 0..PROGRAMS {
        let mut program = Program {
            rng: Rng::new(seed),
            objects: Vec::new(),
            addresses: vec![0],
            declarations: String::new(),
            clauses: "(assert (p0 emptyHeap nullAddr))\n".to_owned(),
        };
        program.declare(0);
        let steps = 2 + program.rng.index(5);
        (0..steps).for_each(|step| program.step(step));
        let ((claim, holds), (variables, here)) = (program.claim(), program.state(steps));
        let Program { declarations, clauses, .. } = program;
        let goal = format!("(assert (forall ({variables}) (=> {here} {claim})))\n(check-sat)\n");
        let text = format!("{HEAP}{declarations}{clauses}{goal}");
        assert_eq!(answer(&text), if holds { "sat" } else { "unsat" }, "seed {seed}\n{text}");
        counts[usize::from(holds)] += 1;
    }
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}
