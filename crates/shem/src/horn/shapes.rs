//! `shem shapes`: what files contain, before and after the passes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libshem::Problem;
use shem_base::{Statistics, StopToken};
use shem_chc::{Graph, Shape};
use shem_decide::read_graph;
use shem_term::Sort;

use super::options::Options;
use crate::input;

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

/// Reads a problem. The error says why it cannot be read.
pub(super) fn read_problem(file: &Path) -> Result<Problem, String> {
    let name = input::name(file);
    let bytes = input::read(file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))?;
    let text = match shem_vmt::is_vmt(&text) {
        true => super::convert::first_property(&name, &text)?,
        false => text,
    };
    Problem::parse(&text)
        .map_err(|error| format!("{name}:{}:{}: error: {}", error.line, error.column, error.message))
}

fn shapes(file: &Path, options: &Options) -> Result<String, String> {
    let mut problem = read_problem(file)?;
    let system = Arc::clone(problem.system());
    let store = problem.store_mut();
    let graph = read_graph(store, &system, &mut Statistics::new());
    let before = figures(&graph);
    let variant = options.solve.prepared(store, &system, &StopToken::new());
    Ok(format!("{before} | {}", figures(variant.graph())))
}

fn figures(graph: &Graph) -> String {
    let sorts: Vec<Sort> = graph.vertices().flat_map(|v| graph.vertex(v).sorts().iter().copied()).collect();
    let arrays = sorts.iter().filter(|sort| sort.is_array()).count();
    let datatypes = sorts.iter().filter(|sort| sort.is_datatype()).count();
    let (vertices, edges, shape) = (graph.vertices().count(), graph.edge_count(), Shape::of(graph));
    format!("{vertices} {edges} {shape} {} {arrays} {datatypes}", sorts.len())
}
