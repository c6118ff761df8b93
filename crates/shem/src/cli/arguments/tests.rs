//! Command lines and their meaning.

use super::*;
use crate::cli::line::{completions, manual};
use crate::horn::{ProofFormat, Stage};
use shem_chc::Shape;
use shem_decide::{Division, Engines};
use shem_decide::{Profile, entries_for};
use shem_engine::{EngineChoice, EngineDescription, Make, Theories, settings, spacer};
use shem_exchange::Share;
use shem_transform::PartitionBy;
use std::num::NonZeroUsize;
use std::time::Duration;

fn parsed(line: &str) -> Result<Arguments, Failure> {
    parse(&Registry::standard(), line.split_whitespace().map(OsString::from))
}

fn check(line: &str, job: Job, change: fn(&mut Arguments)) {
    let mut arguments = Arguments::new(job);
    change(&mut arguments);
    assert_eq!(parsed(line), Ok(arguments), "for {line}");
}

/// An engine with these settings.
fn engine(name: &str, settings: &[(&str, &str)]) -> EngineChoice {
    let mut choice = Registry::standard().choose(name).expect("an engine");
    for (name, value) in settings {
        choice.set(name, value).expect("a setting");
    }
    choice
}

/// The words set this, before and after the name of the engine.
fn check_settings(name: &str, words: &str, values: &[(&str, &str)]) {
    let mut arguments = Arguments::new(horn("a"));
    arguments.horn.solve.engines = Engines::One;
    arguments.horn.solve.engine = engine(name, values);
    arguments.horn.engine_words = words.split_whitespace().map(str::to_owned).collect();
    let arguments = Ok(arguments);
    assert_eq!(parsed(&format!("-e {name} {words} a")), arguments);
    assert_eq!(parsed(&format!("{words} a -e {name}")), arguments);
}

fn check_failure(line: &str, words: &str) {
    assert_eq!(parsed(line), Err(Failure(words.to_owned())), "for {line}");
}

fn smt(file: &str) -> Job {
    Job::Smt(file.into())
}

fn horn(file: &str) -> Job {
    Job::Horn(file.into())
}

#[test]
fn scripts() {
    check("smt a.smt2", smt("a.smt2"), |_| {});
    check("smt -", smt("-"), |_| {});
    check("smt -i a", smt("a"), |_| {});
    check("--check-models smt - --check-cores", smt("-"), |s| {
        s.smt.check_models = true;
        s.smt.check_cores = true;
    });
    check("smt --conflict-limit=7 --split-limit 9 a", smt("a"), |s| {
        s.smt.conflict_limit = Some(7);
        s.smt.split_limit = Some(9);
    });
    check("smt a -t 1.5", smt("a"), |s| {
        s.smt.run.timeout = Some(Duration::from_millis(1500));
        s.horn.run.timeout = s.smt.run.timeout;
    });
}

/// Plain lines mean what clap says that they mean, and all others are left to it.
#[test]
fn plain_lines() {
    let registry = Registry::standard();
    let words = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
    let mut plain =
        vec!["", "-", "a", "smt a", "smt -", "smt a -t 1.5", "-t 3 a", "strategy a", "shapes a b", "man"];
    let engines: Vec<String> = registry.names().map(|name| format!("-t 1e1 -e {name} a")).collect();
    plain.extend(engines.iter().map(String::as_str));
    plain.extend(["a -e pa", "convert vmt a", "completions bash", "a -e spacer -t 0"]);
    for line in plain {
        let found = parse_plain(&registry, &words(line));
        assert!(found.is_some(), "{line}");
        assert_eq!(found, parse_any(&registry, words(line)).ok(), "{line}");
    }
    for line in [
        "smt",
        "a b",
        "-e spacer smt a",
        "-e nothing a",
        "-e spacer,bmc a",
        "-e",
        "-e -t 1 a",
        "-t 1 -t 2 a",
        "-t -1 a",
        "-t x a",
        "-e bmc -e kind a",
        "--engine bmc a",
        "-espacer a",
        "-v a",
        "--",
        "-- a",
        "-i a",
        "--version",
        "-h",
        "smt --check-models a",
        "convert a",
        "man a",
    ] {
        assert_eq!(parse_plain(&registry, &words(line)), None, "{line}");
    }
}

#[test]
fn horn_problems() {
    check("a.smt2", horn("a.smt2"), |_| {});
    check("", horn("-"), |_| {});
    check("-in", horn("-"), |_| {});
    check("-i a.smt2", horn("a.smt2"), |_| {});
    check("--input=a.smt2", horn("a.smt2"), |_| {});
    check("-", horn("-"), |_| {});
    check("-l QF_LIA -e bmc --print-witness a", horn("a"), |s| {
        s.horn.solve.engine = engine("bmc", &[]);
        s.horn.solve.engines = Engines::One;
        s.horn.print_witness = true;
    });
    check("--compute-witness a", horn("a"), |s| s.horn.compute_witness = Some(true));
    check("--compute-witness=no a", horn("a"), |s| s.horn.compute_witness = Some(false));
    check("--validate -p intermediate a", horn("a"), |s| {
        s.horn.validate = true;
        s.horn.proof_format = ProofFormat::Intermediate;
    });
    check_settings("bmc", "--simplify-nested --force-ts", &[("force-ts", "yes"), ("simplify-nested", "yes")]);
    check_settings("bmc", "--force-ts=no", &[("force-ts", "no")]);
    check_settings("lawi", "--forced-covering", &[("forced-covering", "yes")]);
    check_settings("lawi", "--lawi.path-labels=no", &[("lawi.path-labels", "no")]);
    check_settings("tpa", "--tpa.use-qe", &[("tpa.use-qe", "yes")]);
    check_settings(
        "split-tpa",
        "--tpa.base=3 --tpa.direction=backward --tpa.use-qe",
        &[("tpa.base", "3"), ("tpa.direction", "backward"), ("tpa.use-qe", "yes")],
    );
    check_settings(
        "split-tpa",
        "--tpa.direction=backward --tpa.steps=equal-first",
        &[("tpa.direction", "backward"), ("tpa.steps", "equal-first")],
    );
    check_settings("imc", "--lra-itp-algorithm=5", &[("lra-itp-algorithm", "5")]);
    check_settings("imc", "--bool-itp-algorithm=occurrence", &[("bool-itp-algorithm", "occurrence")]);
    check_settings("kind", "--kind.simple-paths", &[("kind.simple-paths", "yes")]);
    check_settings(
        "pdkind",
        "--pdkind.depth=3 --pdkind.order=oldest",
        &[("pdkind.depth", "3"), ("pdkind.order", "oldest")],
    );
    check_settings(
        "spacer",
        "--spacer.clauses=no --spacer.restraints=7",
        &[("spacer.clauses", "no"), ("spacer.restraints", "7")],
    );
    // A value may be a word of its own, and settings of other engines do no harm.
    check("--spacer.clauses no --pdkind.depth 3 a", horn("a"), |s| {
        s.horn.solve.engine = engine("spacer", &[("spacer.clauses", "no")]);
        s.horn.engine_words = vec!["--pdkind.depth=3".to_owned(), "--spacer.clauses=no".to_owned()];
    });
    check("-v -v --verbose a", horn("a"), |s| s.horn.verbosity = 3);
    check("-vv a", horn("a"), |s| s.horn.verbosity = 2);
    check("--verbose=7 a", horn("a"), |s| s.horn.verbosity = 7);
    check("--deterministic a", horn("a"), |s| s.horn.solve.deterministic = true);
    check("--virtual-cores 8 a", horn("a"), |s| {
        (s.horn.solve.deterministic, s.horn.solve.virtual_cores) = (true, Some(8));
    });
    check("--continued-execution smt a", smt("a"), |s| {
        s.smt.run.continued_execution = true;
        s.horn.run.continued_execution = true;
    });
    check("--memory 100 --seed 5 --stats --json a", horn("a"), |s| {
        s.horn.run.memory = Some(100_000_000);
        s.smt.run.memory = s.horn.run.memory;
        s.horn.solve.seed = 5;
        s.horn.engine_words = vec!["--seed=5".to_owned()];
        s.horn.run.statistics = true;
        s.smt.run.statistics = true;
        s.horn.json = true;
    });
    check("-e pdkind --instances 6 --share reach a", horn("a"), |s| {
        s.horn.solve.engines = Engines::One;
        s.horn.solve.engine = engine("pdkind", &[]);
        s.horn.solve.instances = 6;
        s.horn.solve.share = Some(Share { reach: true, ..Share::NONE });
    });
    check("--partition auto a", horn("a"), |s| s.horn.solve.division = Some(Division::default()));
    check("--partition 4 --partition-by facts --partition-silence 2 a", horn("a"), |s| {
        let (parts, by, silence) = (Some(4), PartitionBy::Facts, Duration::from_secs(2));
        s.horn.solve.division = Some(Division { parts, by, silence });
    });
    check("--join redis://me:secret@host/run a", horn("a"), |s| {
        s.horn.solve.join = Some("redis://me:secret@host/run".parse().expect("an address"));
    });
    check("--dump-graph read a", horn("a"), |s| s.horn.dump_graph = Some(Stage::Read));
    check("--witness-budget 0.5 a", horn("a"), |s| {
        s.horn.solve.witness_budget = Duration::from_millis(500);
    });
    check("--verdict-timeout 2 a", horn("a"), |s| {
        s.horn.solve.verdict_time = Some(Duration::from_secs(2));
    });
    check("-j 3 a", horn("a"), |s| s.horn.jobs = NonZeroUsize::new(3));
    check("--trust a", horn("a"), |s| s.horn.trust = true);
    check("-e bmc,kind a", horn("a"), |s| {
        s.horn.solve.engines = Engines::Mix(vec![Entry::new("bmc", []), Entry::new("kind", [])]);
    });
    check("strategy a", Job::Strategy("a".into()), |_| {});
    check("shapes a b", Job::Shapes(vec!["a".into(), "b".into()]), |_| {});
    check("man", Job::Manual, |_| {});
    check("completions zsh", Job::Completions(Shell::Zsh), |_| {});
    let version = Job::Print(format!("shem {}\n", env!("CARGO_PKG_VERSION")));
    check("-V", version.clone(), |_| {});
    check("--version", version, |_| {});
}

#[test]
fn entries_of_a_mix_carry_settings() {
    let line = ["-e", "spacer --seed 7 ,bmc  --force-ts", "a"].map(OsString::from);
    let Engines::Mix(entries) =
        parse(&Registry::standard(), line.into_iter()).expect("a mix").horn.solve.engines
    else {
        panic!("no mix");
    };
    let words: Vec<Vec<&str>> = entries.iter().map(|entry| entry.words().collect()).collect();
    assert_eq!(words, [vec!["-e", "spacer", "--seed=7"], vec!["-e", "bmc", "--force-ts"]]);
    for (mix, words) in [
        ("bmc, kind --json", "--json does not concern engines and cannot stand in a mix"),
        ("bmc a", "too many arguments (in the mix: bmc a)"),
        ("bmc, kind -e imc", "--engine stands twice in the entry kind -e imc"),
    ] {
        let line = ["-e", mix, "a"].map(OsString::from);
        assert_eq!(parse(&Registry::standard(), line.into_iter()), Err(Failure(words.to_owned())));
    }
}

/// The entries of the default strategy are command lines.
#[test]
fn the_strategy_can_be_typed() {
    for shape in [Shape::Trivial, Shape::TransitionSystem, Shape::Dag, Shape::Linear, Shape::Nonlinear] {
        for (integers, jobs) in [(false, 1), (true, 1), (false, 8), (true, 8)] {
            for theories in [Theories::Arithmetic, Theories::All] {
                let arrays = theories == Theories::All;
                let profile = Profile {
                    shape,
                    integers,
                    theories,
                    arrays,
                    recursive: arrays,
                    wide: false,
                    finite: true,
                    words: arrays,
                    jobs,
                };
                for entry in entries_for(&profile) {
                    let registry = Registry::standard();
                    let read = Reader::new(&registry).read_entry(&entry).expect("a command line");
                    let options = |entry: &Entry| entry.options(&registry, &SolveOptions::default());
                    assert_eq!(options(&read), options(&entry));
                }
            }
        }
    }
}

#[test]
fn mistakes() {
    check_failure("smt", "smt needs a file");
    check_failure("smt a b", "too many arguments");
    check_failure("a b", "too many arguments");
    check_failure("a -i b", "too many arguments");
    check_failure("--zzz a", "unexpected argument '--zzz' found");
    check_failure("-x a", "unexpected argument '-x' found");
    check_failure(
        "--spacer.clases no a",
        "unexpected argument '--spacer.clases' found; tip: a similar argument exists: '--spacer.clauses'",
    );
    check_failure("stratgy a", "too many arguments; did you mean strategy?");
    check_failure("--join redis://h/n --deterministic a", "--join and --deterministic exclude each other");
    check_failure("--join redis://h/n --virtual-cores 2 a", "--join and --virtual-cores exclude each other");
    check_failure(
        "--partition 1 a",
        "invalid value '1' for '--partition <N|auto>': 1 is neither auto nor a number of parts from 2 to 256",
    );
    check_failure(
        "--partition 2 --partition-by cubes a",
        "invalid value 'cubes' for '--partition-by <WHAT>': cubes cannot be divided: it is one of either, queries, facts, both",
    );
    check_failure(
        "--partition-by facts a",
        "the following required arguments were not provided:; --partition <N|auto>",
    );
    check_failure("-j 0 a", "invalid value '0' for '--jobs <N>': 0 is not a number of cores; the least is 1");
    check_failure(
        "smt a -t -1",
        "invalid value '-1' for '--timeout <SECONDS>': -1 is not a number of seconds",
    );
    check_failure("smt a --validate", "shem smt has no option --validate");
    check_failure("--check-models a", "--check-models is an option of shem smt only");
    check_failure(
        "-p xml a",
        "invalid value 'xml' for '--proof-format <FORMAT>'; [possible values: legacy, intermediate, alethe]",
    );
    check_failure("--lra-itp-algorithm x a", "--lra-itp-algorithm takes 0, 2, 4 or 5, not 'x'");
    check_failure("--pdkind.depth 0 a", "--pdkind.depth takes a number from 1, or level, not '0'");
    check_failure("--pdkind.order any a", "--pdkind.order takes newest, oldest, random or scored, not 'any'");
    check_failure("--tpa.base 1 a", "--tpa.base takes a number from 2 to 8, not '1'");
    check_failure("--tpa.direction up a", "--tpa.direction takes forward or backward, not 'up'");
    check_failure(
        "--tpa.direction foward a",
        "--tpa.direction takes forward or backward, not 'foward'; did you mean forward?",
    );
    check_failure(
        "-l QF_FP a",
        "invalid value 'QF_FP' for '--logic <LOGIC>': the logic QF_FP is not supported: floating-point numbers are not supported yet",
    );
    for (line, hint) in [
        ("-e spcer a", "; did you mean spacer?"),
        ("-e split-tap a", "; did you mean split-tpa?"),
        ("--disable-pass slize a", "; did you mean slice?"),
        ("completions bsh", "; did you mean bash?"),
        ("-l QF_LAI a", "; did you mean QF_LIA?"),
    ] {
        let Err(Failure(words)) = parsed(line) else { panic!("{line} is read") };
        assert!(words.ends_with(hint), "{line}: {words}");
    }
    check_failure(
        "--compute-witness=maybe a",
        "invalid value 'maybe' for '--compute-witness[=<yes|no>]': --compute-witness takes yes or no, not maybe",
    );
    check_failure(
        "--dump-graph all a",
        "invalid value 'all' for '--dump-graph <STAGE>'; [possible values: read, preprocessed]",
    );
    check_failure("-e pdkind,bmc --instances 2 a", "--instances takes one engine, not a mix");
    check_failure("--instances 0 a", "invalid value '0' for '--instances <N>': 0 is not in 1..=256");
    check_failure(
        "--share some a",
        "invalid value 'some' for '--share <WHAT>': --share takes none, invariants, reach, induction or all, not some",
    );
    check_failure(
        "--join redis://me:secret@host a",
        "--join takes redis://HOST/NAME or rediss://HOST/NAME: the name of the run is missing",
    );
    check_failure("shapes", "shapes needs a file");
    check_failure("strategy", "strategy needs a file");
    check_failure("strategy a b", "too many arguments");
    check_failure("-e ,bmc a", "an engine is missing in “,bmc”");
    check_failure(
        "completions",
        "completions needs the name of a shell: bash, elvish, fish, powershell, zsh",
    );
    check_failure(
        "completions ksh",
        "there are no completions for ksh; shells: bash, elvish, fish, powershell, zsh; did you mean zsh?",
    );
    assert!(parsed("smt a --pivot-limit many").is_err());
    assert!(parsed("a --seed").is_err());
    assert!(parsed("a --validate=yes").is_err());
}

#[test]
fn the_last_of_several_wins() {
    check("--seed 1 --seed 2 --print-witness --print-witness a", horn("a"), |s| {
        s.horn.solve.seed = 2;
        s.horn.engine_words = vec!["--seed=2".to_owned()];
        s.horn.print_witness = true;
    });
    check("--timeout-ms 5 -t 1 a", horn("a"), |s| {
        s.horn.run.timeout = Some(Duration::from_secs(1));
        s.smt.run.timeout = s.horn.run.timeout;
    });
    check("-t 1 --timeout-ms 5 a", horn("a"), |s| {
        s.horn.run.timeout_ms = Some(5);
        s.smt.run.timeout_ms = Some(5);
    });
    check("-e bmc -e kind a", horn("a"), |s| {
        s.horn.solve.engines = Engines::One;
        s.horn.solve.engine = engine("kind", &[]);
    });
}

#[test]
fn passes_are_switched_off() {
    check("--disable-pass slice,chains --disable-pass=inline a", horn("a"), |s| {
        for name in ["slice", "chains", "inline"] {
            s.horn.solve.disabled_passes.disable(name).expect("a pass");
            s.horn.engine_words.push(format!("--disable-pass={name}"));
        }
    });
    let Err(Failure(words)) = parsed("--disable-pass magic a") else { panic!("there is no such pass") };
    assert!(words.starts_with("there is no pass magic; passes: "), "{words}");
}

/// The address may have a password.
#[test]
fn wrong_addresses_are_not_repeated() {
    for line in ["--join redis://me:secret@host a", "--join me:secret a"] {
        let Err(Failure(words)) = parsed(line) else { panic!("no address") };
        assert!(!words.contains("secret"), "{words}");
    }
}

/// Help, manual page and completions know every option; the short help does not.
#[test]
fn every_option_is_documented() {
    let registry = Registry::standard();
    let text = |line: &str| match parsed(line) {
        Ok(Arguments { job: Job::Print(text), .. }) => text,
        other => panic!("{other:?}"),
    };
    let (short, long) = (text("--help"), text("--help-all"));
    assert_eq!(text("-h"), short);
    let page = String::from_utf8(manual(&registry).expect("a page")).expect("text");
    let page = page.replace("\\-", "-");
    let script = |shell| String::from_utf8(completions(&registry, shell)).expect("text");
    let scripts = [(Shell::Bash, "--"), (Shell::Zsh, "--"), (Shell::Fish, "-l ")];
    let scripts = scripts.map(|(shell, dashes)| (script(shell), dashes));
    let mut count = 0;
    for arg in Reader::new(&registry).command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let Some(name) = arg.get_long() else { continue };
        assert!(long.contains(&format!("--{name}")), "{name}");
        assert!(page.contains(&format!("--{name}")), "{name}");
        assert!(arg.get_help().is_some_and(|help| !help.to_string().is_empty()), "{name}");
        for (script, dashes) in &scripts {
            assert!(script.contains(&format!("{dashes}{name}")), "{name}");
        }
        count += 1;
    }
    assert!(count > 75, "{count}");
    for shared in registry.settings() {
        let default = crate::cli::line::default(&shared);
        let line =
            long.lines().position(|line| line.trim().starts_with(&format!("--{}", shared.setting.name)));
        let line = line.unwrap_or_else(|| panic!("{}", shared.setting.name));
        let shown: Vec<&str> = long.lines().skip(line).take(5).flat_map(str::split_whitespace).collect();
        let shown = shown.join(" ");
        assert!(shown.contains(&format!("[default: {default}]")), "{}: {shown}", shared.setting.name);
        assert!(!short.contains(&format!("--{}", shared.setting.name)));
    }
    for heading in ["General options:", "Horn problems:", "Cooperation of engines:", "Scripts (shem smt):"] {
        assert!(long.contains(heading), "{heading}");
    }
    for heading in ["Engine bmc:", "Engine lawi:", "Engines split-tpa, tpa:", "Settings of several engines:"]
    {
        assert!(long.contains(heading) && !short.contains(heading), "{heading}");
    }
    assert!(long.contains("fixed-point form") && short.contains("shem --help-all"));
    assert!(short.lines().count() < 50, "{short}");
    assert!(!short.contains("--spacer.") && !short.contains("--tpa."), "{short}");
    for hidden in ["--worker", "--graph-bytes", "--about", "--time-left"] {
        assert!(!long.contains(hidden) && !page.contains(hidden), "{hidden}");
    }
}

/// An engine from outside has its options, its part of the help and its place in a mix without an edit here.
#[test]
fn options_of_an_engine_from_outside() {
    settings! {
        /// Settings of an engine from outside.
        struct Guess {
            times: u32 = 0, "guess.times" in 0..=9, "how often it guesses";
        }
    }

    const GUESS: EngineDescription = EngineDescription {
        name: "guess",
        summary: "guesses",
        variations: shem_engine::instances::SEEDS,
        constructor: &Make { engine: |_: Guess| EngineChoice::default().make() },
        ..spacer::DESCRIPTION
    };

    let registry = Registry::standard().with(GUESS);
    let read = |words: &[&str]| parse(&registry, words.iter().map(OsString::from));
    let arguments = read(&["-e", "guess", "--guess.times", "3", "a"]).expect("an engine");
    assert_eq!(arguments.horn.solve.engine.to_string(), "guess --guess.times=3");
    let failure = Failure("--guess.times takes a number from 0 to 9, not '10'".to_owned());
    assert_eq!(read(&["--guess.times=10", "a"]), Err(failure));
    let mix = read(&["-e", "spacer, guess --guess.times=4", "a"]).expect("a mix").horn.solve.engines;
    assert!(matches!(mix, Engines::Mix(entries) if entries.len() == 2));
    assert!(read(&["-e", "guess --guess.tims=4,spacer", "a"]).is_err());
    let Ok(Arguments { job: Job::Print(help), .. }) = read(&["--help-all"]) else { panic!("no help") };
    assert!(help.contains("Engine guess:") && help.contains("How often it guesses [default: 0]"), "{help}");
}

/// Command lines that Golem 0.9.1 reads: what they mean here, and how many notes they leave.
#[test]
fn command_lines_of_golem() {
    type Change = fn(&mut Arguments);
    let one = |arguments: &mut Arguments, choice: EngineChoice| {
        arguments.horn.solve.engines = Engines::One;
        arguments.horn.solve.engine = choice;
    };
    type Line<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], Change, usize);
    let lines: [Line<'_>; 29] = [
        ("-l QF_LIA -e spacer a", "spacer", &[], |_| {}, 0),
        ("--logic QF_LRA --engine lawi --input a", "lawi", &[], |_| {}, 0),
        ("-l QF_LIA -e bmc -i a", "bmc", &[], |_| {}, 0),
        ("-l QF_ALIA -e kind a", "kind", &[], |_| {}, 0),
        ("-e imc a", "imc", &[], |_| {}, 0),
        ("-e pdkind a", "pdkind", &[], |_| {}, 0),
        ("-e tpa a", "tpa", &[], |_| {}, 0),
        ("-e split-tpa a", "split-tpa", &[], |_| {}, 0),
        ("-e trl a", "trl", &[], |_| {}, 0),
        ("-e dar a", "imc", &[], |_| {}, 1),
        ("-e pa a", "spacer", &[], |_| {}, 1),
        ("-e se a", "bmc", &[], |_| {}, 1),
        ("-e spacer -f forward a", "spacer", &[], |_| {}, 1),
        ("-e spacer --flow backward a", "spacer", &[], |_| {}, 1),
        ("-e spacer --flow=backward a", "spacer", &[], |_| {}, 1),
        ("-e lawi --forced-covering a", "lawi", &[("forced-covering", "yes")], |_| {}, 0),
        ("-e lawi --forced-covering=no a", "lawi", &[("forced-covering", "no")], |_| {}, 0),
        ("-e lawi --forced-covering=disable a", "lawi", &[("forced-covering", "no")], |_| {}, 0),
        ("-e tpa --tpa.use-qe=yes a", "tpa", &[("tpa.use-qe", "yes")], |_| {}, 0),
        ("-e tpa --tpa.use-qe=true a", "tpa", &[("tpa.use-qe", "yes")], |_| {}, 0),
        ("-e imc --lra-itp-algorithm 1 a", "imc", &[("lra-itp-algorithm", "0")], |_| {}, 1),
        ("-e imc --lra-itp-algorithm 4 a", "imc", &[("lra-itp-algorithm", "4")], |_| {}, 0),
        ("-e spacer --termination-backend lasso-finder a", "spacer", &[], |_| {}, 1),
        ("-e bmc --force-ts a", "bmc", &[("force-ts", "yes")], |_| {}, 0),
        ("-e bmc --simplify-nested a", "bmc", &[("simplify-nested", "yes")], |_| {}, 0),
        ("-e spacer --print-wit a", "spacer", &[], |a| a.horn.print_witness = true, 0),
        ("-e spacer --valid a", "spacer", &[], |a| a.horn.validate = true, 0),
        (
            "-e spacer --proof-f intermediate a",
            "spacer",
            &[],
            |a| a.horn.proof_format = ProofFormat::Intermediate,
            0,
        ),
        (
            "-e spacer -vv --compute-witness=false a",
            "spacer",
            &[],
            |a| {
                a.horn.verbosity = 2;
                a.horn.compute_witness = Some(false);
            },
            0,
        ),
    ];
    for (line, name, settings, change, notes) in lines {
        let mut expected = Arguments::new(horn("a"));
        one(&mut expected, engine(name, settings));
        change(&mut expected);
        let found = parsed(line).unwrap_or_else(|Failure(words)| panic!("{line}: {words}"));
        assert_eq!(found.notes.len(), notes, "{line}: {:?}", found.notes);
        let words = settings.iter().map(|(name, value)| match *value {
            "yes" => format!("--{name}"),
            value => format!("--{name}={value}"),
        });
        expected.horn.engine_words = words.collect();
        expected.notes = found.notes.clone();
        assert_eq!(found, expected, "{line}");
    }
    // Without a file the problem comes from standard input.
    check("-l QF_LIA", horn("-"), |_| {});
    // In a mix, too.
    let line = ["-e", "dar, spacer", "a"].map(OsString::from);
    let mix = parse(&Registry::standard(), line.into_iter()).expect("a mix");
    assert_eq!(mix.horn.solve.engines, Engines::Mix(vec![Entry::new("imc", []), Entry::new("spacer", [])]));
    assert_eq!(mix.notes.len(), 1);
    // What is not unique is a mistake.
    assert!(parsed("--s 1 a").is_err());
}
