//! The tables of the documents are those of the registries, and measurements are where settings say.

use std::fs;
use std::path::Path;

use shem_engine::Registry;

#[test]
fn the_tables_of_the_documents_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let text = shem::cli::reference(&Registry::standard());
    if std::env::var_os("SHEM_BLESS").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).expect("docs/settings.md is there");
    assert!(
        found == text,
        "docs/settings.md is out of date: SHEM_BLESS=1 cargo test -p shem --test all settings::"
    );
}

/// The text of a section of a document, if there is one: from its heading to the next one of its level.
fn section<'t>(text: &'t str, anchor: &str) -> Option<&'t str> {
    let anchor_of = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-');
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    let mut parts = text.split("\n## ").skip(1);
    parts.find(|part| part.lines().next().is_some_and(|heading| anchor_of(heading) == anchor))
}

#[test]
fn measurements_are_in_the_sections_that_settings_name() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut measured = 0;
    for engine in Registry::standard().engines() {
        for setting in engine.settings() {
            let Some(place) = setting.measurement else { continue };
            let (document, anchor) = place.split_once('#').expect("a document and a section");
            let text = fs::read_to_string(docs.join(document)).expect("the document is there");
            let section = section(&text, anchor);
            let section = section.unwrap_or_else(|| panic!("{}: no section {place}", setting.name));
            let word = setting.name.rsplit('.').next().expect("a name");
            assert!(section.contains(word), "{place} does not speak of {}", setting.name);
            measured += 1;
        }
    }
    assert!(measured > 20, "{measured} settings are measured");
}
