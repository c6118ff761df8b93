//! Layered drawings of directed graphs.
//!
//! Edges that close a cycle are turned round, so that each node has a layer below those it is reached from; an edge over
//! several layers gets a bend in each of them; the order within layers is improved by the means of neighbours; and places
//! within a layer are as near to those means as the widths of nodes allow (K. Sugiyama, S. Tagawa, M. Toda, Methods for
//! Visual Understanding of Hierarchical System Structures, IEEE SMC 1981). The last step is a least-squares problem with
//! an order, which is solved exactly by merging neighbours that are too near, instead of by priorities as in the paper.
//! Graphs have some dozens of nodes, so nothing here is tuned: each round costs the product of edges in two layers.

use std::fmt::Write;

use crate::markup::coordinate;

/// Between nodes of a layer, and between layers.
const GAP: f64 = 26.0;
const RISE: f64 = 54.0;
/// Bends may be nearer to each other than nodes.
const BEND_ROOM: f64 = -7.0;
/// A layer that is wider than this becomes several.
const MOST_WIDTH: f64 = 1000.0;
/// How often layers are ordered and placed anew.
const ROUNDS: usize = 16;

/// A node to be placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What has to stay free on each side.
    pub(crate) room: f64,
}

impl Size {
    /// The width that a node takes up.
    fn whole(self) -> f64 {
        self.width + 2.0 * self.room
    }
}

/// A drawing.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The centres of the nodes.
    pub(crate) places: Vec<(f64, f64)>,
    /// The edges as paths of SVG.
    pub(crate) paths: Vec<String>,
}

/// A drawing in the making: nodes and bends.
struct Layers {
    sizes: Vec<Size>,
    /// The layer of each.
    layer: Vec<usize>,
    /// By layer, from left to right.
    order: Vec<Vec<usize>>,
    /// Pairs in neighbouring layers, the upper one first.
    links: Vec<(usize, usize)>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    x: Vec<f64>,
}

/// Places nodes and edges. An edge is a pair of nodes, which may be the same.
pub(crate) fn lay_out(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
    let turned = back_edges(sizes.len(), edges);
    let down = |i: usize| {
        let (a, b) = edges[i];
        if turned[i] { (b, a) } else { (a, b) }
    };
    let layer = layers(sizes.len(), (0..edges.len()).map(down).filter(|(a, b)| a != b).collect());
    let layer = narrowed(sizes, layer);
    let mut drawing = Layers {
        sizes: sizes.to_vec(),
        order: vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)],
        layer,
        links: Vec::new(),
        above: Vec::new(),
        below: Vec::new(),
        x: Vec::new(),
    };
    // Bends of each edge, from its upper end to its lower one.
    let mut bends: Vec<Vec<usize>> = Vec::with_capacity(edges.len());
    for i in 0..edges.len() {
        let (from, to) = down(i);
        let mut chain = vec![from];
        for between in drawing.layer[from] + 1..drawing.layer[to] {
            chain.push(drawing.sizes.len());
            drawing.sizes.push(Size { width: 4.0, height: 4.0, room: BEND_ROOM });
            drawing.layer.push(between);
        }
        chain.push(to);
        if from != to {
            drawing.links.extend(chain.windows(2).map(|pair| (pair[0], pair[1])));
        }
        bends.push(chain);
    }
    drawing.arrange();
    drawing.place();
    let heights: Vec<f64> = drawing
        .order
        .iter()
        .map(|members| members.iter().map(|&v| drawing.sizes[v].height).fold(0.0, f64::max))
        .collect();
    let mut middles = Vec::new();
    let mut top = GAP;
    for height in &heights {
        middles.push(top + height / 2.0);
        top += height + RISE;
    }
    let at = |v: usize| (drawing.x[v], middles[drawing.layer[v]]);
    let mut paths = Vec::new();
    let mut width: f64 = 0.0;
    for (i, chain) in bends.iter().enumerate() {
        let (from, to) = edges[i];
        if from == to {
            let (path, right) = self_loop(at(from), sizes[from]);
            width = width.max(right);
            paths.push(path);
            continue;
        }
        // Edges there and back between two nodes do not cover each other.
        let shift = if turned[i] { 9.0 } else { 0.0 };
        let points: Vec<(f64, f64)> = chain.iter().map(|&v| (at(v).0 + shift, at(v).1)).collect();
        paths.push(curve(points, &drawing.sizes, chain, turned[i]));
    }
    let places: Vec<(f64, f64)> = (0..sizes.len()).map(at).collect();
    for (v, size) in drawing.sizes.iter().enumerate() {
        width = width.max(drawing.x[v] + size.width / 2.0);
    }
    Layout { width: width + GAP, height: top - RISE + GAP, places, paths }
}

/// By edge, whether it closes a cycle of those before it in a walk from the first nodes on.
fn back_edges(nodes: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut outgoing = vec![Vec::new(); nodes];
    let mut entered = vec![false; nodes];
    for (i, &(from, to)) in edges.iter().enumerate() {
        outgoing[from].push(i);
        entered[to] |= from != to;
    }
    let mut turned = vec![false; edges.len()];
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0_u8; nodes];
    let roots = (0..nodes).filter(|&v| !entered[v]).chain(0..nodes).collect::<Vec<_>>();
    for root in roots {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut way = vec![(root, 0)];
        while let Some((v, next)) = way.last_mut() {
            let Some(&edge) = outgoing[*v].get(*next) else {
                state[*v] = 2;
                way.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    way.push((to, 0));
                }
                1 => turned[edge] = edges[edge].0 != to,
                _ => {}
            }
        }
    }
    turned
}

/// Layers for the nodes of a graph without cycles: each below all that lead to it.
fn layers(nodes: usize, edges: Vec<(usize, usize)>) -> Vec<usize> {
    let mut open = vec![0; nodes];
    let mut outgoing = vec![Vec::new(); nodes];
    for &(from, to) in &edges {
        open[to] += 1;
        outgoing[from].push(to);
    }
    let mut layer = vec![0; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|&v| open[v] == 0).collect();
    let mut order = Vec::new();
    while let Some(v) = ready.pop() {
        order.push(v);
        for &to in &outgoing[v] {
            layer[to] = layer[to].max(layer[v] + 1);
            open[to] -= 1;
            if open[to] == 0 {
                ready.push(to);
            }
        }
    }
    // What nothing leads to comes right above what it leads to.
    for &v in order.iter().rev() {
        if !edges.iter().any(|&(_, to)| to == v)
            && let Some(first) = outgoing[v].iter().map(|&to| layer[to]).min()
        {
            layer[v] = first - 1;
        }
    }
    layer
}

/// The same layers, those that are too wide as several below each other: no edge is inside a layer, so all still go down.
fn narrowed(sizes: &[Size], layer: Vec<usize>) -> Vec<usize> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)];
    layer.iter().enumerate().for_each(|(v, &at)| members[at].push(v));
    let mut narrow = layer;
    let mut next = 0;
    for layer in members {
        let mut width = 0.0;
        for v in layer {
            let own = sizes[v].whole() + GAP;
            if width > 0.0 && width + own > MOST_WIDTH {
                (next, width) = (next + 1, 0.0);
            }
            width += own;
            narrow[v] = next;
        }
        next += 1;
    }
    narrow
}

impl Layers {
    /// Orders the layers so that few edges cross.
    fn arrange(&mut self) {
        let count = self.sizes.len();
        (self.above, self.below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for &(a, b) in &self.links {
            self.below[a].push(b);
            self.above[b].push(a);
        }
        for v in 0..count {
            self.order[self.layer[v]].push(v);
        }
        let (mut best, mut fewest) = (self.order.clone(), self.crossings());
        for round in 0..ROUNDS {
            let downwards = round % 2 == 0;
            let mut sequence: Vec<usize> = (0..self.order.len()).collect();
            if !downwards {
                sequence.reverse();
            }
            for layer in sequence {
                let position = self.positions();
                let neighbours = if downwards { &self.above } else { &self.below };
                let mean = |v: &usize| {
                    let others = &neighbours[*v];
                    let sum: usize = others.iter().map(|&w| position[w]).sum();
                    if others.is_empty() { position[*v] as f64 } else { sum as f64 / others.len() as f64 }
                };
                let mut members = self.order[layer].clone();
                members.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
                self.order[layer] = members;
            }
            let crossings = self.crossings();
            if crossings < fewest {
                (best, fewest) = (self.order.clone(), crossings);
            }
        }
        self.order = best;
    }

    fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.sizes.len()];
        for members in &self.order {
            members.iter().enumerate().for_each(|(i, &v)| position[v] = i);
        }
        position
    }

    fn crossings(&self) -> usize {
        let position = self.positions();
        let mut count = 0;
        for (i, &(a, b)) in self.links.iter().enumerate() {
            for &(c, d) in &self.links[i + 1..] {
                let same = self.layer[a] == self.layer[c];
                let crossed = (position[a] < position[c]) != (position[b] < position[d]);
                count += usize::from(same && a != c && b != d && crossed);
            }
        }
        count
    }

    /// Gives each node its place in its layer.
    fn place(&mut self) {
        self.x = vec![0.0; self.sizes.len()];
        for members in &self.order {
            let mut left = GAP;
            for &v in members {
                self.x[v] = left + self.sizes[v].whole() / 2.0;
                left += self.sizes[v].whole() + GAP;
            }
        }
        for round in 0..ROUNDS {
            let layers: Vec<usize> = match round % 2 {
                0 => (0..self.order.len()).collect(),
                _ => (0..self.order.len()).rev().collect(),
            };
            for layer in layers {
                let wanted = |&v: &usize| {
                    let all = self.above[v].iter().chain(&self.below[v]);
                    let (sum, count) = all.fold((0.0, 0), |(sum, n), &w| (sum + self.x[w], n + 1));
                    if count == 0 { self.x[v] } else { sum / f64::from(count) }
                };
                let members = &self.order[layer];
                let wanted: Vec<f64> = members.iter().map(wanted).collect();
                let widths: Vec<f64> = members.iter().map(|&v| self.sizes[v].whole()).collect();
                for (&v, x) in members.clone().iter().zip(spread(&wanted, &widths)) {
                    self.x[v] = x;
                }
            }
        }
        let left = self.sizes.iter().zip(&self.x).map(|(size, x)| x - size.width / 2.0);
        let left = left.fold(f64::INFINITY, f64::min);
        self.x.iter_mut().for_each(|x| *x += GAP - left);
    }
}

/// Places in this order, nearest to those that are wanted, such that nodes of these widths do not touch.
fn spread(wanted: &[f64], widths: &[f64]) -> Vec<f64> {
    // Without the widths to the left of a node, places need only be in order.
    let mut shifts = Vec::with_capacity(wanted.len());
    let mut shift = 0.0;
    for (i, width) in widths.iter().enumerate() {
        if i > 0 {
            shift += (widths[i - 1] + width) / 2.0 + GAP;
        }
        shifts.push(shift);
    }
    // Blocks of nodes at one place: its sum and how many.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (want, shift) in wanted.iter().zip(&shifts) {
        blocks.push((want - shift, 1));
        while let [.., (a, n), (b, m)] = blocks[..] {
            if a / n as f64 <= b / m as f64 {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push((a + b, n + m));
        }
    }
    let flat = blocks.iter().flat_map(|&(sum, n)| std::iter::repeat_n(sum / n as f64, n));
    flat.zip(shifts).map(|(x, shift)| x + shift).collect()
}

/// A smooth path through points from top to bottom, from border to border of the nodes at its ends.
fn curve(mut points: Vec<(f64, f64)>, sizes: &[Size], chain: &[usize], turned: bool) -> String {
    let (first, last) = (sizes[chain[0]], sizes[chain[chain.len() - 1]]);
    points[0].1 += first.height / 2.0;
    if let Some(end) = points.last_mut() {
        end.1 -= last.height / 2.0;
    }
    // The tip of the arrow is a little before the border.
    if turned {
        points[0].1 += 4.0;
        points.reverse();
    } else if let Some(end) = points.last_mut() {
        end.1 -= 4.0;
    }
    let mut path = String::new();
    let pair = |(x, y): (f64, f64)| format!("{} {}", coordinate(x), coordinate(y));
    let _ = write!(path, "M{}", pair(points[0]));
    for step in points.windows(2) {
        let (from, to) = (step[0], step[1]);
        let middle = (from.1 + to.1) / 2.0;
        let _ = write!(path, "C{} {} {}", pair((from.0, middle)), pair((to.0, middle)), pair(to));
    }
    path
}

/// A loop at the right side of a node, and how far it reaches.
fn self_loop((x, y): (f64, f64), size: Size) -> (String, f64) {
    let right = x + size.width / 2.0;
    let out = 34.0;
    let pair = |x: f64, y: f64| format!("{} {}", coordinate(x), coordinate(y));
    let path = format!(
        "M{}C{} {} {}",
        pair(right - 2.0, y - 8.0),
        pair(right + out, y - 26.0),
        pair(right + out, y + 26.0),
        pair(right + 5.0, y + 7.0)
    );
    (path, right + out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 40.0, height: 20.0, room: 0.0 };

    #[test]
    fn layers_go_down_and_nodes_do_not_touch() {
        // A diamond with a way back, a loop, and an edge over two layers.
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (1, 1), (0, 3)];
        let drawing = lay_out(&[SIZE; 4], &edges);
        let y = |v: usize| drawing.places[v].1;
        assert!(y(0) < y(1) && y(1) == y(2) && y(2) < y(3));
        let apart = (drawing.places[1].0 - drawing.places[2].0).abs();
        assert!(apart >= SIZE.width + GAP - 1e-6, "{apart}");
        assert_eq!(drawing.paths.len(), edges.len());
        assert!(
            drawing
                .places
                .iter()
                .all(|&(x, y)| x > 0.0 && y > 0.0 && x < drawing.width && y < drawing.height)
        );
    }

    #[test]
    fn crossings_go_away() {
        // Two lists that are written in opposite orders.
        let edges: Vec<(usize, usize)> = (0..6).map(|i| (i, 11 - i)).collect();
        let drawing = lay_out(&[SIZE; 12], &edges);
        for (i, &(a, b)) in edges.iter().enumerate() {
            for &(c, d) in &edges[i + 1..] {
                let left = |v: usize, w: usize| drawing.places[v].0 < drawing.places[w].0;
                assert_eq!(left(a, c), left(b, d));
            }
        }
    }

    #[test]
    fn places_are_the_nearest_in_order() {
        let found = spread(&[0.0, 0.0], &[10.0, 10.0]);
        assert_eq!(found, [-18.0, 18.0]);
        assert_eq!(spread(&[0.0, 100.0], &[10.0, 10.0]), [0.0, 100.0]);
    }

    #[test]
    fn wide_layers_are_split() {
        // One node above a hundred others.
        let edges: Vec<(usize, usize)> = (1..101).map(|v| (0, v)).collect();
        let drawing = lay_out(&[SIZE; 101], &edges);
        assert!(drawing.width < 4000.0, "{}: side by side they take 6600", drawing.width);
        assert!((1..101).all(|v| drawing.places[v].1 > drawing.places[0].1));
    }

    #[test]
    fn no_nodes_are_a_drawing() {
        assert!(lay_out(&[], &[]).paths.is_empty());
        assert_eq!(lay_out(&[SIZE], &[(0, 0)]).paths.len(), 1);
    }
}
