//! Whether a group of datatypes makes sense, and what there is to know about it.
//!
//! Datatypes and the array sorts made since they were announced are the vertices of a graph, with an edge to each
//! sort that a value may contain. Its components come out parts first (Tarjan 1972), so one pass over them
//! finds recursion, sorts without a value, and cardinalities.

use super::datatype::{ConstructorDeclaration, DatatypeError};
use super::handle::{ArrayId, DatatypeId, Sort};
use super::table::SortTable;

/// What is known of a datatype.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    pub(super) recursive: bool,
    pub(super) cardinality: Option<u64>,
    pub(super) base: u32,
}

/// What is known of a group, and the cardinalities of the last array sorts.
#[derive(Debug)]
pub(super) struct Analysis {
    pub(super) datatypes: Vec<Facts>,
    pub(super) arrays: Vec<Option<u64>>,
}

/// The number of functions from one finite set to another.
pub(super) fn array_cardinality(index: Option<u64>, element: Option<u64>) -> Option<u64> {
    match (index, element) {
        (_, Some(1)) => Some(1),
        (Some(index), Some(element)) => {
            Some(u32::try_from(index).map_or(u64::MAX, |exponent| element.saturating_pow(exponent)))
        }
        _ => None,
    }
}

type Constructors = Vec<ConstructorDeclaration<Sort>>;

struct Group<'a> {
    table: &'a SortTable,
    /// The positions of the datatypes of the group, sorted by number.
    positions: Vec<(DatatypeId, usize)>,
    constructors: &'a [Constructors],
    /// The first array sort that may contain a member.
    first_array: usize,
}

impl Group<'_> {
    /// The vertex of a sort, if it is one of the group.
    fn vertex(&self, sort: Sort) -> Option<usize> {
        match sort {
            Sort::Datatype(id) => {
                let found = self.positions.binary_search_by_key(&id, |entry| entry.0).ok()?;
                Some(self.positions[found].1)
            }
            Sort::Array(id) if id.index() >= self.first_array => {
                Some(self.constructors.len() + id.index() - self.first_array)
            }
            _ => None,
        }
    }

    fn children(&self, vertex: usize) -> Vec<usize> {
        let mut found: Vec<usize> = if vertex < self.constructors.len() {
            let fields = self.constructors[vertex].iter().flat_map(|c| &c.fields);
            fields.filter_map(|field| self.vertex(field.1)).collect()
        } else {
            let array = self.table.array(self.array(vertex));
            [array.index, array.element].into_iter().filter_map(|sort| self.vertex(sort)).collect()
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    fn array(&self, vertex: usize) -> ArrayId {
        ArrayId::new(vertex - self.constructors.len() + self.first_array)
    }
}

/// Examines datatypes that were announced and not defined, with all that occur in their fields among them.
pub(super) fn analyse(
    table: &SortTable,
    ids: &[DatatypeId],
    constructors: &[Constructors],
) -> Result<Analysis, DatatypeError> {
    if let Some(member) = constructors.iter().position(Vec::is_empty) {
        return Err(DatatypeError::NoConstructor(member));
    }
    let first_array =
        ids.iter().map(|&id| table.datatype(id).arrays_before).min().unwrap_or(table.array_count());
    let mut positions: Vec<(DatatypeId, usize)> =
        ids.iter().enumerate().map(|(position, &id)| (id, position)).collect();
    positions.sort_unstable();
    let group = Group { table, positions, constructors, first_array };
    let members = ids.len();
    let edges: Vec<Vec<usize>> =
        (0..members + table.array_count() - first_array).map(|vertex| group.children(vertex)).collect();
    let mut analysis =
        Analysis { datatypes: vec![Facts::default(); members], arrays: vec![None; edges.len() - members] };
    for component in components(&edges) {
        let recursive = component.len() > 1 || edges[component[0]].contains(&component[0]);
        if !recursive && component[0] >= members {
            let array = table.array(group.array(component[0]));
            let [index, element] =
                [array.index, array.element].map(|sort| cardinality(&group, &analysis, sort));
            analysis.arrays[component[0] - members] = array_cardinality(index, element);
            continue;
        }
        if component.iter().any(|&vertex| vertex >= members) {
            let member = component.iter().copied().find(|&vertex| vertex < members).unwrap_or(0);
            return Err(DatatypeError::RecursionThroughArray(member));
        }
        found_bases(&group, &component, &mut analysis)?;
        for &member in &component {
            analysis.datatypes[member].recursive = recursive;
        }
        if !recursive {
            let member = component[0];
            analysis.datatypes[member].cardinality = sum_of_products(&group, &analysis, member);
        }
    }
    Ok(analysis)
}

fn cardinality(group: &Group<'_>, analysis: &Analysis, sort: Sort) -> Option<u64> {
    match group.vertex(sort) {
        Some(vertex) if vertex < group.constructors.len() => analysis.datatypes[vertex].cardinality,
        Some(vertex) => analysis.arrays[vertex - group.constructors.len()],
        None => group.table.cardinality(sort),
    }
}

fn sum_of_products(group: &Group<'_>, analysis: &Analysis, member: usize) -> Option<u64> {
    let mut sum = 0u64;
    for constructor in &group.constructors[member] {
        let mut product = 1u64;
        for field in &constructor.fields {
            product = product.saturating_mul(cardinality(group, analysis, field.1)?);
        }
        sum = sum.saturating_add(product);
    }
    Some(sum)
}

/// Finds for each datatype of a component the constructor that gives it a value first, when the sorts outside have
/// values.
fn found_bases(group: &Group<'_>, component: &[usize], analysis: &mut Analysis) -> Result<(), DatatypeError> {
    // For each datatype, the constructors with a field of it, once for each field; for each constructor, how many
    // of its fields have no value yet.
    let place = |vertex: usize| component.binary_search(&vertex).ok();
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); component.len()];
    let mut missing: Vec<Vec<usize>> = Vec::with_capacity(component.len());
    let mut has_value = vec![false; component.len()];
    let mut queue = Vec::new();
    let mut give = |at: usize, index: usize, queue: &mut Vec<usize>, analysis: &mut Analysis| {
        if !std::mem::replace(&mut has_value[at], true) {
            analysis.datatypes[component[at]].base = index as u32;
            queue.push(at);
        }
    };
    for (at, &member) in component.iter().enumerate() {
        let mut counts = Vec::with_capacity(group.constructors[member].len());
        for (index, constructor) in group.constructors[member].iter().enumerate() {
            let inside = constructor.fields.iter().filter_map(|f| group.vertex(f.1)).filter_map(place);
            let mut count = 0;
            for part in inside {
                users[part].push((at, index));
                count += 1;
            }
            counts.push(count);
            if count == 0 {
                give(at, index, &mut queue, analysis);
            }
        }
        missing.push(counts);
    }
    let mut done = 0;
    while done < queue.len() {
        for &(at, index) in &users[queue[done]] {
            missing[at][index] -= 1;
            if missing[at][index] == 0 {
                give(at, index, &mut queue, analysis);
            }
        }
        done += 1;
    }
    match has_value.iter().position(|&has| !has) {
        Some(at) => Err(DatatypeError::IllFounded(component[at])),
        None => Ok(()),
    }
}

/// The strongly connected components of a graph, each sorted, parts before what contains them.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; edges.len()];
    let mut lowest = vec![0; edges.len()];
    let mut open = vec![false; edges.len()];
    let mut path: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut count = 0;
    for root in 0..edges.len() {
        if number[root] != NEW {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some(&mut (vertex, ref mut next)) = stack.last_mut() {
            if *next == 0 {
                number[vertex] = count;
                lowest[vertex] = count;
                count += 1;
                path.push(vertex);
                open[vertex] = true;
            }
            match edges[vertex].get(*next) {
                Some(&child) => {
                    *next += 1;
                    if number[child] == NEW {
                        stack.push((child, 0));
                    } else if open[child] {
                        lowest[vertex] = lowest[vertex].min(number[child]);
                    }
                }
                None => {
                    stack.pop();
                    if let Some(&(parent, _)) = stack.last() {
                        lowest[parent] = lowest[parent].min(lowest[vertex]);
                    }
                    if lowest[vertex] == number[vertex] {
                        let start = path.iter().rposition(|&v| v == vertex).unwrap_or(0);
                        let mut component = path.split_off(start);
                        component.iter().for_each(|&v| open[v] = false);
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}
