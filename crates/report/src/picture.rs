//! Graphs of clauses as pictures.
//!
//! A predicate is a box, falsehood a box of its own; where facts begin there is a small circle, and a clause with several
//! premises goes through a dot. Clauses with the same premises and conclusion are one edge. Of a large graph the part
//! near falsehood is drawn, with what a counterexample passes through, and the rest is folded into one box.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use shem_chc::{ClauseId, Derivation, Graph, Node, System, VertexId};

use crate::layout::{Size, lay_out};
use crate::markup::{coordinate, cut, escape, grouped};

/// How many boxes, and how many edges between them, are drawn.
const MOST_BOXES: usize = 56;
const MOST_EDGES: usize = 220;
/// How many of the boxes are for what a counterexample passes through.
const MOST_PASSED: usize = 40;
/// The characters of a name that are shown, and the width of one.
const MOST_LETTERS: usize = 26;
const LETTER: f64 = 7.4;

/// A vertex.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    pub(crate) name: String,
    /// The predicate as read that it is, if it is one.
    pub(crate) predicate: Option<usize>,
}

/// A graph to be drawn: vertices and, for each clause, premises and conclusion; no conclusion is falsehood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picture {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) edges: Vec<(Vec<usize>, Option<usize>)>,
    /// By edge, how often a counterexample takes it.
    pub(crate) taken: Vec<u64>,
    /// How many predicates were read; the panel of falsehood comes after theirs.
    pub(crate) predicates: usize,
}

impl Picture {
    /// The clauses as read.
    pub(crate) fn of_system(system: &System, derivation: Option<&Derivation<ClauseId>>) -> Picture {
        let vertex = |(i, predicate): (usize, &shem_chc::Predicate)| Vertex {
            name: predicate.name.to_string(),
            predicate: Some(i),
        };
        let mut taken = vec![0; system.clauses.len()];
        for node in derivation.into_iter().flat_map(Derivation::nodes) {
            match node {
                Node::Step(_, step) => taken[step.rule.index()] += 1,
                Node::Repetition(repetition) => {
                    for position in 0..repetition.length() {
                        taken[repetition.rule(position).index()] += repetition.rounds();
                    }
                }
                Node::Run(_, _, run) => {
                    // Which case a step takes is known only by evaluation.
                    run.cases.iter().for_each(|case| taken[case.rule.index()] += run.steps);
                }
            }
        }
        let edges = system.clauses.iter().map(|clause| {
            let sources = clause.body.iter().map(|atom| atom.predicate.index()).collect();
            (sources, clause.head.as_ref().map(|head| head.predicate.index()))
        });
        let vertices = system.predicates.iter().enumerate().map(vertex).collect();
        Picture { vertices, edges: edges.collect(), taken, predicates: system.predicates.len() }
    }

    /// A graph, on the way from a system with so many predicates.
    pub(crate) fn of_graph(graph: &Graph, predicates: usize) -> Picture {
        let ids: Vec<VertexId> = graph.vertices().collect();
        let place: BTreeMap<VertexId, usize> = ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let vertex = |&id: &VertexId| Vertex {
            name: graph.vertex(id).name().to_owned(),
            // Falsehood is the vertex before those of predicates.
            predicate: Some(id.index() - 1).filter(|&at| at < predicates),
        };
        let edge = |(_, edge): (_, &shem_chc::Edge)| {
            let sources: Vec<usize> = edge.sources.iter().map(|id| place[id]).collect();
            (sources, place.get(&edge.target).copied())
        };
        let edges: Vec<_> = graph.edges().map(edge).collect();
        Picture { vertices: ids.iter().map(vertex).collect(), taken: vec![0; edges.len()], edges, predicates }
    }

    /// The vertices that are drawn; the others are folded.
    fn kept(&self) -> BTreeSet<usize> {
        if self.vertices.len() <= MOST_BOXES {
            return (0..self.vertices.len()).collect();
        }
        let mut kept = BTreeSet::new();
        for (edge, _) in self.edges.iter().zip(&self.taken).filter(|(_, taken)| **taken > 0) {
            let (sources, target) = edge;
            kept.extend(
                sources
                    .iter()
                    .chain(target)
                    .filter(|_| kept.len() < MOST_PASSED)
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.vertices.len()];
        let mut queue: VecDeque<usize> = VecDeque::new();
        for (sources, target) in &self.edges {
            match target {
                Some(target) => into[*target].extend(sources),
                None => queue.extend(sources),
            }
        }
        let mut seen = vec![false; self.vertices.len()];
        while let Some(v) = queue.pop_front() {
            if std::mem::replace(&mut seen[v], true) {
                continue;
            }
            if kept.len() >= MOST_BOXES {
                break;
            }
            kept.insert(v);
            queue.extend(&into[v]);
        }
        let rest: Vec<usize> = (0..self.vertices.len()).filter(|v| !kept.contains(v)).collect();
        kept.extend(rest.into_iter().take(MOST_BOXES.saturating_sub(kept.len())));
        kept
    }

    /// The picture as SVG, with this word in its ids.
    pub(crate) fn svg(&self, id: &str) -> String {
        let kept = self.kept();
        let mut drawing = Drawing::new(id, self.vertices.len() - kept.len(), self.predicates);
        for &v in &kept {
            drawing.add_vertex(&self.vertices[v], v);
        }
        // Edges between drawn boxes: how many clauses each stands for, and how often they are taken.
        let mut merged: BTreeMap<(Vec<usize>, usize), (u64, u64)> = BTreeMap::new();
        for ((sources, target), taken) in self.edges.iter().zip(&self.taken) {
            let target = target.map_or(FALSE, |v| drawing.node(v));
            let mut sources: Vec<usize> = sources.iter().map(|&v| drawing.node(v)).collect();
            sources.sort_unstable();
            if sources.iter().chain([&target]).all(|&node| Some(node) == drawing.folded) {
                continue;
            }
            if sources.contains(&drawing.folded.unwrap_or(usize::MAX)) {
                sources.dedup();
            }
            let entry = merged.entry((sources, target)).or_insert((0, 0));
            *entry = (entry.0 + 1, entry.1.saturating_add(*taken));
        }
        let left_out = merged.len().saturating_sub(MOST_EDGES);
        let mut chosen: Vec<_> = merged.into_iter().collect();
        // What a counterexample takes is drawn in any case.
        chosen.sort_by_key(|(_, (_, taken))| *taken == 0);
        for ((sources, target), (count, taken)) in chosen.into_iter().take(MOST_EDGES) {
            drawing.add_edge(&sources, target, count, taken);
        }
        drawing.finish(left_out)
    }
}

/// The node of falsehood.
const FALSE: usize = 0;

/// What is drawn of an edge.
struct Link {
    from: usize,
    to: usize,
    label: String,
    title: String,
    class: &'static str,
    arrow: bool,
}

/// Nodes and edges that are drawn.
struct Drawing {
    id: String,
    sizes: Vec<Size>,
    shapes: Vec<Shape>,
    /// The nodes of vertices.
    nodes: BTreeMap<usize, usize>,
    folded: Option<usize>,
    links: Vec<Link>,
}

enum Shape {
    Box { label: String, title: String, class: &'static str, predicate: Option<usize> },
    Start,
    Joint,
}

impl Drawing {
    fn new(id: &str, folded: usize, falsehood: usize) -> Drawing {
        let mut drawing = Drawing {
            id: id.to_owned(),
            sizes: Vec::new(),
            shapes: Vec::new(),
            nodes: BTreeMap::new(),
            folded: None,
            links: Vec::new(),
        };
        drawing.add_box("false", "falsehood: what must not be derived", "false", Some(falsehood));
        if folded > 0 {
            let label = format!("… {} more", grouped(folded as u64));
            drawing.folded = Some(drawing.add_box(&label, "predicates that are not drawn", "folded", None));
        }
        drawing
    }

    fn add_box(&mut self, label: &str, title: &str, class: &'static str, predicate: Option<usize>) -> usize {
        let label = cut(label, MOST_LETTERS);
        let width = (label.chars().count() as f64 * LETTER + 26.0).max(46.0);
        self.sizes.push(Size { width, height: 34.0, room: 0.0 });
        self.shapes.push(Shape::Box { label, title: cut(title, 400), class, predicate });
        self.sizes.len() - 1
    }

    fn add_vertex(&mut self, vertex: &Vertex, at: usize) {
        let node = self.add_box(&vertex.name, &vertex.name, "predicate", vertex.predicate);
        self.nodes.insert(at, node);
    }

    /// The node of a vertex, or the one into which it is folded.
    fn node(&self, vertex: usize) -> usize {
        self.nodes.get(&vertex).copied().or(self.folded).unwrap_or(FALSE)
    }

    fn add_dot(&mut self, shape: Shape) -> usize {
        let size = if matches!(shape, Shape::Start) { 14.0 } else { 8.0 };
        self.sizes.push(Size { width: size, height: size, room: 0.0 });
        self.shapes.push(shape);
        self.sizes.len() - 1
    }

    fn add_edge(&mut self, sources: &[usize], target: usize, count: u64, taken: u64) {
        let class = if taken > 0 { "edge taken" } else { "edge" };
        let label = match (count, taken) {
            (_, 2..) => format!("×{}", grouped(taken)),
            (1, _) => String::new(),
            _ => grouped(count),
        };
        let clauses = if count == 1 { "1 clause".to_owned() } else { format!("{} clauses", grouped(count)) };
        let title = match taken {
            0 => clauses,
            1 => format!("{clauses}, taken once by the counterexample"),
            _ => format!("{clauses}, taken {} times by the counterexample", grouped(taken)),
        };
        let link = |from: usize, to: usize, label: &str, arrow: bool| {
            let (label, title) = (label.to_owned(), title.clone());
            Link { from, to, label, title, class, arrow }
        };
        match *sources {
            [] => {
                let start = self.add_dot(Shape::Start);
                self.links.push(link(start, target, &label, true));
            }
            [source] => self.links.push(link(source, target, &label, true)),
            _ => {
                let joint = self.add_dot(Shape::Joint);
                // A fact that is needed twice has one line.
                let mut different = sources.to_vec();
                different.dedup();
                let mut links: Vec<Link> =
                    different.iter().map(|&source| link(source, joint, "", false)).collect();
                links.push(link(joint, target, &label, true));
                self.links.extend(links);
            }
        }
    }

    fn finish(mut self, left_out: usize) -> String {
        // Loops stand at the right of their nodes, with their labels.
        for link in self.links.iter().filter(|link| link.from == link.to) {
            let label = link.label.chars().count() as f64 * LETTER;
            self.sizes[link.from].room = self.sizes[link.from].room.max(16.0 + label);
        }
        let edges: Vec<(usize, usize)> = self.links.iter().map(|link| (link.from, link.to)).collect();
        let layout = lay_out(&self.sizes, &edges);
        // The label of a loop stands at its right.
        let labelled = self.links.iter().filter(|link| link.from == link.to && !link.label.is_empty());
        let reach = labelled.map(|link| {
            let right = layout.places[link.from].0 + self.sizes[link.from].width / 2.0 + 34.0;
            right + link.label.chars().count() as f64 * LETTER + 4.0
        });
        let width = reach.fold(layout.width, f64::max);
        let (id, width, height) = (&self.id, coordinate(width), coordinate(layout.height));
        let mut svg = format!(
            "<svg class=\"graph\" id=\"{id}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\"><defs>"
        );
        for (name, class) in [("arrow", "tip"), ("arrow-taken", "tip taken")] {
            let _ = write!(
                svg,
                "<marker id=\"{id}-{name}\" viewBox=\"0 0 8 8\" refX=\"5\" refY=\"4\" markerWidth=\"9\" \
                 markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{class}\" d=\"M0 0L8 4L0 8z\"/></marker>"
            );
        }
        svg.push_str("</defs>");
        for (link, path) in self.links.iter().zip(&layout.paths) {
            let marker = match (link.arrow, link.class) {
                (false, _) => String::new(),
                (true, "edge") => format!(" marker-end=\"url(#{id}-arrow)\""),
                (true, _) => format!(" marker-end=\"url(#{id}-arrow-taken)\""),
            };
            let _ = write!(
                svg,
                "<path class=\"{}\" d=\"{path}\"{marker}><title>{}</title></path>",
                link.class,
                escape(&link.title)
            );
            if !link.label.is_empty() {
                let (x, y) = match link.from == link.to {
                    true => {
                        let (x, y) = layout.places[link.from];
                        (x + self.sizes[link.from].width / 2.0 + 30.0, y + 4.0)
                    }
                    false => {
                        let ((ax, ay), (bx, by)) = (layout.places[link.from], layout.places[link.to]);
                        ((ax + bx) / 2.0 + 8.0, (ay + by) / 2.0 + 4.0)
                    }
                };
                let (x, y) = (coordinate(x), coordinate(y));
                let _ =
                    write!(svg, "<text class=\"count\" x=\"{x}\" y=\"{y}\">{}</text>", escape(&link.label));
            }
        }
        for (shape, (&(x, y), size)) in self.shapes.iter().zip(layout.places.iter().zip(&self.sizes)) {
            match shape {
                Shape::Start => {
                    let _ = write!(
                        svg,
                        "<circle class=\"start\" cx=\"{}\" cy=\"{}\" r=\"5\"><title>facts begin here</title></circle>",
                        coordinate(x),
                        coordinate(y)
                    );
                }
                Shape::Joint => {
                    let _ = write!(
                        svg,
                        "<circle class=\"joint\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>",
                        coordinate(x),
                        coordinate(y)
                    );
                }
                Shape::Box { label, title, class, predicate } => {
                    let data = predicate.map_or(String::new(), |at| {
                        format!(" data-predicate=\"{at}\" tabindex=\"0\" role=\"button\"")
                    });
                    let (left, top) = (coordinate(x - size.width / 2.0), coordinate(y - size.height / 2.0));
                    let _ = write!(
                        svg,
                        "<g class=\"node {class}\"{data}><rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\
                         <text x=\"{}\" y=\"{}\">{}</text><title>{}</title></g>",
                        coordinate(size.width),
                        coordinate(size.height),
                        coordinate(x),
                        coordinate(y + 4.5),
                        escape(label),
                        escape(title)
                    );
                }
            }
        }
        svg.push_str("</svg>");
        if left_out > 0 {
            let _ =
                write!(svg, "<p class=\"note\">{} more edges are not drawn.</p>", grouped(left_out as u64));
        }
        svg
    }
}
