//! Has the program linked at a fixed address, on systems whose linker is known to do so.
//!
//! At an address that is chosen anew for each run, every pointer in the constant data has to be relocated before the
//! first instruction: some 15,000 of them on 70 pages, each of which is copied. For a problem of a few lines that is a
//! third of the run. Stack, heap and libraries keep their random addresses.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let known = target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64";
    if known && !target("FEATURE").split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
