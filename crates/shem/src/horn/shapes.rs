//! `shem shapes`: what files contain, before and after the passes.

use std::io::Write;
use std::path::{Path, PathBuf};

use shem_base::{Statistics, StopToken};
use shem_chc::{Graph, Shape};
use shem_decide::read_graph;
use shem_term::{Sort, Store};

use super::options::Options;
use crate::format::read_systems;

/// Lists the shape of the first system of each file; gives the number of files that could not be read.
pub(crate) fn list_shapes(
    files: &[PathBuf],
    options: &Options,
    out: &mut dyn Write,
) -> std::io::Result<usize> {
    let mut failures = 0;
    let columns = "vertices edges shape arguments arrays datatypes";
    writeln!(out, "read: {columns} | preprocessed: {columns} | file")?;
    for file in files {
        match shapes(file, options) {
            Ok(line) => writeln!(out, "{line} | {}", file.display())?,
            Err(message) => {
                failures += 1;
                writeln!(out, "{message}")?;
            }
        }
        out.flush()?;
    }
    Ok(failures)
}

fn shapes(file: &Path, options: &Options) -> Result<String, String> {
    let mut store = Store::new();
    let (systems, _) = read_systems(file, &mut store, options)?;
    let graph = read_graph(&mut store, &systems[0], &mut Statistics::new());
    let before = figures(&graph);
    let variant = options.solve.prepared(&mut store, &systems[0], &StopToken::new());
    Ok(format!("{before} | {}", figures(variant.graph())))
}

fn figures(graph: &Graph) -> String {
    let sorts: Vec<Sort> = graph.vertices().flat_map(|v| graph.vertex(v).sorts().iter().copied()).collect();
    let arrays = sorts.iter().filter(|sort| sort.is_array()).count();
    let datatypes = sorts.iter().filter(|sort| sort.is_datatype()).count();
    let (vertices, edges, shape) = (graph.vertices().count(), graph.edge_count(), Shape::of(graph));
    format!("{vertices} {edges} {shape} {} {arrays} {datatypes}", sorts.len())
}
