//! Engines that describe themselves: names, settings, choices, and an engine from outside.

use std::collections::BTreeSet;
use std::fmt::Debug;

use shem_base::{Budget, Statistics};
use shem_chc::{Graph, Shape};
use shem_engine::{
    Answers, BmcOptions, Configurable, Context, Engine, EngineDescription, Fragment, ImcSettings,
    KindSettings, LemmaKind, Make, NoEvents, Outcome, Reason, Registry, Scope, SettingError, Theories,
    ValueKind, Verdict, lawi, pdkind, settings, spacer, tpa, trl,
};
use shem_term::Store;

/// The fields that are no settings: limits that users have no reason to change.
const FIXED: [&str; 6] = [
    "interpolation.simplify",
    "interpolation.prune",
    "interpolation.retry_splits",
    ".forced_candidates",
    ".gas",
    ".cluster_gas",
];

/// Some texts that are values; all of them where there are few.
fn samples(kind: ValueKind) -> Vec<String> {
    match kind {
        ValueKind::Switch => vec!["yes".to_owned(), "no".to_owned()],
        ValueKind::Number { least, most } => {
            vec![least.to_string(), (least + 1).to_string(), most.to_string()]
        }
        ValueKind::NumberOr { least, word } => vec![least.to_string(), "7".to_owned(), word.to_owned()],
        ValueKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
        ValueKind::Text => vec!["some words".to_owned()],
    }
}

/// The innermost fields of a struct with their values, as lines `a.b: value`, of its text for debugging.
fn fields(text: &str) -> Vec<String> {
    let mut path: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let (name, value) = line.trim().split_once(": ").unwrap_or(("", line.trim()));
        match value {
            "}" | "}," | ")," => drop(path.pop()),
            _ if value.ends_with(['{', '(']) => path.push(name),
            _ => found.push(format!("{}.{name}: {value}", path.join("."))),
        }
    }
    found
}

fn check_table<S: Configurable + Debug>() {
    let default = fields(&format!("{:#?}", S::default()));
    let mut touched: BTreeSet<String> = BTreeSet::new();
    for row in S::ROWS {
        assert!(!row.help().is_empty() && !row.help().ends_with('.'), "{}", row.name());
        let text = row.get(&S::default());
        let mut settings = S::default();
        row.set(&mut settings, &text).expect("the default can be set");
        assert_eq!(row.get(&settings), text, "{}", row.name());
        for text in samples(row.kind()) {
            row.set(&mut settings, &text).expect("a value");
            assert_eq!(row.get(&settings), text, "{}", row.name());
            let changed = fields(&format!("{settings:#?}"));
            touched.extend(default.iter().filter(|&line| !changed.contains(line)).cloned());
        }
        let wrong = row.set(&mut settings, "such a value there is not");
        assert!(row.kind() == ValueKind::Text || wrong.is_err(), "{}", row.name());
    }
    for line in &default {
        let (name, _) = line.split_once(": ").expect("a field with its value");
        assert_eq!(touched.contains(line), !FIXED.contains(&name), "the field {line}");
    }
}

#[test]
fn every_field_has_a_row_that_reads_and_writes_it() {
    check_table::<BmcOptions>();
    check_table::<ImcSettings>();
    check_table::<KindSettings>();
    check_table::<lawi::Settings>();
    check_table::<pdkind::Settings>();
    check_table::<spacer::Settings>();
    check_table::<tpa::TpaSettings>();
    check_table::<trl::Settings>();
}

#[test]
fn names_are_unique_and_mean_one_thing() {
    let registry = Registry::standard();
    let names: BTreeSet<&str> = registry.names().collect();
    assert_eq!(names.len(), registry.engines().len());
    for engine in registry.engines() {
        assert_eq!(registry.choose(engine.name).expect("an engine").make().name(), engine.name);
        let settings = engine.settings();
        let names: BTreeSet<&str> = settings.iter().map(|setting| setting.name).collect();
        assert_eq!(names.len(), settings.len(), "{}", engine.name);
    }
    for shared in registry.settings() {
        for (engine, default) in &shared.engines {
            let settings = registry.engine(engine).expect("an engine").settings();
            let own = settings.iter().find(|own| own.name == shared.setting.name).expect("a setting");
            assert_eq!((own.kind, own.help), (shared.setting.kind, shared.setting.help));
            assert_eq!(&own.default, default);
        }
    }
}

#[test]
fn what_is_not_there_is_said() {
    let error = |name: &str| Registry::standard().choose(name).expect_err("no engine").to_string();
    assert!(error("dar").starts_with("the engine dar is not there yet; engines: bit-bmc, "));
    assert!(error("magic").starts_with("there is no engine magic; engines: bit-bmc, "));
    assert!(error("").starts_with("there is no engine"));
    let mut bmc = Registry::standard().choose("bmc").expect("an engine");
    let unknown = SettingError::Unknown { engine: "bmc", name: "spacer.clauses".to_owned() };
    assert_eq!(bmc.set("spacer.clauses", "no"), Err(unknown));
}

#[test]
fn choices_are_printed_and_compared() {
    let registry = Registry::standard();
    let mut one = registry.choose("split-tpa").expect("an engine");
    assert_eq!(one.to_string(), "split-tpa");
    for (name, value) in
        [("tpa.use-qe", "yes"), ("lra-itp-algorithm", "2"), ("force-ts", "yes"), ("simplify-nested", "yes")]
    {
        one.set(name, value).expect("a setting");
    }
    let words = ["--tpa.use-qe", "--lra-itp-algorithm=2", "--force-ts", "--simplify-nested"];
    assert_eq!(one.words(), words);
    let mut other = registry.choose("split-tpa").expect("an engine");
    assert_ne!(one, other);
    for word in words.iter().rev() {
        let (name, value) = word.split_once('=').unwrap_or((word, "yes"));
        other.set(name.trim_start_matches('-'), value).expect("a setting");
    }
    assert_eq!(one, other);
    assert_ne!(one, other.clone().instance(1));
    assert_eq!(one, other.instance(7));
    assert_eq!(
        one.set("tpa.base", "9").map_err(|error| error.to_string()),
        Err("tpa.base takes a number from 2 to 8, not '9'".to_owned())
    );
    assert_eq!(one.words(), words);
}

#[test]
fn graphs_are_prepared_as_the_engine_needs_them() {
    let registry = Registry::standard();
    for (name, for_transition_systems) in
        [("spacer", false), ("bmc", false), ("split-tpa", false), ("imc", true)]
    {
        let mut choice = registry.choose(name).expect("an engine");
        assert_eq!(choice.preparation().for_transition_systems, for_transition_systems, "{name}");
        assert!(!choice.preparation().without_nested_loops);
        choice.set("simplify-nested", "yes").expect("a setting");
        assert!(choice.preparation().without_nested_loops);
    }
    assert!(Fragment::All.includes(Shape::Nonlinear) && !Fragment::Linear.includes(Shape::Nonlinear));
    assert!(Fragment::Loops.needs_one_loop(Shape::Linear));
    assert!(!Fragment::Loops.needs_one_loop(Shape::Dag));
    assert!(Fragment::TransitionSystems.needs_one_loop(Shape::Dag));
}

#[test]
fn who_can_use_whose_lemmas() {
    let registry = Registry::standard();
    let related = |one: &str, other: &str| {
        let engine = |name| registry.engine(name).expect("an engine");
        engine(one).shares_steps_with(engine(other))
    };
    assert!(related("pdkind", "pdkind") && related("tpa", "split-tpa") && related("split-tpa", "tpa"));
    assert!(!related("pdkind", "tpa") && !related("spacer", "pdkind") && related("spacer", "spacer"));
}

/// An engine from outside: it knows nothing, and says so as often as it is told to.
#[derive(Debug)]
struct Modest {
    settings: ModestSettings,
}

settings! {
    /// Settings of an engine from outside.
    struct ModestSettings {
        times: u32 = 1, "modest.times" in 1..=3, "how often it says that it does not know";
        word: String = String::new(), "modest.word", "what it says";
    }
}

const MODEST: EngineDescription = EngineDescription {
    name: "modest",
    summary: "knows nothing",
    fragment: Fragment::All,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[LemmaKind::Invariant],
    variations: &[&[], &[("modest.times", "2")], &[("modest.times", "3")]],
    constructor: &Make { engine: |settings| Box::new(Modest { settings }) },
};

impl Engine for Modest {
    fn scope(&self) -> Scope {
        MODEST.scope()
    }

    fn search(&mut self, _: &mut Store, _: &Graph, _: &mut Context<'_>) -> Verdict {
        Outcome::Unknown(Reason::broken(self.settings.word.repeat(self.settings.times as usize)))
    }
}

#[test]
fn an_engine_from_outside_can_be_chosen_configured_and_run() {
    check_table::<ModestSettings>();
    let registry = Registry::standard().with(MODEST);
    let mut choice = registry.choose("modest").expect("it was added");
    choice.set("modest.word", "no ").expect("a setting");
    let run = |mut engine: Box<dyn Engine>| {
        let mut context = Context {
            budget: Budget::unlimited(),
            seed: 0,
            witness: false,
            events: &mut NoEvents,
            statistics: Statistics::new(),
        };
        match engine.solve(&mut Store::new(), &Graph::new(), &mut context) {
            Outcome::Unknown(reason) => reason.to_string(),
            _ => panic!("it knows nothing"),
        }
    };
    assert_eq!(run(choice.clone().instance(2).make()), "no no no ");
    assert_eq!(run(choice.clone().instance(3).make()), "no ");
    choice.set("modest.times", "1").expect("a setting");
    assert_eq!(run(choice.clone().instance(2).make()), "no ");
    assert!(registry.settings().iter().any(|shared| shared.setting.name == "modest.times"));
    let count = Registry::standard().engines().len();
    assert_eq!(Registry::standard().with(MODEST).with(MODEST).engines().len(), count + 1);
}
