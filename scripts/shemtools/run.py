"""Runs programs under limits of time, memory and cores.

Processor time is that of the program and of all that it has started, so other work on the machine hardly shows in it.
"""
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

# How much longer a run may take on the wall than its processor time says.
PATIENCE = 20
TICK = os.sysconf("SC_CLK_TCK")
ANSWERS = ("sat", "unsat")


@dataclass
class Run:
    """What a program has printed, its exit code, its seconds, and whether it was ended at its limit."""
    out: str
    err: str
    code: int
    seconds: float
    late: bool

    @property
    def answer(self):
        """The first line of what was printed, if it is an answer; otherwise `unknown`."""
        word = self.out.partition("\n")[0].strip()
        return word if word in ANSWERS and not self.late else "unknown"


def ended_children():
    """The processor's seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def group_time(group):
    """The processor's seconds of the processes of a group, with those of their children that have ended."""
    total = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICK


def run(argv, limit, by_processor=False, gigabytes=None, cores=None, text=None, interrupt=False, out=subprocess.PIPE):
    """Runs a program for at most so many seconds, on the wall or of the processor; then its processes are killed, or
    it is asked to end by an interrupt. `text` is its standard input, `out` a file for its standard output."""
    def own_limits():
        os.setsid()
        if gigabytes:
            resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
        if cores:
            os.sched_setaffinity(0, cores)

    since, before = time.monotonic(), ended_children()
    end = since + limit * (PATIENCE if by_processor else 1) + 1
    try:
        child = subprocess.Popen([str(word) for word in argv], stdin=subprocess.PIPE if text else subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.PIPE, text=True, errors="replace", preexec_fn=own_limits)
    except FileNotFoundError:
        sys.exit(f"{argv[0]} is needed, and not there")
    late = False
    while True:
        try:
            wait = 0.02 if interrupt else 0.2 if by_processor else max(end - time.monotonic(), 0.01)
            printed, complaints = child.communicate(text, timeout=wait)
            break
        except subprocess.TimeoutExpired:
            text = None
            if late or (time.monotonic() < end and (not by_processor or group_time(child.pid) <= limit)):
                continue
            late = not interrupt
            if interrupt:
                child.send_signal(signal.SIGINT)
                interrupt, end, limit = False, time.monotonic() + 30, 2 * limit + 30
            else:
                os.killpg(child.pid, signal.SIGKILL)
    seconds = ended_children() - before if by_processor else time.monotonic() - since
    return Run(printed or "", complaints, child.returncode, seconds, late)


def figures(run):
    """The figures of `--stats` by name."""
    words = (line.split() for line in run.err.splitlines())
    return {pair[0]: float(pair[1]) for pair in words if len(pair) == 2 and pair[1].replace(".", "", 1).isdigit()}
