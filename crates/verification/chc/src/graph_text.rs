//! Graphs as text: how a graph travels to another process.
//!
//! A Horn script would not do: its reader takes clauses apart, so that a graph would come out with other edges or its
//! sources in another order. Here vertices and edges come in the order of their ids, and are known to both sides by their
//! places:
//!
//! ```text
//! (vertex loop (Int) 1)
//! (auxiliary Int)
//! (edge () 0 (= .t0.0 0))
//! (edge (0) 0 (= .t0.0 (+ .s0.0.0 .a0)))
//! (edge (0) false (< .s0.0.0 0))
//! ```
//!
//! Declarations of sorts come first. A vertex has a name, the sorts of its arguments and the number of its copies; all is
//! counted from zero. `.s0.1.2` is argument 1 of copy 2 of the vertex 0 among the sources of an edge, `.t0.1` argument 1
//! of the vertex 0 as a target, `.a0` the first auxiliary variable: names that SMT-LIB keeps for solvers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use rustc_hash::FxHashMap;
use shem_term::smtlib::{ErrorKind, Lexer, ReadError, Reader, Span, Token, TokenKind};
use shem_term::{Sort, Store, Symbol, Term, quote_symbol};

use crate::graph::{Edge, EdgeId, Graph, VertexId};
use crate::print::write_sorts_of;
use crate::system::{Atom, Clause, Predicate, PredicateId, System};

/// A graph as text, with what the places in the text stand for.
#[derive(Clone, Debug)]
pub struct GraphText {
    /// The text.
    pub text: String,
    /// The vertices, without false.
    pub vertices: Vec<VertexId>,
    /// The edges.
    pub edges: Vec<EdgeId>,
}

impl GraphText {
    /// Writes a graph; the error says which sort cannot be declared.
    pub fn new(store: &Store, graph: &Graph) -> io::Result<GraphText> {
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
        let mut declarations = Vec::new();
        let sorts = vertices.iter().flat_map(|&vertex| graph.vertex(vertex).sorts().iter().copied());
        write_sorts_of(&mut declarations, store, sorts, &labels)?;
        let mut text = String::from_utf8(declarations).map_err(io::Error::other)?;
        let mut names: FxHashMap<Symbol, String> = FxHashMap::default();
        let symbol = |variable: Term| store.as_var(variable).expect("a variable");
        for (place, (&id, unique)) in vertices.iter().zip(unique_names(graph)).enumerate() {
            let vertex = graph.vertex(id);
            let _ = write!(text, "(vertex {} (", quote_symbol(&unique));
            for (argument, &sort) in vertex.sorts().iter().enumerate() {
                let space = if argument == 0 { "" } else { " " };
                let _ = write!(text, "{space}{}", store.display_sort(sort));
                names.insert(symbol(vertex.target()[argument]), target_name(place, argument));
                for copy in 0..vertex.copies() {
                    names.insert(symbol(vertex.source(copy)[argument]), source_name(place, argument, copy));
                }
            }
            let _ = writeln!(text, ") {})", vertex.copies());
        }
        let mut auxiliaries = 0;
        for variable in store.free_variables(&labels) {
            names.entry(symbol(variable)).or_insert_with(|| {
                let _ = writeln!(text, "(auxiliary {})", store.display_sort(store.sort(variable)));
                auxiliaries += 1;
                auxiliary_name(auxiliaries - 1)
            });
        }
        let name = |symbol: Symbol| names.get(&symbol).map(String::as_str);
        let place = |vertex: &VertexId| vertices.binary_search(vertex).expect("a vertex of the graph");
        for (_, edge) in graph.edges() {
            text.push_str("(edge (");
            for (position, source) in edge.sources.iter().enumerate() {
                let _ = write!(text, "{}{}", if position == 0 { "" } else { " " }, place(source));
            }
            text.push_str(") ");
            match edge.target {
                VertexId::FALSE => text.push_str("false"),
                target => drop(write!(text, "{}", place(&target))),
            }
            let _ = writeln!(text, " {})", store.display(edge.label).with_symbols(&name));
        }
        Ok(GraphText { text, vertices, edges })
    }
}

/// The names of the vertices, each once.
fn unique_names(graph: &Graph) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::new();
    for (place, id) in graph.vertices().enumerate() {
        let mut unique = graph.vertex(id).name().to_owned();
        while !taken.insert(unique.clone()) {
            let _ = write!(unique, "!{place}");
        }
        names.push(unique);
    }
    names
}

/// A graph as a system: a predicate for each vertex and a clause for each edge, in the order of their ids. Clauses share
/// the canonical variables.
pub fn clauses_of(store: &mut Store, graph: &Graph) -> System {
    let mut system = System::default();
    let vertices: Vec<VertexId> = graph.vertices().collect();
    for (&id, name) in vertices.iter().zip(unique_names(graph)) {
        let sorts = graph.vertex(id).sorts();
        let symbol = store.declare(&name, sorts, Sort::Bool);
        system.predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
    }
    let predicate = |vertex: VertexId| vertices.binary_search(&vertex).ok().map(PredicateId::new);
    let atom =
        |vertex: VertexId, args: &[Term]| Some(Atom { predicate: predicate(vertex)?, args: args.into() });
    for (_, edge) in graph.edges() {
        let sources = edge.sources.iter().enumerate();
        let body =
            sources.filter_map(|(at, &source)| atom(source, graph.source_variables(edge, at))).collect();
        let head = atom(edge.target, graph.vertex(edge.target).target());
        let mut variables = graph.auxiliaries(store, edge);
        for position in 0..edge.sources.len() {
            variables.extend(graph.source_variables(edge, position));
        }
        variables.extend(graph.vertex(edge.target).target());
        let (variables, constraint) = (variables.into(), edge.label);
        let (premises, span) = (Box::default(), Span::new(0, 0));
        system.clauses.push(Clause { variables, constraint, body, premises, head, span });
    }
    system
}

fn source_name(vertex: usize, argument: usize, copy: usize) -> String {
    format!(".s{vertex}.{argument}.{copy}")
}

fn target_name(vertex: usize, argument: usize) -> String {
    format!(".t{vertex}.{argument}")
}

fn auxiliary_name(number: usize) -> String {
    format!(".a{number}")
}

/// Reads a graph. Its vertices and edges have ids in the order of the text.
pub fn read_graph_text(store: &mut Store, text: &str) -> Result<Graph, ReadError> {
    let mut reader = Reader::new();
    reader.set_bit_vectors(true);
    let mut reading = Reading { lexer: Lexer::new(text)?, reader, vertices: 0, auxiliaries: 0 };
    let mut graph = Graph::new();
    loop {
        let before = reading.lexer.clone();
        let open = reading.lexer.next_token();
        if open.kind == TokenKind::End {
            return Ok(graph);
        }
        let word = reading.lexer.next_token();
        match (open.kind, word.kind, reading.lexer.slice(word.span())) {
            (TokenKind::Open, TokenKind::Symbol, "vertex") => reading.vertex(store, &mut graph)?,
            (TokenKind::Open, TokenKind::Symbol, "auxiliary") => reading.auxiliary(store, &mut graph)?,
            (TokenKind::Open, TokenKind::Symbol, "edge") => reading.edge(store, &mut graph)?,
            _ => {
                reading.lexer = before;
                reading.reader.next_command(&mut reading.lexer, store)?;
            }
        }
    }
}

struct Reading<'t> {
    lexer: Lexer<'t>,
    reader: Reader,
    /// The vertices so far.
    vertices: usize,
    /// The auxiliary variables so far.
    auxiliaries: usize,
}

impl Reading<'_> {
    fn expect(&mut self, kind: TokenKind) -> Result<Token, ReadError> {
        let token = self.lexer.next_token();
        if token.kind == kind { Ok(token) } else { Err(malformed(token)) }
    }

    fn number(&self, token: Token, limit: usize) -> Result<usize, ReadError> {
        let number = self.lexer.slice(token.span()).parse().ok().filter(|&number: &usize| number < limit);
        number.ok_or_else(|| malformed(token))
    }

    fn vertex(&mut self, store: &mut Store, graph: &mut Graph) -> Result<(), ReadError> {
        let token = self.lexer.next_token();
        if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Err(malformed(token));
        }
        let name = self.lexer.slice(token.span()).trim_matches('|').to_owned();
        self.expect(TokenKind::Open)?;
        let mut sorts: Vec<Sort> = Vec::new();
        while self.lexer.peek().kind != TokenKind::Close {
            sorts.push(self.reader.read_sort(&mut self.lexer, store)?);
        }
        self.expect(TokenKind::Close)?;
        let copies = self.lexer.next_token();
        let copies = self.number(copies, usize::from(u16::MAX))?;
        self.expect(TokenKind::Close)?;
        let id = graph.add_vertex(store, &name, &sorts);
        if copies > 0 {
            graph.ensure_copy(store, id, copies - 1);
        }
        let vertex = graph.vertex(id);
        for argument in 0..sorts.len() {
            self.reader.name_term(&target_name(self.vertices, argument), vertex.target()[argument]);
            for copy in 0..vertex.copies() {
                let name = source_name(self.vertices, argument, copy);
                self.reader.name_term(&name, vertex.source(copy)[argument]);
            }
        }
        self.vertices += 1;
        Ok(())
    }

    fn auxiliary(&mut self, store: &mut Store, graph: &mut Graph) -> Result<(), ReadError> {
        let sort = self.reader.read_sort(&mut self.lexer, store)?;
        self.expect(TokenKind::Close)?;
        self.reader.name_term(&auxiliary_name(self.auxiliaries), graph.fresh(store, sort));
        self.auxiliaries += 1;
        Ok(())
    }

    fn edge(&mut self, store: &mut Store, graph: &mut Graph) -> Result<(), ReadError> {
        self.expect(TokenKind::Open)?;
        let mut sources = Vec::new();
        loop {
            let token = self.lexer.next_token();
            if token.kind == TokenKind::Close {
                break;
            }
            sources.push(VertexId::new(self.number(token, self.vertices)? + 1));
        }
        let token = self.lexer.next_token();
        let target = match self.lexer.slice(token.span()) {
            "false" => VertexId::FALSE,
            _ => VertexId::new(self.number(token, self.vertices)? + 1),
        };
        let at = self.lexer.peek();
        let label = self.reader.read_term(&mut self.lexer, store)?;
        if store.sort(label) != Sort::Bool {
            return Err(malformed(at));
        }
        self.expect(TokenKind::Close)?;
        graph.add_edge(store, Edge { sources, target, label });
        Ok(())
    }
}

fn malformed(token: Token) -> ReadError {
    ReadError::new(ErrorKind::Syntax, token.span(), "this is not the text of a graph")
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;

    use super::*;
    use crate::{Script, normalise};

    /// Graphs come out as they went in. Sums are sorted by the ages of variables, which are those of the text from the
    /// second time on.
    #[test]
    fn graphs_go_from_store_to_store() {
        for text in [
            "(declare-fun p (Int) Bool)
             (assert (forall ((x Int)) (=> (= x 0) (p x))))
             (assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x) (p y) (> z 0)) (p (+ x y z)))))
             (assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))",
            "(declare-fun p () Bool) (declare-fun |q r| (Bool Real) Bool)
             (assert p) (assert (=> (and p p) p))
             (assert (forall ((b Bool) (r Real)) (=> (and p (= r 0.5)) (|q r| b r))))
             (assert (forall ((b Bool) (r Real)) (=> (and (|q r| b r) (|q r| (not b) r) p) false)))",
            "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
             (declare-datatypes ((Pair 0)) (((pair (first Int) (second (Array Int Bool))))))
             (declare-fun p ((List Int) Pair) Bool)
             (assert (forall ((a Pair)) (p (as nil (List Int)) a)))
             (assert (forall ((l (List Int)) (a Pair) (i Int)) (=> (p l a)
                (p (cons i l) (pair (first a) (store (second a) i ((_ is cons) l)))))))
             (assert (forall ((l (List Int)) (a Pair)) (=> (and (p l a) (select (second a) 3)) false)))",
        ] {
            let mut one = Store::new();
            let script = Script::read(&mut one, text, &StopToken::new()).expect("a script");
            let graph = normalise(&mut one, &script.system);
            let written = GraphText::new(&one, &graph).expect("sorts that can be declared");
            let mut two = Store::new();
            two.variable("something else", Sort::Real);
            let read = read_graph_text(&mut two, &written.text).expect("a graph");
            let again = GraphText::new(&two, &read).expect("sorts that can be declared");
            let mut three = Store::new();
            let last = read_graph_text(&mut three, &again.text).expect("a graph");
            assert_eq!(GraphText::new(&three, &last).expect("sorts").text, again.text);
            assert_eq!(again.edges.len(), written.edges.len());
            for ((_, old), (_, new)) in graph.edges().zip(read.edges()) {
                assert_eq!((&old.sources, old.target), (&new.sources, new.target));
            }
        }
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in [
            "(vertex)",
            "(vertex p Int 1)",
            "(vertex p (Nothing) 1)",
            "(vertex p (Int) x)",
            "(edge (0) false true)",
            "(vertex p (Int) 1) (edge (0) 1 true)",
            "(vertex p (Int) 1) (edge (0) false .s0.0.0)",
            "(vertex p (Int) 1) (edge (0) false (< .s0.1.0 0))",
            "(vertex p (Int) 1) (edge (0) false true",
            "(vertex p (Int) 1) edge",
            "(assert false",
        ] {
            let mut store = Store::new();
            assert!(read_graph_text(&mut store, text).is_err(), "{text}");
        }
    }
}
