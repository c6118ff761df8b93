//! One script, two solvers, and a judgement.
//!
//! Three passes over a slice of scripts. First z3 decides every check, and a second oracle if there is one: what z3
//! leaves open it may decide, and if the two contradict each other, the script judges nobody. Then Shem runs the scripts, with
//! a request for the model after each check that is satisfiable and for the core after each that is
//! not; since z3's answer chose the request, a disagreement shows as a wrong answer before the request
//! can fail. Last z3 judges all models and cores. Each pass is one batch.

use crate::batch::{Oracle, Reply, Solver};
use crate::judge::{self, Answer};
use crate::script::{self, Check, Constant};
use crate::sexpr::Sexpr;
use std::fmt;
use std::io;

/// What kind of claim failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The two solvers contradict each other.
    Answer,
    /// Shem said unknown where z3 has an answer.
    Unknown,
    /// Shem gave no answer at all: crash or time limit.
    Unanswered,
    /// Shem said something else than an answer, such as an error. Shrinking must not take it for the lack of an
    /// answer: a script that is no longer well-formed for Shem is easily found.
    Error,
    /// A model does not satisfy the assertions.
    Model,
    /// A core is satisfiable.
    Core,
    /// An interpolant does not follow, does not contradict, or has a symbol that is not shared.
    Interpolant,
    /// The script itself is wrong: z3 rejects it.
    Script,
}

/// A failed script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What failed.
    pub kind: Kind,
    /// The number of the check it failed at, from 0.
    pub check: usize,
    /// What was said and what was expected.
    pub detail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Answer => "wrong answer",
            Kind::Unknown | Kind::Unanswered => "no answer",
            Kind::Error => "error",
            Kind::Model => "wrong model",
            Kind::Core => "wrong core",
            Kind::Interpolant => "wrong interpolant",
            Kind::Script => "bad script",
        };
        write!(f, "{kind} at check {}: {}", self.check, self.detail)
    }
}

/// How many claims were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that z3 found satisfiable.
    pub sat: usize,
    /// Checks that z3 found unsatisfiable.
    pub unsat: usize,
    /// Checks, cores and interpolants that z3 did not decide in its time.
    pub undecided: usize,
    /// Models judged.
    pub models: usize,
    /// Cores judged.
    pub cores: usize,
    /// Interpolants judged.
    pub interpolants: usize,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.undecided += other.undecided;
        self.models += other.models;
        self.cores += other.cores;
        self.interpolants += other.interpolants;
    }
}

/// A question that follows a check.
#[derive(Clone, Debug)]
enum Request {
    Values(Vec<Constant>, Vec<Sexpr>),
    Model(Vec<Constant>),
    Core,
    Assumptions,
}

/// A script on its way through the passes.
struct Case {
    checks: Vec<Check>,
    expected: Vec<Answer>,
    requests: Vec<Vec<Request>>,
    failure: Option<Failure>,
}

/// A claim that waits for the oracle.
struct Claim {
    case: usize,
    check: usize,
    kind: Kind,
    expected: Answer,
    said: String,
}

/// Decides the checks of scripts by z3 alone. An error is a sentence on why a script is not one.
pub fn decide(oracle: &Oracle, scripts: &[Vec<Sexpr>]) -> io::Result<Vec<Result<Vec<Answer>, String>>> {
    let checks: Vec<_> = scripts.iter().map(|commands| script::checks(commands)).collect();
    let problems: Vec<_> = checks.iter().flatten().flatten().map(judge::whole).collect();
    let mut answers = oracle.decide(&problems)?.into_iter();
    let decided = checks.into_iter().map(|checks| {
        // All answers of a script are taken off the stream, also those after an error.
        let answers: Vec<_> = answers.by_ref().take(checks.as_ref().map_or(0, Vec::len)).collect();
        checks?;
        answers.into_iter().collect()
    });
    Ok(decided.collect())
}

/// Compares a solver with recorded answers, its own judge for want of another: each model and core is
/// turned into a problem that the solver must then decide as a correct one would be.
pub fn rehearse(solver: &dyn Solver, commands: &[Sexpr], recorded: &[Answer]) -> io::Result<Option<Failure>> {
    let bad = |detail| Ok(Some(Failure { kind: Kind::Script, check: 0, detail }));
    let checks = match script::checks(commands) {
        Ok(checks) if checks.len() == recorded.len() => checks,
        Ok(checks) => return bad(format!("{} checks, {} recorded answers", checks.len(), recorded.len())),
        Err(detail) => return bad(detail),
    };
    let requests = (0..checks.len()).map(|index| requests(commands, &checks, recorded, index)).collect();
    let case = Case { checks, expected: recorded.to_vec(), requests, failure: None };
    let replies = solver.respond(&[augment(commands, &case)])?;
    let reply = replies.first().ok_or_else(|| io::Error::other("no reply"))?;
    let (mut claims, mut problems) = (Vec::new(), Vec::new());
    if let Err(failure) = read_claims(&case, 0, reply, &mut claims, &mut problems) {
        return Ok(Some(failure));
    }
    let problems: Vec<_> = problems.into_iter().map(|problem| problem + "(check-sat)\n").collect();
    for (claim, reply) in claims.iter().zip(solver.respond(&problems)?) {
        let judged = reply.responses.first().and_then(Sexpr::text).and_then(Answer::read);
        if judged != Some(claim.expected) || reply.trouble.is_some() {
            let detail = format!("{}: judged {judged:?} {}", claim.said, reply.trouble.unwrap_or_default());
            return Ok(Some(Failure { kind: claim.kind, check: claim.check, detail }));
        }
    }
    Ok(None)
}

/// Decides the checks of scripts by both oracles. What one of them rejects is left to the other.
fn decide_twice(
    oracle: &Oracle,
    second: Option<&Oracle>,
    scripts: &[Vec<Sexpr>],
) -> io::Result<Vec<Result<Vec<Answer>, String>>> {
    let mut decided = decide(oracle, scripts)?;
    let Some(second) = second else { return Ok(decided) };
    for (first, second) in decided.iter_mut().zip(decide(second, scripts)?) {
        let (Ok(answers), Ok(others)) = (&mut *first, second) else { continue };
        let mut contradiction = None;
        for (check, (answer, other)) in answers.iter_mut().zip(others).enumerate() {
            match (*answer, other) {
                (Answer::Unknown, other) => *answer = other,
                (_, Answer::Unknown) => {}
                (answer, other) if answer != other => {
                    contradiction =
                        Some(format!("the oracles say {answer:?} and {other:?} of check {check}"));
                }
                _ => {}
            }
        }
        if let Some(contradiction) = contradiction {
            *first = Err(contradiction);
        }
    }
    Ok(decided)
}

/// Compares the two solvers on scripts: for each the failure, if there is one, and the tally of all.
pub fn compare(
    oracle: &Oracle,
    second: Option<&Oracle>,
    subject: &dyn Solver,
    scripts: &[Vec<Sexpr>],
) -> io::Result<(Vec<Option<Failure>>, Tally)> {
    let mut tally = Tally::default();
    let mut cases = Vec::with_capacity(scripts.len());
    let mut augmented = Vec::with_capacity(scripts.len());
    for (commands, decided) in scripts.iter().zip(decide_twice(oracle, second, scripts)?) {
        let checks = script::checks(commands).unwrap_or_default();
        let case = match decided {
            Err(detail) => Case {
                checks,
                expected: Vec::new(),
                requests: Vec::new(),
                failure: Some(Failure { kind: Kind::Script, check: 0, detail }),
            },
            Ok(expected) => {
                for answer in &expected {
                    match answer {
                        Answer::Sat => tally.sat += 1,
                        Answer::Unsat => tally.unsat += 1,
                        Answer::Unknown => tally.undecided += 1,
                    }
                }
                let requests = (0..checks.len()).map(|index| requests(commands, &checks, &expected, index));
                Case { requests: requests.collect(), checks, expected, failure: None }
            }
        };
        augmented.push(if case.failure.is_none() { augment(commands, &case) } else { String::new() });
        cases.push(case);
    }
    let mut claims = Vec::new();
    let mut problems = Vec::new();
    for (index, reply) in subject.respond(&augmented)?.iter().enumerate() {
        let case = &mut cases[index];
        if case.failure.is_none() {
            case.failure = read_claims(case, index, reply, &mut claims, &mut problems).err();
        }
    }
    for (claim, judged) in claims.iter().zip(oracle.decide(&problems)?) {
        match claim.kind {
            Kind::Core => tally.cores += 1,
            _ => tally.models += 1,
        }
        let verdict = match judged {
            Ok(answer) if answer == claim.expected => continue,
            Ok(Answer::Unknown) => {
                tally.undecided += 1;
                continue;
            }
            Ok(_) => String::new(),
            Err(error) => format!(" ({error})"),
        };
        let detail = format!("{}{verdict}", claim.said);
        cases[claim.case].failure.get_or_insert(Failure { kind: claim.kind, check: claim.check, detail });
    }
    Ok((cases.into_iter().map(|case| case.failure).collect(), tally))
}

/// What to ask after a check: its model by turns as values and as a model, or its cores.
fn requests(commands: &[Sexpr], checks: &[Check], expected: &[Answer], index: usize) -> Vec<Request> {
    let check = &checks[index];
    match expected[index] {
        Answer::Unknown => Vec::new(),
        Answer::Sat => {
            let constants = check.constants();
            if index % 2 == 1 || constants.is_empty() {
                vec![Request::Model(constants)]
            } else {
                vec![Request::Values(constants, probes(check))]
            }
        }
        Answer::Unsat => {
            let before = &commands[..check.command];
            let mut requests = Vec::new();
            if is_set(before, ":produce-unsat-cores") {
                requests.push(Request::Core);
            }
            if check.assumptions.is_some() && is_set(before, ":produce-unsat-assumptions") {
                requests.push(Request::Assumptions);
            }
            requests
        }
    }
}

/// Whether a Boolean option is on after these commands.
fn is_set(commands: &[Sexpr], option: &str) -> bool {
    let mut on = false;
    for command in commands {
        match (command.head(), command.list()) {
            (Some("set-option"), Some([_, key, value])) if key.text() == Some(option) => {
                on = value.text() == Some("true");
            }
            (Some("reset"), _) => on = false,
            _ => {}
        }
    }
    on
}

/// Terms whose values are asked for beside the constants: an assertion and a term inside it, unless they have
/// quantifiers, which models give no value.
fn probes(check: &Check) -> Vec<Sexpr> {
    let Some(assertion) = check.assertions.last() else { return Vec::new() };
    let mut probes = vec![assertion.formula.clone()];
    let mut inner = &assertion.formula;
    // Only operators that bind nothing are entered, so the inner term is closed.
    while let Some("and" | "or" | "not" | "=>" | "<=" | "<" | ">=" | ">" | "+" | "ite") = inner.head() {
        match inner.list().and_then(<[Sexpr]>::last) {
            Some(next @ Sexpr::List(_)) => inner = next,
            _ => break,
        }
    }
    if *inner != assertion.formula {
        probes.push(inner.clone());
    }
    probes.retain(|term| !has_quantifier(term));
    probes
}

fn has_quantifier(term: &Sexpr) -> bool {
    matches!(term.head(), Some("forall" | "exists")) || term.list().into_iter().flatten().any(has_quantifier)
}

/// The script with its requests.
fn augment(commands: &[Sexpr], case: &Case) -> String {
    let mut text = String::new();
    let mut next = 0;
    for (position, command) in commands.iter().enumerate() {
        if command.head() == Some("exit") {
            break;
        }
        text.push_str(&command.to_string());
        text.push('\n');
        if case.checks.get(next).is_some_and(|check| check.command == position) {
            for request in &case.requests[next] {
                text.push_str(&request.to_string());
                text.push('\n');
            }
            next += 1;
        }
    }
    text
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(constants, terms) => {
                f.write_str("(get-value (")?;
                for constant in constants {
                    write!(f, "{} ", constant.name)?;
                }
                for term in terms {
                    write!(f, "{term} ")?;
                }
                f.write_str("))")
            }
            Self::Model(_) => f.write_str("(get-model)"),
            Self::Core => f.write_str("(get-unsat-core)"),
            Self::Assumptions => f.write_str("(get-unsat-assumptions)"),
        }
    }
}

/// Reads a reply against what is expected; the models and cores in it become claims.
fn read_claims(
    case: &Case,
    index: usize,
    reply: &Reply,
    claims: &mut Vec<Claim>,
    problems: &mut Vec<String>,
) -> Result<(), Failure> {
    let mut responses = reply.responses.iter();
    for (number, check) in case.checks.iter().enumerate() {
        let fail = |kind, detail| Failure { kind, check: number, detail };
        let silence = || {
            let trouble = reply.trouble.clone();
            fail(Kind::Unanswered, trouble.unwrap_or_else(|| "a response is missing".to_owned()))
        };
        let response = responses.next().ok_or_else(silence)?;
        let said = response.text().and_then(Answer::read);
        match (case.expected[number], said) {
            (Answer::Unknown, Some(_)) => {}
            (expected, Some(said)) if expected == said => {}
            (expected, Some(Answer::Unknown)) => {
                return Err(fail(Kind::Unknown, format!("unknown, z3 says {expected:?}")));
            }
            (expected, Some(said)) => {
                return Err(fail(Kind::Answer, format!("{said:?}, z3 says {expected:?}")));
            }
            (_, None) => return Err(fail(Kind::Error, format!("{response} is no answer"))),
        }
        for request in &case.requests[number] {
            let response = responses.next().ok_or_else(silence)?;
            let (kind, expected, problem) = match request {
                Request::Values(constants, terms) => {
                    let valuation = judge::read_values(response, constants, terms);
                    let problem = valuation.map(|valuation| judge::with_values(check, &valuation));
                    (Kind::Model, Answer::Sat, problem)
                }
                Request::Model(constants) => {
                    let valuation = judge::read_model(response, constants);
                    let problem = valuation.map(|valuation| judge::with_values(check, &valuation));
                    (Kind::Model, Answer::Sat, problem)
                }
                Request::Core => (Kind::Core, Answer::Unsat, judge::core(check, response)),
                Request::Assumptions => (Kind::Core, Answer::Unsat, judge::assumption_core(check, response)),
            };
            problems.push(problem.map_err(|detail| fail(kind, format!("{detail}: {response}")))?);
            claims.push(Claim { case: index, check: number, kind, expected, said: response.to_string() });
        }
    }
    match (&reply.trouble, responses.next()) {
        (None, None) => Ok(()),
        (trouble, surplus) => {
            let surplus = surplus.map(|response| format!("surplus response {response}"));
            let detail = trouble.clone().or(surplus).unwrap_or_default();
            let check = case.checks.len().saturating_sub(1);
            Err(Failure { kind: Kind::Unanswered, check, detail })
        }
    }
}
