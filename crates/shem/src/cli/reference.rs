//! The tables of engines, settings and passes for the documents.

use shem_engine::{LemmaKind, Registry, SettingDescription, SharedSetting};
use shem_transform::passes;

use super::line::{SEVERAL, default, heading};

const OPENING: &str = "\
# Engines, settings and passes

This file is made from the descriptions of the engines and passes; `SHEM_BLESS=1 cargo test -p shem --test all settings::`
writes it anew. A setting is an option of the command line, `--NAME VALUE` or `--NAME=VALUE`; a switch that is off
by default can be given without a value. Settings of other engines than the one that runs have no effect. The last column
names the document with the measurement behind a default.
";

/// Tables of all engines with their settings, and of all passes, in Markdown.
pub fn reference(registry: &Registry) -> String {
    [OPENING.to_owned(), engines(registry), settings(registry), pass_table()].concat()
}

/// A table under a heading; the columns and the cells of a row are separated by bars.
fn table(heading: &str, columns: &str, rows: impl Iterator<Item = String>) -> String {
    let rule = columns.split('|').map(|_| "---").collect::<Vec<_>>().join(" | ");
    let rows = rows.map(|row| format!("| {row} |\n")).collect::<String>();
    format!("\n## {heading}\n\n| {columns} |\n| {rule} |\n{rows}")
}

fn engines(registry: &Registry) -> String {
    let list = |lemmas: &[LemmaKind]| match lemmas {
        [] => "–".to_owned(),
        _ => lemmas.iter().map(LemmaKind::to_string).collect::<Vec<_>>().join(", "),
    };
    let rows = registry.engines().iter().map(|engine| {
        let instances = engine.variations.len();
        let (name, summary, fragment) = (engine.name, engine.summary, engine.fragment);
        let (sends, takes) = (list(engine.sends), list(engine.takes));
        format!("`{name}` | {summary} | {fragment} | {sends} | {takes} | {instances}")
    });
    table("Engines", "engine | what it does | systems | sends | takes | variations", rows)
}

/// A table for each heading of the help.
fn settings(registry: &Registry) -> String {
    let settings = registry.settings();
    let mut headings = vec![SEVERAL.to_owned()];
    for heading in settings.iter().map(heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let row = |shared: &SharedSetting| {
        let engines = shared.engines.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let SettingDescription { name, kind, help, measurement, .. } = &shared.setting;
        let measurement = measurement.map_or("–".to_owned(), |section| {
            let document = section.split_once('#').map_or(section, |(document, _)| document);
            format!("[{document}]({section})")
        });
        format!("`{name}` | {kind} | {} | {engines} | {help} | {measurement}", default(shared))
    };
    let tables = headings.iter().map(|title| {
        let rows = settings.iter().filter(|shared| heading(shared) == *title).map(row);
        table(title, "setting | value | default | engines | meaning | measured in", rows)
    });
    tables.collect()
}

fn pass_table() -> String {
    let passes = passes();
    let rows = passes.iter().map(|pass| format!("`{}` | {}", pass.name, pass.summary));
    let heading = "Passes\n\n`--disable-pass NAME,...` leaves passes out.";
    table(heading, "pass | what it does", rows)
}
