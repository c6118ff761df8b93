//! What has to be made or decided before the classes of datatypes describe values.
//!
//! A class without a constructor application may stay so if its sort is infinite and no selector or tester looks at
//! it: it gets a fresh value. For all others, the application of the constructor is made if that is known, and
//! otherwise one of the possible constructors is tried.

use super::rules::Datatypes;
use crate::equality::closure::Closure;
use crate::equality::node::Node;

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
    /// made, one split, to a constructor with few fields of datatypes, which leads to small values. Nothing is added if the classes describe values.
    pub(crate) fn requests(&mut self, closure: &Closure, out: &mut Vec<Request>) {
        let mut split = None;
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            if closure.class(node) != node || closure.value(node).is_some() {
                continue;
            }
            let Some(datatype) = self.table.of_sort(closure.sort(node)) else { continue };
            let knowledge = &mut self.knowledge;
            knowledge.collect(datatype, node, closure);
            if let Some((constructor, tester)) = knowledge.true_tester {
                out.push(Request::Construct { node: closure.args(tester)[0], constructor });
                continue;
            }
            let users = knowledge.testers.iter().chain(&knowledge.selectors);
            let node = match users.map(|&(_, user)| closure.args(user)[0]).min() {
                Some(node) => node,
                None if datatype.finite => closure.members(node).min().unwrap_or(node),
                None => continue,
            };
            if let Some(constructor) = knowledge.last() {
                out.push(Request::Construct { node, constructor });
            } else if split.is_none() {
                let constructors = &datatype.constructors;
                let nested = |&index: &u32| self.table.count_nested(&constructors[index as usize]);
                let constructor = knowledge.left().min_by_key(nested);
                split = constructor.map(|constructor| Request::Split { node, constructor });
            }
        }
        if out.is_empty() {
            out.extend(split);
        }
    }
}
