//! Processes that join a run through a real Redis server.
//!
//! Where there is no `redis-server`, the tests say so in one line and end; they fail if `SHEM_REQUIRE_REDIS` is set.

#![cfg(feature = "redis")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use shem_exchange::{PREFIX, VERSION};
use shem_test_support::external::REDIS;

/// Two counters that go together; bad, if the second one falls behind. Nobody can count through them.
const SAFE: &str = "(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int) (z Int) (w Int))
  (=> (and (inv x y) (= z (+ x 1)) (= w (+ y 1))) (inv z w))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 3) (< y x)) false)))
(check-sat)
";

/// The same, but the second counter has lost a step at forty.
const UNSAFE: &str = "(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int) (z Int) (w Int))
  (=> (and (inv x y) (= z (+ x 1)) (= w (ite (= y 40) y (+ y 1)))) (inv z w))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 45) (not (= x y))) false)))
(check-sat)
";

/// What a broker that has said nothing for so long has said is all of its answer.
const SILENCE: Duration = Duration::from_millis(300);

struct Broker {
    child: Child,
    port: u16,
    folder: PathBuf,
}

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shem-join-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

impl Broker {
    fn start(name: &str) -> Option<Broker> {
        Broker::start_with(folder(name), |port| vec!["--port".to_owned(), port.to_string()])
    }

    /// Starts a server that listens as these words for a port say.
    ///
    /// A port that was free a moment ago may be taken by now: such a server ends at once, and the next port is
    /// tried. That something answers at the port says little, since it may be a stranger that is about to leave;
    /// the socket in the folder belongs to this very server, and it opens it after the port.
    fn start_with(folder: PathBuf, listening: impl Fn(u16) -> Vec<String>) -> Option<Broker> {
        let socket = folder.join("socket");
        let since = Instant::now();
        loop {
            let port =
                TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
            let started = Command::new("redis-server")
                .args(listening(port))
                .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
                .arg("--unixsocket")
                .arg(&socket)
                .arg("--dir")
                .arg(&folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let Ok(mut child) = started else {
                REDIS.is_absent();
                return None;
            };
            while child.try_wait().expect("the broker is a child").is_none() {
                if UnixStream::connect(&socket).is_ok() && TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Some(Broker { child, port, folder });
                }
                if since.elapsed() > Duration::from_secs(60) {
                    let _ = child.kill();
                    panic!("the broker does not listen");
                }
                thread::sleep(Duration::from_millis(20));
            }
            assert!(since.elapsed() < Duration::from_secs(60), "the broker does not start");
        }
    }

    /// Kills the server, and starts one at the same port that knows nothing.
    fn restart(&mut self) {
        self.child.kill().expect("the broker can be killed");
        self.child.wait().expect("the broker ends");
        let socket = self.folder.join("socket");
        let since = Instant::now();
        loop {
            // Another program may have the port for a moment.
            let mut child = Command::new("redis-server")
                .args([
                    "--port",
                    &self.port.to_string(),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                ])
                .arg("--unixsocket")
                .arg(&socket)
                .arg("--dir")
                .arg(&self.folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the broker was started before");
            while child.try_wait().expect("the broker is a child").is_none() {
                if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                    self.child = child;
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
            assert!(since.elapsed() < Duration::from_secs(60), "the broker does not start again");
        }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/test", self.port)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn wire(&self) -> Wire {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
        Wire { stream }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The protocol of the broker, as far as a forger needs it.
struct Wire {
    stream: TcpStream,
}

fn command(words: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend_from_slice(word);
        bytes.extend(b"\r\n");
    }
    bytes
}

impl Wire {
    /// What the broker answers until it is silent.
    fn ask(&mut self, words: &[&[u8]]) -> String {
        self.stream.write_all(&command(words)).expect("the broker listens");
        let mut answer = Vec::new();
        let mut buffer = [0; 1 << 16];
        while let Ok(count) = self.stream.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..count]);
            if count == 0 {
                break;
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn keys(&mut self, end: &str) -> Vec<String> {
        let answer = self.ask(&[b"KEYS", b"shem:*"]);
        answer.lines().filter(|line| line.ends_with(end)).map(str::to_owned).collect()
    }

    /// Adds messages to a stream, many at once.
    fn add(&mut self, key: &str, messages: &[Vec<u8>]) -> std::io::Result<()> {
        self.stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let added = self.add_all(key, messages);
        self.stream.set_read_timeout(Some(SILENCE))?;
        added
    }

    fn add_all(&mut self, key: &str, messages: &[Vec<u8>]) -> std::io::Result<()> {
        for load in messages.chunks(200) {
            let mut bytes = Vec::new();
            for message in load {
                bytes.extend(command(&[b"XADD", key.as_bytes(), b"*", b"m", message]));
            }
            self.stream.write_all(&bytes)?;
            let mut answer = [0; 1 << 16];
            while self.stream.read(&mut answer)? == answer.len() {}
        }
        Ok(())
    }
}

fn shem(url: &str, arguments: &[&str], file: &Path) -> Child {
    shem_with(&[], url, arguments, file)
}

/// The same with variables of the environment.
fn shem_with(variables: &[(&str, &Path)], url: &str, arguments: &[&str], file: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_shem"))
        .envs(variables.iter().copied())
        // With this algorithm PD-KIND decides the safe problem at once.
        .args(["--json", "-t", "240", "--lra-itp-algorithm", "0", "--join", url])
        // The problems are left to engines.
        .args(["--disable-pass", "equalities,invariants"])
        .args(arguments)
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("shem runs")
}

fn text(output: &Output) -> (String, String) {
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (read(&output.stdout), read(&output.stderr))
}

fn text_of(child: Child) -> (String, String) {
    text(&child.wait_with_output().expect("shem ends"))
}

fn expect(child: Child, answer: &str) -> (String, String) {
    let (out, err) = text_of(child);
    assert!(out.contains(&format!("\"answer\":\"{answer}\"")), "not {answer}:\n{out}\n{err}");
    assert!(!out.contains("\"checked\":\"nothing\""), "nothing was checked:\n{out}\n{err}");
    (out, err)
}

#[test]
fn three_processes_help_each_other() {
    let Some(broker) = Broker::start("three") else { return };
    let file = broker.file("safe.smt2", SAFE);
    // Bounded model checking alone would go on for ever: its answer comes from the others.
    let engines = ["bmc", "pdkind", "spacer"];
    let children: Vec<Child> =
        engines.iter().map(|engine| shem(&broker.url(), &["-e", engine], &file)).collect();
    let answers: Vec<(String, String)> = children.into_iter().map(|child| expect(child, "sat")).collect();
    assert!(answers[0].0.contains("\"engine\":\"peer\""), "{:?}", answers[0]);
    // Who comes later learns the answer at once, and checks it, too.
    let (out, _) = expect(shem(&broker.url(), &["-e", "bmc"], &file), "sat");
    assert!(out.contains("\"engine\":\"peer\""), "{out}");
}

/// Whoever finds the verdict, and whatever shows it, all processes that run come to it.
#[test]
fn a_verdict_reaches_every_process() {
    let Some(broker) = Broker::start("every") else { return };
    // Two numbers that swap places: inductive in two steps, and not in one.
    let swapping = "(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 1) (= y 2) (= z 3)) (inv x y z))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (inv x y z) (inv y z x))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (= x y)) false)))
(check-sat)
";
    // Two phases with an error at the end of the second one.
    let phases = "(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 50)) (inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 100)) (inv (+ x 1) (ite (< x 50) y (+ y 1))))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (= x y) (>= x 100)) false)))
(check-sat)
";
    let problems = [
        ("safe", SAFE, "sat"),
        ("unsafe", UNSAFE, "unsat"),
        ("swapping", swapping, "sat"),
        ("phases", phases, "unsat"),
    ];
    for (name, text, answer) in problems {
        let file = broker.file(&format!("{name}.smt2"), text);
        for engines in [["spacer", "pdkind", "split-tpa"], ["kind", "bmc", "imc"]] {
            let children = engines.map(|engine| (engine, shem(&broker.url(), &["-e", engine], &file)));
            for (engine, child) in children {
                let (out, err) = text_of(child);
                assert!(
                    out.contains(&format!("\"answer\":\"{answer}\"")),
                    "{engine} on {name}: not {answer}:\n{out}\n{err}"
                );
            }
            // What was found would make the next round too easy.
            broker.wire().ask(&[b"FLUSHALL"]);
        }
    }
}

/// The figures of this kind in an answer, by the names of the workers that they are about.
fn figures<'t>(out: &'t str, kind: &str) -> Vec<(&'t str, f64)> {
    let mut found = Vec::new();
    for (at, _) in out.match_indices(kind) {
        let (name, rest) = out[at + kind.len()..].split_once("\":").expect("a member of an object");
        let number = rest.split([',', '}']).next().expect("a number");
        found.push((name, number.parse().expect("a number")));
    }
    found
}

#[test]
fn processes_without_an_engine_take_different_parts_of_the_strategy() {
    let Some(broker) = Broker::start("parts") else { return };
    let files = [(broker.file("safe.smt2", SAFE), "sat"), (broker.file("unsafe.smt2", UNSAFE), "unsat")];
    for (file, answer) in &files {
        // One after the other, so that it is known who is the first.
        let (first, err) = expect(shem(&broker.url(), &["--jobs", "1"], file), answer);
        assert!(!err.contains("alone"), "{err}");
        let mut wire = broker.wire();
        let verdicts = wire.keys(":verdicts").pop().expect("the verdict was told");
        let counter = wire.keys(":processes").pop().expect("processes are counted");
        wire.ask(&[b"DEL", verdicts.as_bytes()]);
        assert!(wire.ask(&[b"GET", counter.as_bytes()]).contains("\n1\r"), "one process has joined");
        let (second, _) = expect(shem(&broker.url(), &["--jobs", "1"], file), answer);
        // Both have all entries; after the quick one, which is no part, the entry that comes first is another one.
        let (first, second) = (figures(&first, "portfolio.time."), figures(&second, "portfolio.time."));
        let engines = |parts: &[(&str, f64)]| -> Vec<String> {
            parts.iter().map(|(name, _)| name.split_once('.').expect("an engine").1.to_owned()).collect()
        };
        let (first, second) = (engines(&first), engines(&second));
        assert!(first.len() > 2 && first[1] != second[1], "{first:?} {second:?}");
        assert!(first.iter().all(|engine| second.contains(engine)), "{first:?} {second:?}");
        wire.ask(&[b"FLUSHALL"]);
        // At once: each comes to the answer, its own or that of the other, and checks it.
        let both = [shem(&broker.url(), &["-j", "2"], file), shem(&broker.url(), &["-j", "2"], file)];
        for child in both {
            expect(child, answer);
        }
        wire.ask(&[b"FLUSHALL"]);
    }
}

#[test]
fn a_mix_joins_with_others() {
    let Some(broker) = Broker::start("mix") else { return };
    let file = broker.file("safe.smt2", SAFE);
    // Neither of these decides it: the workers of the mix get their answer from the other process.
    let mix = shem(&broker.url(), &["-e", "bmc,bmc --seed 3", "--jobs", "2"], &file);
    expect(shem(&broker.url(), &["-e", "spacer"], &file), "sat");
    let (out, _) = expect(mix, "sat");
    assert!(out.contains("\"engine\":\"peer\""), "{out}");
    // What a worker has learnt is told to other processes.
    let mut wire = broker.wire();
    let file = broker.file("unsafe.smt2", UNSAFE);
    // A run may be over before a worker has told anything.
    let told = (0..10).any(|_| {
        wire.ask(&[b"FLUSHALL"]);
        expect(shem(&broker.url(), &["-e", "kind,pdkind", "--jobs", "2"], &file), "unsat");
        let streams = wire.keys(":lemmas");
        streams.iter().any(|key| wire.ask(&[b"XRANGE", key.as_bytes(), b"-", b"+"]).contains(PREFIX))
    });
    assert!(told, "no worker has told anything");
}

#[test]
fn a_broker_that_is_not_there_or_dies_loses_no_answer() {
    let Some(mut broker) = Broker::start("dies") else { return };
    // Deep enough that nobody has an answer before the broker is gone.
    let deep = UNSAFE.replace("40", "1200").replace("45", "1205");
    let (safe, bad) = (broker.file("safe.smt2", SAFE), broker.file("unsafe.smt2", &deep));
    let url = broker.url().replace("redis://", "redis://me:secret@");
    // The broker knows no such user: the first one is alone from the beginning.
    let mut running = [shem(&url, &["-e", "kind"], &bad), shem(&broker.url(), &["-e", "bmc"], &bad)];
    let mut wire = broker.wire();
    let since = Instant::now();
    while wire.ask(&[b"CLIENT", b"LIST"]).matches("cmd=xread").count() < 1 {
        assert!(since.elapsed() < Duration::from_secs(60), "nobody has joined");
    }
    for child in &mut running {
        assert_eq!(
            child.try_wait().expect("a child"),
            None,
            "there was an answer before the broker was gone"
        );
    }
    broker.child.kill().expect("the broker can be killed");
    broker.child.wait().expect("the broker ends");
    for child in running {
        let (out, err) = expect(child, "unsat");
        assert!(!out.contains("secret") && !err.contains("secret"), "{out}\n{err}");
        assert!(err.contains("alone"), "{err}");
    }
    let (_, err) = expect(shem(&url, &["-e", "pdkind"], &safe), "sat");
    assert!(err.contains("alone") && !err.contains("secret"), "{err}");
}

/// Generators of pseudo-random numbers, each a part of the problem: start, factor, summand, modulus, and a number that does not
/// come or, in the last line, one that does.
const GENERATORS: [[u64; 5]; 6] = [
    [0, 5, 10, 16, 3],
    [2, 11, 3, 16, 11],
    [9, 3, 8, 14, 0],
    [0, 3, 9, 16, 10],
    [0, 5, 12, 14, 13],
    [0, 5, 10, 16, 2],
];

/// The first of them as a problem, with the last one if it is to be unsafe.
fn generators(count: usize, is_safe: bool) -> String {
    let mut chosen = GENERATORS[..count].to_vec();
    if !is_safe {
        chosen.push(GENERATORS[5]);
    }
    let mut text = String::new();
    for (number, [start, factor, summand, modulus, error]) in chosen.iter().enumerate() {
        // What is said of the generator is true.
        let mut value = *start;
        let comes = (0..*modulus).any(|_| {
            let before = value;
            value = (factor * value + summand) % modulus;
            before == *error
        });
        assert_eq!(comes, number == count, "generator {number}");
        text += &format!(
            "(declare-fun p{number} (Int) Bool)
(assert (forall ((x Int)) (=> (= x {start}) (p{number} x))))
(assert (forall ((x Int) (y Int)) (=> (and (p{number} x) (= y (mod (+ (* {factor} x) {summand}) {modulus}))) (p{number} y))))
(assert (forall ((x Int)) (=> (and (p{number} x) (= x {error})) false)))
"
        );
    }
    text + "(check-sat)\n"
}

const PARTS: [&str; 4] = ["-e", "spacer", "--partition", "6"];

/// The count of this name in an answer.
fn count(out: &str, name: &str) -> u64 {
    let rest = out.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("no {name}: {out}"));
    rest.split([',', '}']).next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn parts_survive_killed_processes_and_a_broker_that_forgets() {
    for is_safe in [true, false] {
        let Some(mut broker) = Broker::start(if is_safe { "queue-safe" } else { "queue-unsafe" }) else {
            return;
        };
        let file = broker.file("parts.smt2", &generators(5, is_safe));
        let words = [&PARTS[..], &["--partition-silence", "1"]].concat();
        let mut children: Vec<Child> = (0..10).map(|_| shem(&broker.url(), &words, &file)).collect();
        let mut wire = broker.wire();
        let since = Instant::now();
        let run = |child: &mut Child| child.try_wait().expect("a child").is_none();
        // Where the machine is fast there may be an answer before anybody is killed.
        while wire.ask(&[b"CLIENT", b"LIST"]).matches("cmd=x").count() < 3 && children.iter_mut().all(run) {
            assert!(since.elapsed() < Duration::from_secs(120), "nobody has joined");
        }
        for victim in children.drain(..6) {
            kill(victim);
        }
        drop(wire);
        broker.restart();
        for child in children {
            expect(child, if is_safe { "sat" } else { "unsat" });
        }
    }
}

fn kill(mut child: Child) {
    // One that has ended is as good.
    let _ = child.kill();
    child.wait().expect("a killed process ends");
}

#[test]
fn a_part_of_a_silent_process_is_inherited_and_forged_results_count_for_nothing() {
    let Some(broker) = Broker::start("heir") else { return };
    let file = broker.file("parts.smt2", &generators(5, true));
    let words = [&PARTS[..], &["--partition-silence", "0.2"]].concat();
    let (out, _) = expect(shem(&broker.url(), &words, &file), "sat");
    assert!(count(&out, "parts.solved") == count(&out, "parts.all") && count(&out, "parts.all") > 4, "{out}");
    let taken = count(&out, "queue.taken");
    assert!(taken >= 5 && count(&out, "queue.inherited") == 0, "{out}");
    let mut wire = broker.wire();
    let parts = wire.keys(":parts").pop().expect("a queue");
    let results = parts.replace(":parts", ":results");
    let told = wire.ask(&[b"XRANGE", results.as_bytes(), b"-", b"+"]);
    let told: Vec<&str> = told.lines().filter(|line| line.starts_with(PREFIX)).collect();
    assert!(told.len() >= 5, "results are told: {told:?}");
    // A process that has taken the first part is never heard of again, and somebody lies about the others.
    wire.ask(&[b"FLUSHALL"]);
    wire.ask(&[b"XGROUP", b"CREATE", parts.as_bytes(), b"solvers", b"0", b"MKSTREAM"]);
    for part in 0..count(&out, "parts.all") {
        wire.ask(&[b"XADD", parts.as_bytes(), format!("1-{}", part + 1).as_bytes(), b"m", b"part"]);
    }
    let group = [&b"XREADGROUP"[..], b"GROUP", b"solvers", b"dead", b"COUNT", b"1", b"STREAMS"];
    wire.ask(&[&group[..], &[parts.as_bytes(), b">"]].concat());
    let lies: Vec<Vec<u8>> = (0..told.len() * 40)
        .map(|n| match n % 4 {
            0 => told[n % told.len()].replace("\"part\":[", "\"part\":[1").into_bytes(),
            _ => forge_part(n, told[n % told.len()]),
        })
        .collect();
    wire.add(&results, &lies).expect("the broker takes all");
    let (out, _) = expect(shem(&broker.url(), &words, &file), "sat");
    assert!(count(&out, "queue.inherited") >= 1, "{out}");
    assert!(count(&out, "parts.wrong") > 0 && count(&out, "queue.received") > 0, "{out}");
    // What others have found is used, and judged: without a part of its own it comes to the answer.
    wire.ask(&[b"FLUSHALL"]);
    let truth: Vec<Vec<u8>> = told.iter().map(|line| line.as_bytes().to_vec()).collect();
    wire.add(&results, &truth).expect("the broker takes all");
    let (out, _) = expect(shem(&broker.url(), &words, &file), "sat");
    assert!(out.contains("\"engine\":\"peer\"") || count(&out, "queue.given") < taken, "{out}");
}

/// A result that somebody has sent, with its numbers and relations changed.
fn forge_part(n: usize, message: &str) -> Vec<u8> {
    let at = message.find("\"part\"").expect("a part");
    let (head, rest) = message.split_at(at);
    // The number of the part stays.
    let (number, model) = rest.split_once(",[").expect("a model");
    let mut bytes: Vec<u8> = model.bytes().collect();
    let mut seed = n as u64;
    for byte in &mut bytes {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lot = (seed >> 33) as usize;
        match *byte {
            b'1'..=b'9' if lot.is_multiple_of(3) => *byte = b'1' + (lot / 3 % 9) as u8,
            b'<' if lot.is_multiple_of(2) => *byte = b'>',
            b'>' if lot.is_multiple_of(2) => *byte = b'<',
            _ => {}
        }
    }
    [format!("{head}{number},[").into_bytes(), bytes].concat()
}

/// An authority that nobody knows and a certificate of it for this machine; says why if there is none.
fn certify(folder: &Path) -> Result<(), String> {
    let openssl = |words: &str| {
        let output = Command::new("openssl").args(words.split_whitespace()).current_dir(folder).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => panic!("openssl {words}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => Err("openssl is absent".to_owned()),
        }
    };
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1").expect("a file");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=nobody"))?;
    openssl(&format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost"))?;
    openssl(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    )
}

#[test]
fn processes_meet_over_tls_and_trust_no_stranger() {
    let folder = folder("tls");
    // A server names the first option that it does not know.
    let probe = Command::new("redis-server").args(["--tls-port", "0", "--no-such-option", "0"]).output();
    let knows_tls = |output: &Output| {
        let (out, err) = text(output);
        out.contains("no-such-option") || err.contains("no-such-option")
    };
    let reason = match probe {
        Err(_) => Some("redis-server is absent".to_owned()),
        Ok(output) if !knows_tls(&output) => Some("redis-server has no TLS".to_owned()),
        Ok(_) => certify(&folder).err(),
    };
    if let Some(reason) = reason {
        REDIS.skip(&reason);
        let _ = std::fs::remove_dir_all(&folder);
        return;
    }
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let listening = |port: u16| {
        let mut words = vec!["--port".to_owned(), "0".to_owned()];
        words.extend(["--tls-port".to_owned(), port.to_string()]);
        for (word, file) in [("cert", "server.pem"), ("key", "server.key"), ("ca-cert", "ca.pem")] {
            words.extend([format!("--tls-{word}-file"), path(file)]);
        }
        words.extend(["--tls-auth-clients".to_owned(), "no".to_owned()]);
        words.extend(["--requirepass".to_owned(), "open-sesame".to_owned()]);
        words
    };
    let Some(broker) = Broker::start_with(folder.clone(), listening) else { return };
    let file = broker.file("safe.smt2", SAFE);
    let url = format!("rediss://:open-sesame@localhost:{}/test", broker.port);
    let authority = folder.join("ca.pem");
    let trusting = [("SSL_CERT_FILE", &*authority)];
    // The second one cannot decide this: its answer has come over the wire.
    let (_, err) = expect(shem_with(&trusting, &url, &["-e", "spacer"], &file), "sat");
    assert!(!err.contains("alone"), "{err}");
    let (out, err) = expect(shem_with(&trusting, &url, &["-e", "bmc"], &file), "sat");
    assert!(out.contains("\"engine\":\"peer\"") && !err.contains("alone"), "{out}\n{err}");
    // Without the authority the server is a stranger, and nothing is told to it.
    let (out, err) = expect(shem(&url, &["-e", "spacer"], &file), "sat");
    assert!(out.contains("\"engine\":\"spacer\"") && err.contains("alone"), "{out}\n{err}");
    assert!(!err.contains("sesame"), "{err}");
}

#[test]
fn forgers_and_floods_change_no_answer() {
    let Some(broker) = Broker::start("forged") else { return };
    let files = [(broker.file("safe.smt2", SAFE), "sat"), (broker.file("unsafe.smt2", UNSAFE), "unsat")];
    let mut wire = broker.wire();
    for (file, answer) in &files {
        expect(shem(&broker.url(), &["-e", "pdkind", "--instances", "2"], file), answer);
        let lemmas = wire.keys(":lemmas").pop().expect("lemmas were sent");
        let system = lemmas.split(':').nth(2).expect("a fingerprint").to_owned();
        let verdicts = lemmas.replace(":lemmas", ":verdicts");
        let heard = wire.ask(&[b"XRANGE", lemmas.as_bytes(), b"-", b"+"]);
        let heard: Vec<&str> = heard.lines().filter(|line| line.starts_with(PREFIX)).collect();
        assert!(!heard.is_empty(), "lemmas were sent");
        // The verdict of the first run would make the test too easy.
        wire.ask(&[b"DEL", verdicts.as_bytes()]);
        let forged: Vec<Vec<u8>> = (0..10_000).map(|n| forge(n, heard[n % heard.len()])).collect();
        wire.add(&lemmas, &forged).expect("the broker takes all");
        let lies: Vec<Vec<u8>> = (0..500).map(|n| lie(n, &system)).collect();
        wire.add(&verdicts, &lies).expect("the broker takes all");
        for engine in ["pdkind", "spacer", "kind"] {
            if engine == "kind" && *answer == "sat" {
                continue;
            }
            let (out, _) = expect(shem(&broker.url(), &["-e", engine], file), answer);
            assert!(out.contains(&format!("\"engine\":\"{engine}\"")), "a lie was believed: {out}");
            wire.ask(&[b"DEL", verdicts.as_bytes()]);
            wire.add(&verdicts, &lies).expect("the broker takes all");
        }
        // And at full speed.
        let stop = Arc::new(AtomicBool::new(false));
        let flood = {
            let (stop, mut wire, lemmas) = (Arc::clone(&stop), broker.wire(), lemmas.clone());
            thread::spawn(move || {
                let mut sent = 0;
                while !stop.load(Ordering::Relaxed) && wire.add(&lemmas, &forged[..1_000]).is_ok() {
                    sent += 1_000;
                    wire.ask(&[b"XTRIM", lemmas.as_bytes(), b"MAXLEN", b"5000"]);
                }
                sent
            })
        };
        expect(shem(&broker.url(), &["-e", "pdkind"], file), answer);
        stop.store(true, Ordering::Relaxed);
        assert!(flood.join().expect("the flood ends") > 0);
        wire.ask(&[b"FLUSHALL"]);
    }
}

/// A message that somebody has sent, with its numbers and relations changed, or mutilated.
fn forge(n: usize, message: &str) -> Vec<u8> {
    let (head, rest) = message.split_at(message.find("\"level\"").unwrap_or(message.len() / 2));
    let mut bytes: Vec<u8> = rest.bytes().collect();
    let mut seed = n as u64;
    for byte in &mut bytes {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lot = (seed >> 33) as usize;
        match *byte {
            b'0'..=b'9' if lot.is_multiple_of(3) => *byte = b'0' + (lot / 3 % 10) as u8,
            b'<' if lot.is_multiple_of(2) => *byte = b'>',
            b'>' if lot.is_multiple_of(2) => *byte = b'<',
            _ => {}
        }
    }
    if n.is_multiple_of(5) {
        bytes.truncate(bytes.len() * (n % 7) / 7);
    }
    // From somebody else.
    let (start, (_, about)) = head
        .split_once("\"sender\":")
        .and_then(|(start, rest)| Some((start, rest.split_once(',')?)))
        .expect("a sender");
    [format!("{start}\"sender\":9,{about}").into_bytes(), bytes].concat()
}

/// A verdict that is wrong.
fn lie(n: usize, system: &str) -> Vec<u8> {
    let content = match n % 6 {
        0 => r#"{"model":[["inv","true"]]}"#.to_owned(),
        1 => r#"{"model":[["inv","false"]]}"#.to_owned(),
        2 => format!(r#"{{"model":[["inv","(= x0 {n})"]]}}"#),
        3 => r#"{"derivation":[[0,[],["0","0"]],[2,[0],[]]]}"#.to_owned(),
        4 => format!(r#"{{"derivation":[[0,[],["100","{n}"]],[2,[0],[]]]}}"#),
        _ => format!(r#"{{"derivation":[[9,[],["{n}"]]]}}"#),
    };
    let head = format!("{PREFIX}{VERSION},\"sender\":5,\"about\":\"{system}\"");
    format!("{head},\"content\":{{\"verdict\":{content}}}}}").into_bytes()
}
