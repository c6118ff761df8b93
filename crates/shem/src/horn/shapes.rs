//! `shem shapes`: what files contain, before and after the passes.

use std::io::Write;
use std::path::{Path, PathBuf};

use shem_base::{Statistics, StopToken};
use shem_chc::{Graph, Shape};
use shem_decide::{preprocess, read_graph};
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
    let mut statistics = Statistics::new();
    let graph = read_graph(&mut store, &systems[0], &mut statistics);
    let before = figures(&graph);
    let passes = options.solve.passes();
    let preprocessed = preprocess(&mut store, graph, &passes, &StopToken::new(), &mut statistics);
    Ok(format!("{before} | {}", figures(&preprocessed.graph)))
}

fn figures(graph: &Graph) -> String {
    let sorts: Vec<Sort> = graph.vertices().flat_map(|v| graph.vertex(v).sorts().iter().copied()).collect();
    let arrays = sorts.iter().filter(|sort| matches!(sort, Sort::Array(_))).count();
    let datatypes = sorts.iter().filter(|sort| matches!(sort, Sort::Datatype(_))).count();
    let (vertices, edges, shape) = (graph.vertices().count(), graph.edge_count(), Shape::of(graph));
    format!("{vertices} {edges} {shape} {} {arrays} {datatypes}", sorts.len())
}
