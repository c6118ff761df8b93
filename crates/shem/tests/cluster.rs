//! The examples for clusters: they are what the schedulers read, and the program takes their options.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use shem_test_support::external::{PYTHON, REDIS};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn example(name: &str) -> PathBuf {
    root().join("examples/cluster").join(name)
}

fn problem() -> PathBuf {
    root().join("examples/horn/two-loops-safe.smt2")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Prints the words of the container that solves, one a line; fails with 3 if there is no reader of YAML.
const WORDS_OF_JOB: &str = "
import sys
try:
    import yaml
except ImportError:
    sys.exit(3)
documents = list(yaml.safe_load_all(open(sys.argv[1])))
assert [one['kind'] for one in documents] == ['Secret', 'Service', 'StatefulSet', 'Job'], documents
job = documents[-1]['spec']
assert job['parallelism'] == job['completions'], job
container, = job['template']['spec']['containers']
assert all(isinstance(word, str) for word in container['args']), container
print('\\n'.join(container['args']))
";

#[test]
fn the_manifest_for_kubernetes_is_read_and_its_words_are_options() {
    let read = Command::new("python3").args(["-c", WORDS_OF_JOB]).arg(example("kubernetes.yaml")).output();
    let Ok(read) = read else { return PYTHON.is_absent() };
    if read.status.code() == Some(3) {
        return PYTHON.skip("Python has no yaml");
    }
    assert!(read.status.success(), "{}", text(&read));
    let words = String::from_utf8(read.stdout).expect("text");
    // The broker of the manifest is not there; the process goes on alone and says so.
    let words = words.lines().map(|word| match word {
        "$(JOB_COMPLETION_INDEX)" => "3".to_owned(),
        "redis://broker:6379/problem" => "redis://127.0.0.1:1/problem".to_owned(),
        "/problem/problem.smt2" => problem().display().to_string(),
        word => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    assert!(words.iter().any(|word| word == "--partition") && words.iter().any(|word| word == "--join"));
    let output = Command::new(env!("CARGO_BIN_EXE_shem")).args(&words).output().expect("shem runs");
    assert!(text(&output).starts_with("sat\n"), "{words:?}: {}", text(&output));
}

#[test]
fn the_script_for_slurm_runs() {
    let script = example("shem.slurm");
    let parsed = Command::new("bash").arg("-n").arg(&script).output().expect("bash runs");
    assert!(parsed.status.success(), "{}", text(&parsed));
    let lines = std::fs::read_to_string(&script).expect("a script");
    assert!(lines.starts_with("#!/bin/bash\n") && lines.contains("#SBATCH --ntasks-per-node="), "{lines}");
    if Command::new("redis-server").arg("--version").output().is_err() {
        return REDIS.is_absent();
    }
    // In place of the scheduler: two tasks, one after the other.
    let folder = std::env::temp_dir().join(format!("shem-slurm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let srun = folder.join("srun");
    let stand_in = "#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\n\
                    for task in 0 1; do SLURM_PROCID=$task \"$@\" || exit 1; done\n";
    std::fs::write(&srun, stand_in).expect("a file");
    std::fs::set_permissions(&srun, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .arg(&script)
        .arg(problem())
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("SHEM", env!("CARGO_BIN_EXE_shem"))
        .env("SLURM_JOB_ID", std::process::id().to_string())
        .env("SLURM_CPUS_PER_TASK", "2")
        .output()
        .expect("bash runs");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{}", text(&output));
    let answers = String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line == "sat").count();
    assert_eq!(answers, 2, "{}", text(&output));
}
