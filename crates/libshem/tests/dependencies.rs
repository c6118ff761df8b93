//! What a program gets when it depends on the library: nothing of the command line, of brokers, or that logs.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_library_needs_little() {
    let words = ["tree", "--offline", "-p", "libshem", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let output = Command::new(env!("CARGO")).args(words).output().expect("cargo is there");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let packages: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(packages.contains("shem-engine"), "{packages:?}");
    for unwanted in ["shem", "clap", "redis", "rustls", "url", "signal-hook", "flate2", "env_logger"] {
        assert!(!packages.contains(unwanted), "{unwanted} is not for a library: {packages:?}");
    }
    assert!(packages.len() <= 40, "{} packages: {packages:?}", packages.len());
}
