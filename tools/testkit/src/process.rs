//! Solvers as processes: a file in, text out, a time limit, and what the run cost.
//!
//! A thread drains standard output and notes when each piece arrived, which serves two ends: the end
//! of the stream within the limit tells that the process is done without polling, and the time of an
//! echoed marker can be read off afterwards.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4;

/// A solver's command line without its input file.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself with this exit code.
    Exit(i32),
    /// By a signal that we did not send.
    Signal,
    /// By us, at the time limit.
    Limit,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub complaints: String,
    /// How it ended.
    pub ending: Ending,
    /// User and system time of the process.
    pub cpu: Duration,
    /// Time on the wall.
    pub wall: Duration,
    /// Largest resident size in bytes.
    pub memory: u64,
    /// When output arrived: time since the start and the length of the output so far.
    arrivals: Vec<(Duration, usize)>,
}

impl Run {
    /// The times at which the lines that echo a marker (see [`marker`]) arrived, in order.
    pub fn marker_times(&self) -> Vec<Duration> {
        let mut times = Vec::new();
        let mut offset = 0;
        let mut arrival = 0;
        for line in self.output.split_inclusive('\n') {
            offset += line.len();
            while arrival + 1 < self.arrivals.len() && self.arrivals[arrival].1 < offset {
                arrival += 1;
            }
            if marker(line).is_some()
                && let Some(&(time, _)) = self.arrivals.get(arrival)
            {
                times.push(time);
            }
        }
        times
    }
}

/// The number of a marker line: the echo of `"#number"`, with or without its quotes.
pub fn marker(line: &str) -> Option<usize> {
    line.trim().trim_matches('"').strip_prefix('#')?.parse().ok()
}

impl Program {
    /// A program from one option of the command line. A single word is a path or a name on `PATH` and
    /// gets the `usual` arguments; several words are the whole command line.
    pub fn parse(text: &str, usual: &[&str]) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or("the name of a program is empty")?;
        let path = locate(name).ok_or_else(|| format!("there is no program {name}"))?;
        let mut arguments: Vec<String> = words.map(str::to_owned).collect();
        if arguments.is_empty() {
            arguments = usual.iter().map(|&word| word.to_owned()).collect();
        }
        Ok(Self { path, arguments })
    }

    /// Runs the program on a file until it ends or the limit is reached; `further` arguments stand
    /// before the file.
    pub fn run(&self, further: &[String], input: &Path, limit: Duration) -> io::Result<Run> {
        let complaints_path = input.with_extension(format!("{}.err", fresh_number()));
        let run = self.run_with_complaints(further, input, &complaints_path, limit);
        // The file is scratch; that it stays behind after an error is no error of its own.
        let _ = fs::remove_file(&complaints_path);
        run
    }

    fn run_with_complaints(
        &self,
        further: &[String],
        input: &Path,
        complaints: &Path,
        limit: Duration,
    ) -> io::Result<Run> {
        let started = Instant::now();
        let mut child = Command::new(&self.path)
            .args(&self.arguments)
            .args(further)
            .arg(input)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(complaints)?)
            .spawn()?;
        let mut stream = child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        let (sender, receiver) = mpsc::channel();
        let reader = thread::spawn(move || {
            let drained = drain(&mut stream, started);
            // The receiver has given up waiting only if it will join this thread instead.
            let _ = sender.send(());
            drained
        });
        let stopped = receiver.recv_timeout(limit).is_err();
        if stopped {
            child.kill()?;
        }
        let spent = child.wait4()?;
        let wall = started.elapsed();
        let (output, arrivals) =
            reader.join().map_err(|_| io::Error::other("the reader of the output panicked"))??;
        let ending = match spent.status.code() {
            Some(code) => Ending::Exit(code),
            None if stopped => Ending::Limit,
            None => Ending::Signal,
        };
        Ok(Run {
            output: String::from_utf8_lossy(&output).into_owned(),
            complaints: String::from_utf8_lossy(&fs::read(complaints)?).into_owned(),
            ending,
            cpu: spent.rusage.utime + spent.rusage.stime,
            wall,
            memory: spent.rusage.maxrss,
            arrivals,
        })
    }
}

type Drained = (Vec<u8>, Vec<(Duration, usize)>);

fn drain(stream: &mut impl Read, started: Instant) -> io::Result<Drained> {
    let mut output = Vec::new();
    let mut arrivals = Vec::new();
    let mut piece = [0; 1 << 16];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Ok((output, arrivals)),
            Ok(length) => {
                output.extend_from_slice(&piece[..length]);
                arrivals.push((started.elapsed(), output.len()));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The file of a program named by a path or on `PATH`.
///
/// A shim of pyenv is a shell script that takes many times as long to start as z3 itself, so pyenv
/// is asked for the program behind it.
fn locate(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return path.is_file().then_some(path);
    }
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file())?;
    let shim = found.parent().is_some_and(|dir| dir.ends_with(".pyenv/shims"));
    if shim && let Ok(reply) = Command::new("pyenv").args(["which", name]).output() {
        let behind = PathBuf::from(String::from_utf8_lossy(&reply.stdout).trim());
        if reply.status.success() && behind.is_file() {
            return Some(behind);
        }
    }
    Some(found)
}

/// A number that no other call in this process gets.
fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A folder for scratch files, removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Makes a new folder under the system's temporary folder.
    pub fn new() -> io::Result<Self> {
        let name = format!("shem-testkit-{}-{}", std::process::id(), fresh_number());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing sensible can be done about a folder that does not go away.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stopped_at_its_limit() {
        let scratch = Scratch::new().unwrap();
        let input = scratch.path("input");
        fs::write(&input, "echo '#1'\necho note >&2\nexec sleep 20\n").unwrap();
        let shell = Program::parse("sh", &[]).unwrap();
        let run = shell.run(&[], &input, Duration::from_millis(300)).unwrap();
        assert_eq!(run.ending, Ending::Limit);
        assert_eq!((run.output.as_str(), run.complaints.as_str()), ("#1\n", "note\n"));
        assert_eq!(run.marker_times().len(), 1);
        assert!(run.wall < Duration::from_secs(10));
    }

    #[test]
    fn markers_are_read_with_and_without_quotes() {
        assert_eq!(marker("#12\n"), Some(12));
        assert_eq!(marker("\"#7\""), Some(7));
        assert_eq!(marker("sat"), None);
        assert_eq!(marker("#x"), None);
    }

    #[test]
    fn the_exit_code_is_reported() {
        let scratch = Scratch::new().unwrap();
        let input = scratch.path("input");
        fs::write(&input, "exit 3\n").unwrap();
        let run = Program::parse("sh", &[]).unwrap().run(&[], &input, Duration::from_secs(10)).unwrap();
        assert_eq!(run.ending, Ending::Exit(3));
        assert!(Program::parse("no-such-program-here", &[]).is_err());
    }
}
