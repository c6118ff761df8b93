//! Graphs as pictures, in the language DOT of Graphviz.

use std::fmt;
use std::io::{self, Write};

use shem_term::{Store, Term};

use crate::graph::{Graph, VertexId};

/// How many characters of a label are shown.
const LABEL: usize = 80;

/// Writes a graph. An edge with several sources goes through a small node of its own; long labels are cut.
pub fn write_dot(out: &mut impl Write, store: &Store, graph: &Graph) -> io::Result<()> {
    writeln!(out, "digraph system {{")?;
    writeln!(out, "  node [shape=box];")?;
    writeln!(out, "  true [shape=plaintext];")?;
    writeln!(out, "  v0 [label=\"false\", shape=plaintext];")?;
    for id in graph.vertices() {
        let vertex = graph.vertex(id);
        let sorts: Vec<String> =
            vertex.sorts().iter().map(|&sort| store.display_sort(sort).to_string()).collect();
        let arguments = if sorts.is_empty() { String::new() } else { format!("({})", sorts.join(", ")) };
        let label = Escaped(&format!("{}{arguments}", vertex.name())).to_string();
        writeln!(out, "  v{} [label=\"{label}\"];", id.index())?;
    }
    let target = |id: VertexId| format!("v{}", id.index());
    for (id, edge) in graph.edges() {
        let label = abbreviated(store, edge.label);
        let label = Escaped(&label);
        match edge.sources[..] {
            [] => writeln!(out, "  true -> {} [label=\"{label}\"];", target(edge.target))?,
            [source] => {
                writeln!(out, "  {} -> {} [label=\"{label}\"];", target(source), target(edge.target))?;
            }
            _ => {
                let node = format!("e{}", id.index());
                writeln!(out, "  {node} [shape=point];")?;
                for source in &edge.sources {
                    writeln!(out, "  {} -> {node} [arrowhead=none];", target(*source))?;
                }
                writeln!(out, "  {node} -> {} [label=\"{label}\"];", target(edge.target))?;
            }
        }
    }
    writeln!(out, "}}")
}

/// The first characters of a formula.
fn abbreviated(store: &Store, formula: Term) -> String {
    let mut prefix = Prefix { text: String::new(), left: LABEL };
    // The only error is that of `Prefix`, when the text is longer.
    let whole = fmt::write(&mut prefix, format_args!("{}", store.display(formula))).is_ok();
    if !whole {
        prefix.text.push('…');
    }
    prefix.text
}

/// Keeps the first characters that are written, and fails after that.
struct Prefix {
    text: String,
    left: usize,
}

impl fmt::Write for Prefix {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}

/// Text inside the quotes of DOT.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => f.write_str(" ")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}
