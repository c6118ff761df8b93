//! What a model has to say of arrays.

use super::super::closure::Closure;
use super::super::node::Node;
use super::check::Arrays;

/// What an array has at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The value of this node.
    Element(Node),
    /// Something that nothing else is equal to; the same for equal numbers.
    Other(u32),
}

/// The content of the arrays of one class.
#[derive(Clone, Debug)]
pub struct ArrayModel {
    /// The root of the class.
    pub root: Node,
    /// Arrays of the same component agree at all indices that no entry mentions; those of different components,
    /// neither of which has a constant array, do not.
    pub component: u32,
    /// The element of a constant array of the component: what the arrays have at indices without entry.
    pub constant: Option<Node>,
    /// The roots of classes of indices, with what the array has there.
    pub entries: Vec<(Node, Content)>,
}

impl Arrays {
    /// The content of all array classes that reads, stores or constant arrays mention, after a check that found
    /// nothing to do.
    pub fn model(&mut self, closure: &Closure) -> Vec<ArrayModel> {
        let mut models: Vec<ArrayModel> = Vec::with_capacity(self.graph.roots.len());
        for (vertex, &root) in self.graph.roots.iter().enumerate() {
            let component = self.graph.component[vertex];
            let constant = self.graph.constants_of(component as usize).first().map(|entry| entry.1.element);
            models.push(ArrayModel { root, component, constant, entries: Vec::new() });
        }
        let mut others = 0;
        self.parts.resize(self.graph.roots.len(), u32::MAX);
        for component in 0..self.graph.components() {
            let mut at = 0;
            while let Some(&(_, label, _)) = self.graph.reads_of(component).get(at) {
                let count = self.graph.reads_of(component)[at..].partition_point(|read| read.1 <= label);
                self.divide(component, label);
                for place in at..at + count {
                    let read = self.graph.reads_of(component)[place].2;
                    self.note_read(read);
                }
                for place in 0..self.graph.constants_of(component).len() {
                    let read = self.graph.constants_of(component)[place].1;
                    self.note_read(read);
                }
                for &vertex in self.graph.vertices_of(component) {
                    let part = self.parts[vertex as usize];
                    let content = match self.known[part as usize] {
                        Some(read) => Content::Element(closure.class(read.element)),
                        None => Content::Other(others + part),
                    };
                    models[vertex as usize].entries.push((label, content));
                }
                others += self.known.len() as u32;
                at += count;
            }
        }
        models
    }
}
