//! Has the program linked at a fixed address, on systems whose linker is known to do so, and tells it the commit that it
//! is built from.
//!
//! At an address that is chosen anew for each run, every pointer in the constant data has to be relocated before the
//! first instruction: some 15,000 of them on 70 pages, each of which is copied. For a problem of a few lines that is a
//! third of the run. Stack, heap and libraries keep their random addresses.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SHEM_COMMIT={}", commit());
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let known = target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64";
    if known && !target("FEATURE").split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// The commit in parentheses. Only releases have it: other builds would be made anew after each commit.
fn commit() -> String {
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
        Some(text.trim().to_owned())
    };
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return String::new();
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short", "HEAD"]).map_or_else(String::new, |commit| format!(" ({commit})"))
}
