//! What has to be made or decided before the classes of datatypes describe values.
//!
//! A class without a constructor application may stay so if its sort is infinite and no selector or tester looks at
//! it: it gets a fresh value. For all others, the application of the constructor is made if that is known, and
//! otherwise one of the possible constructors is tried.

use super::knowledge::Knowledge;
use super::rules::Datatypes;
use crate::equality::closure::Closure;
use crate::equality::node::{Node, NodeSort};

/// What the rules of datatypes ask the caller for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Make `C(sel_1(node), ..., sel_n(node))` with the constructor of this number and its selectors.
    Construct {
        /// The argument of the selectors.
        node: Node,
        /// The number of the constructor.
        constructor: u32,
    },
    /// Decide the tester of the constructor of this number for this node; it may have to be made.
    Split {
        /// The argument of the tester.
        node: Node,
        /// The number of the constructor.
        constructor: u32,
    },
}

impl Datatypes {
    /// Adds what is needed next, in the order of nodes: all constructor applications, or, if there are none to be
    /// made, one split. Nothing is added if the classes describe values.
    pub(crate) fn requests(&self, closure: &Closure, out: &mut Vec<Request>) {
        let mut split = None;
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            if closure.class(node) != node {
                continue;
            }
            let Some(knowledge) = Knowledge::of(self, node, closure) else { continue };
            let known =
                knowledge.true_tester.map(|(constructor, tester)| (constructor, closure.args(tester)[0]));
            if let Some((constructor, node)) = known {
                out.push(Request::Construct { node, constructor });
                continue;
            }
            let users = knowledge.testers.iter().chain(&knowledge.selectors);
            let node = match users.map(|&(_, user)| closure.args(user)[0]).min() {
                Some(node) => node,
                None if knowledge.datatype.finite => closure.members(node).min().unwrap_or(node),
                None => continue,
            };
            if let Some(constructor) = knowledge.last() {
                out.push(Request::Construct { node, constructor });
            } else if split.is_none() {
                let constructor = knowledge.left().min_by_key(|&index| self.depth(&knowledge, index));
                split = constructor.map(|constructor| Request::Split { node, constructor });
            }
        }
        if out.is_empty() {
            out.extend(split);
        }
    }

    /// The number of fields of a constructor that are of datatypes themselves: few of them lead to small values.
    fn depth(&self, knowledge: &Knowledge<'_>, constructor: u32) -> usize {
        let fields = &knowledge.datatype.constructors[constructor as usize].fields;
        let is_datatype = |&&sort: &&NodeSort| self.table.of_sort(sort).is_some();
        fields.iter().filter(is_datatype).count()
    }
}
