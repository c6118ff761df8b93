//! What a program gets when it depends on the library: nothing of the command line, of brokers, or that logs.

use std::collections::BTreeSet;
use std::process::Command;

/// The library with these features.
fn check(features: &[&str], most: usize) {
    let mut words =
        vec!["tree", "--offline", "-p", "libshem", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    words.extend(features);
    let output = Command::new(env!("CARGO")).args(words).output().expect("cargo is there");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let packages: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(packages.contains("shem-engine"), "{packages:?}");
    for unwanted in ["shem", "clap", "redis", "rustls", "url", "signal-hook", "flate2", "env_logger"] {
        assert!(!packages.contains(unwanted), "{unwanted} is not for a library: {packages:?}");
    }
    assert!(packages.len() <= most, "{} packages: {packages:?}", packages.len());
}

#[test]
fn the_library_needs_little() {
    check(&[], 40);
    check(&["--features", "scripts"], 43);
}
