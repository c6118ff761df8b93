//! What `--json` writes has the form of `docs/json.schema.json`.
//!
//! The validator knows the words of JSON Schema that the file uses, and fails on any other: then it has to learn it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

fn schema() -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON")
}

/// Checks a value against a schema; the error says where it differs.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let refuse = |words: &str| Err(format!("{at}: {words}: {value}"));
    let Value::Object(rules) = schema else { return refuse("no schema") };
    let empty = serde_json::Map::new();
    let members = value.as_object().unwrap_or(&empty);
    let has = |name: &Value| members.contains_key(name.as_str().unwrap_or_default());
    for (rule, wanted) in rules {
        let list = || wanted.as_array().expect("a list").iter();
        match rule.as_str() {
            "$schema" | "title" | "$defs" | "then" | "else" => {}
            "$ref" => {
                let name = wanted.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("a path");
                validate(root, &root["$defs"][name], value, at)?;
            }
            "type" => {
                let fits = match wanted.as_str() {
                    Some("object") => value.is_object(),
                    Some("array") => value.is_array(),
                    Some("string") => value.is_string(),
                    Some("integer") => value.is_u64() || value.is_i64(),
                    Some("number") => value.is_number(),
                    other => panic!("the type {other:?}"),
                };
                if !fits {
                    return refuse(&format!("is not of type {wanted}"));
                }
            }
            "const" if value != wanted => return refuse(&format!("is not {wanted}")),
            "enum" if !list().any(|one| one == value) => return refuse(&format!("is none of {wanted}")),
            "minimum" if value.as_f64() < wanted.as_f64() => return refuse("is too small"),
            "minItems"
                if (value.as_array().map_or(0, Vec::len) as u64) < wanted.as_u64().expect("a number") =>
            {
                return refuse("is too short");
            }
            "const" | "enum" | "minimum" | "minItems" => {}
            "required" if list().any(|name| !has(name)) => return refuse(&format!("lacks one of {wanted}")),
            "required" => {}
            "dependentRequired" => {
                for (name, others) in wanted.as_object().expect("an object") {
                    let complete = others.as_array().expect("a list").iter().all(has);
                    if members.contains_key(name) && !complete {
                        return refuse(&format!("has {name} without {others}"));
                    }
                }
            }
            "properties" => {
                for (name, member) in members {
                    if let Some(own) = wanted.get(name) {
                        validate(root, own, member, &format!("{at}.{name}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = rules.get("properties");
                for (name, member) in
                    members.iter().filter(|(name, _)| known.is_none_or(|k| k.get(name).is_none()))
                {
                    match wanted {
                        Value::Bool(false) => return refuse(&format!("has {name}")),
                        own => validate(root, own, member, &format!("{at}.{name}"))?,
                    }
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, wanted, item, &format!("{at}[{i}]"))?;
                }
            }
            "oneOf" => {
                let fitting = list().filter(|one| validate(root, one, value, at).is_ok()).count();
                if fitting != 1 {
                    return refuse(&format!("fits {fitting} forms"));
                }
            }
            "not" if validate(root, wanted, value, at).is_ok() => return refuse("is what it must not be"),
            "not" => {}
            "if" => {
                let branch = if validate(root, wanted, value, at).is_ok() { "then" } else { "else" };
                if let Some(own) = rules.get(branch) {
                    validate(root, own, value, at)?;
                }
            }
            other => panic!("the word {other} of JSON Schema is not known here"),
        }
    }
    Ok(())
}

/// The object that a run writes, after it was validated.
#[track_caller]
fn run(args: &[&str], input: &str, code: i32) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.arg("--json").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let out = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {out}");
    assert_eq!(out.lines().count(), 1, "{out}");
    let object: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    let schema = schema();
    validate(&schema, &schema, &object, "output").unwrap_or_else(|error| panic!("{error}\n{out}"));
    assert_eq!(object["exit_code"], code);
    object
}

const COUNTER: &str = "(set-logic HORN)
(declare-fun |the inv| (Int Real) Bool)
(assert (forall ((x Int)) (=> (= x 0) (|the inv| x 0.5))))
(assert (forall ((x Int) (r Real)) (=> (|the inv| x r) (|the inv| (+ x 1) (- r)))))
";

#[test]
fn arguments_about_runs_are_texts() {
    for (args, answer, kind) in [
        (&["--terminates", "-"][..], "NO", ""),
        (&["--terminates", "--print-witness", "-"], "NO", "recurrence"),
    ] {
        let check = &run(args, COUNTER, 0)["checks"][0];
        assert_eq!((&check["answer"], &check["checked"]), (&answer.into(), &"witness".into()));
        assert_eq!(check["witness"]["kind"].as_str().unwrap_or_default(), kind);
    }
    let products = COUNTER.replace("(+ x 1)", "(* x x)");
    let check = &run(&["--terminates", "-"], &products, 0)["checks"][0];
    assert_eq!((&check["answer"], check["reason"].is_string()), (&"MAYBE".into(), true));
}

#[test]
fn derivations_are_steps() {
    let script = format!(
        "{COUNTER}(assert (forall ((x Int) (r Real)) (=> (and (|the inv| x r) (= x 1)) false)))(check-sat)"
    );
    for args in [&["--print-witness", "-"][..], &["--print-witness", "-e", "bmc", "-p", "intermediate", "-"]]
    {
        let object = run(args, &script, 0);
        let check = &object["checks"][0];
        assert_eq!((&check["answer"], &check["checked"]), (&"unsat".into(), &"witness".into()));
        let steps = check["witness"]["steps"].as_array().expect("steps");
        assert_eq!(steps.len(), 3);
        let step = |number: u64, predicate: &str, values: &[&str], premises: &[u64], line: u64| serde_json::json!({ "step": number, "predicate": predicate, "values": values, "premises": premises, "clause": number, "line": line });
        assert_eq!(steps[0], step(1, "|the inv|", &["0", "(/ 1.0 2.0)"], &[], 3));
        assert_eq!(steps[1], step(2, "|the inv|", &["1", "(- (/ 1.0 2.0))"], &[1], 4));
        assert_eq!(steps[2], step(3, "false", &[], &[2], 5));
        assert_eq!(check["witness"].get("text").is_some(), args.len() > 2);
        assert_eq!(check["counts"]["read.clauses"], 3);
        assert!(check["seconds"]["total"].is_f64());
        assert!(object["peak_memory_bytes"].as_u64().is_some_and(|bytes| bytes > 10_000));
    }
}

#[test]
fn models_are_definitions() {
    let script = format!(
        "{COUNTER}(assert (forall ((x Int) (r Real)) (=> (and (|the inv| x r) (< x 0)) false)))(check-sat)"
    );
    let object = run(&["--print-witness", "-e", "spacer", "-"], &script, 0);
    let witness = &object["checks"][0]["witness"];
    assert_eq!(witness["kind"], "model");
    let definition = &witness["definitions"][0];
    assert_eq!(definition["predicate"], "|the inv|");
    assert_eq!(definition["parameters"][1], serde_json::json!({ "name": "r", "sort": "Real" }));
    assert!(definition["body"].as_str().is_some_and(|body| body.contains("(>= x 0)")), "{definition}");
    let object = run(&["-"], &script, 0);
    assert!(object["checks"][0].get("witness").is_none(), "it was not asked for");
}

#[test]
fn properties_have_their_own_words() {
    let file = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun i () Int)(define-fun s () Int (! x :next y))
        (define-fun a () Bool (! (= x 0) :init true))(define-fun b () Bool (! (and (= y (+ x i)) (= i 2)) :trans true))
        (define-fun good () Bool (! (>= x 0) :invar-property 1))(define-fun bad () Bool (! (< x 2) :invar-property 4))
        (define-fun live () Bool (! (< x 2) :live-property 5))";
    let object = run(&["--print-witness", "-e", "spacer", "-"], file, 0);
    let checks = object["checks"].as_array().expect("checks");
    assert_eq!(
        checks[0]["property"],
        serde_json::json!({ "kind": "invar-property", "index": 1, "name": "good" })
    );
    assert_eq!(checks[0]["witness"]["definitions"][0]["predicate"], "invariant");
    let states = serde_json::json!([
        { "inputs": {}, "state": { "x": "0" } },
        { "inputs": { "i": "2" }, "state": { "x": "2" } },
    ]);
    assert_eq!(checks[1]["witness"], serde_json::json!({ "kind": "trace", "states": states }));
    assert_eq!((&checks[2]["answer"], checks.len()), (&"unsat".into(), 3));
    assert_eq!(checks[2]["witness"]["kind"], "recurrence");
}

#[test]
fn several_checks_have_one_layout() {
    let object = run(&["-e", "spacer", "-"], "(set-logic HORN)", 0);
    assert_eq!(object["checks"], serde_json::json!([]));
    let script = "(declare-fun p () Bool)(check-sat)(assert p)(assert (not p))(check-sat)";
    let object = run(&["-e", "spacer", "-"], script, 0);
    let answers: Vec<&Value> =
        object["checks"].as_array().expect("checks").iter().map(|check| &check["answer"]).collect();
    assert_eq!(answers, ["sat", "unsat"]);
}

#[test]
fn mistakes_are_objects() {
    let object = run(&["-"], "(declare-fun p () Bool)(check-sat)\n  (asert p)", 1);
    assert_eq!(object["checks"][0]["answer"], "sat", "an answer that was found is not lost");
    let error = &object["error"];
    assert_eq!((&error["line"], &error["column"]), (&2.into(), &4.into()));
    assert_eq!(error["message"], "the command asert is not known; did you mean assert?");
    for args in [&["--no-such-option", "-"][..], &["/no/such/file"], &["-e", "none", "-"], &["-t", "x", "-"]]
    {
        assert!(run(args, "", 1)["error"]["message"].is_string(), "{args:?}");
    }
}

#[test]
fn limits_are_reasons() {
    let endless = "(declare-fun p (Int) Bool)(assert (p 0))(assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
        (assert (forall ((x Int)) (=> (and (p x) (= x 7)) false)))(check-sat)";
    let object = run(&["-t", "0.5", "-e", "bmc", "--disable-pass", "equalities,invariants", "-"], endless, 0);
    assert_eq!(object["checks"][0]["answer"], "unknown");
    assert_eq!(object["checks"][0]["reason"], "the time limit of 0.5 s is reached");
}
