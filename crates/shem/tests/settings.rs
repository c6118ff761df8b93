//! The tables of the documents are those of the registries.

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
        "docs/settings.md is out of date: SHEM_BLESS=1 cargo test -p shem --test settings"
    );
}
