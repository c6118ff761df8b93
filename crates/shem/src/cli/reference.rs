//! The tables of engines, settings and passes for the documents.

use std::fmt::Write;

use shem_engine::{LemmaKind, Registry};
use shem_transform::passes;

use super::line::{SEVERAL, default, heading};

const OPENING: &str = "\
# Engines, settings and passes

This file is made from the descriptions of the engines and passes; `SHEM_BLESS=1 cargo test -p shem --test settings`
writes it anew. A setting is an option of the command line, `--NAME VALUE` or `--NAME=VALUE`; a switch that is off
by default can be given without a value. Settings of other engines than the one that runs have no effect.
";

/// Tables of all engines with their settings, and of all passes, in Markdown.
pub fn reference(registry: &Registry) -> String {
    let mut text = OPENING.to_owned();
    let _ = engines(&mut text, registry);
    let _ = settings(&mut text, registry);
    let _ = write_passes(&mut text);
    text
}

fn engines(text: &mut String, registry: &Registry) -> std::fmt::Result {
    writeln!(text, "\n## Engines\n\n| engine | what it does | systems | sends | takes | instances |")?;
    writeln!(text, "| --- | --- | --- | --- | --- | --- |")?;
    let list = |lemmas: &[LemmaKind]| match lemmas {
        [] => "–".to_owned(),
        _ => lemmas.iter().map(LemmaKind::to_string).collect::<Vec<_>>().join(", "),
    };
    for engine in registry.engines() {
        let instances = if engine.has_instances() { "yes" } else { "–" };
        let (sends, takes) = (list(engine.sends), list(engine.takes));
        writeln!(
            text,
            "| `{}` | {} | {} | {sends} | {takes} | {instances} |",
            engine.name, engine.summary, engine.fragment
        )?;
    }
    Ok(())
}

/// A table for each heading of the help.
fn settings(text: &mut String, registry: &Registry) -> std::fmt::Result {
    let settings = registry.settings();
    let mut headings = vec![SEVERAL.to_owned()];
    for setting in &settings {
        let heading = heading(setting);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for title in headings {
        writeln!(text, "\n## {title}\n")?;
        writeln!(text, "| setting | value | default | engines | meaning |\n| --- | --- | --- | --- | --- |")?;
        for shared in settings.iter().filter(|shared| heading(shared) == title) {
            let engines = shared.engines.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let (setting, default) = (&shared.setting, default(shared));
            writeln!(
                text,
                "| `{}` | {} | {default} | {engines} | {} |",
                setting.name, setting.kind, setting.help
            )?;
        }
    }
    Ok(())
}

fn write_passes(text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n## Passes\n\n`--disable-pass NAME,...` leaves passes out.\n")?;
    writeln!(text, "| pass | what it does |\n| --- | --- |")?;
    for pass in passes() {
        writeln!(text, "| `{}` | {} |", pass.name, pass.summary)?;
    }
    Ok(())
}
