"""The parts of a problem survive the death of processes, and that of the broker.

Each run makes a random problem of several loops whose answer is known by construction, and starts processes that work off
its parts as a queue. Some of the processes are killed, each at a random moment, and in half of the runs the broker is killed
and started again, in half of these without anything that it knew. All processes that were not killed have to give the
right answer: another one is wrong, none is lost. The seed fixes problems, moments and who is killed. The last line has the
figures; the exit code is 1 if a verdict was lost or wrong.
"""
import collections
import json
import os
import random
import signal
import subprocess
import tempfile
import time

from shemtools.broker import Broker


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=300, help="the time limit of a process")
    parser.add_argument("--silence", type=float, default=0.5, help="the seconds after which a process counts as gone")
    parser.add_argument("--span", type=float, default=1.5, help="the seconds in which processes are killed")
    parser.add_argument("--all", action="store_true", help="print every run, not only bad ones")


def loop(rng, number, is_safe):
    """A generator of pseudo-random numbers that repeats after some, which has to be unrolled: up to a tenth of a second."""
    modulus = rng.choice((12, 14, 16))
    values = []
    while not modulus // 4 <= len(values) <= 3 * modulus // 4:
        factor, more, value = rng.randrange(3, modulus, 2), rng.randrange(1, modulus), rng.randrange(modulus)
        values = []
        while value not in values:
            values.append(value)
            value = (factor * value + more) % modulus
    others = [value for value in range(modulus) if value not in values]
    error = rng.choice(others) if is_safe else values[2 * len(values) // 3]
    return f"""(declare-fun p{number} (Int) Bool)
(assert (forall ((x Int)) (=> (= x {values[0]}) (p{number} x))))
(assert (forall ((x Int) (y Int))
  (=> (and (p{number} x) (= y (mod (+ (* {factor} x) {more}) {modulus}))) (p{number} y))))
(assert (forall ((x Int)) (=> (and (p{number} x) (= x {error})) false)))
"""


def problem(rng, parts):
    """A problem with its answer."""
    # Falsehood is often found at once, and then nobody is killed in time.
    is_safe = rng.random() < 0.7
    wrong = rng.randrange(parts)
    loops = [loop(rng, number, is_safe or number != wrong) for number in range(parts)]
    return "(set-logic HORN)\n" + "".join(loops) + "(check-sat)\n", "sat" if is_safe else "unsat"


class Run:
    """The processes of one run, and what became of them."""

    def __init__(self, options, folder, number):
        rng = random.Random(f"{options.seed} {number}")
        self.number = number
        text, self.answer = problem(rng, options.parts)
        self.path = os.path.join(folder, f"{number}.smt2")
        with open(self.path, "w") as file:
            file.write(text)
        count = options.processes
        victims = rng.sample(range(count), rng.randrange(1, count))
        self.deaths = sorted((rng.uniform(0, options.span), victim) for victim in victims)
        self.restart = rng.uniform(0, options.span) if rng.random() < 0.5 else None
        self.broker = Broker(keeps=rng.random() < 0.5)
        self.since = time.monotonic()
        self.processes = [subprocess.Popen(
            [options.shem, "-e", "spacer", "--partition", str(options.parts), "--partition-silence",
             str(options.silence), "--disable-pass", "equalities,invariants", "-t", str(options.seconds), "--json",
             "--seed", str(process), "--join", self.broker.address("queue"), self.path],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for process in range(count)]
        self.killed = set()

    def elapsed(self):
        return time.monotonic() - self.since

    def finish(self):
        """Lets things happen until all processes have ended. What was lost, what was wrong, and figures."""
        events = [(moment, victim) for moment, victim in self.deaths]
        events += [] if self.restart is None else [(self.restart, None)]
        for moment, victim in sorted(events, key=lambda event: event[0]):
            time.sleep(max(0.0, moment - self.elapsed()))
            if all(process.poll() is not None for process in self.processes):
                break
            if victim is None:
                self.broker.restart()
                continue
            process = self.processes[victim]
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                self.killed.add(victim)
        figures = collections.Counter()
        outputs = [process.communicate()[0] for process in self.processes]
        for number, text in enumerate(outputs):
            if number in self.killed:
                continue
            check = json.loads(text)["checks"][0] if text.strip() else {"answer": "nothing"}
            answer, counts = check["answer"], check.get("counts", {})
            figures["right" if answer == self.answer else "wrong" if answer in ("sat", "unsat") else "lost"] += 1
            figures["peers"] += check.get("engine") == "peer"
            figures["inherited"] += counts.get("queue.inherited", 0)
            figures["received"] += counts.get("queue.received", 0)
            figures["breaks"] += counts.get("queue.breaks", 0)
        figures["killed"] = len(self.killed)
        figures["restarts"] = self.restart is not None
        return figures

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        self.broker.close()


def main(options):
    figures = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="shem-queue-") as folder:
        for number in range(options.first, options.first + options.runs):
            run = Run(options, folder, number)
            try:
                found = run.finish()
            finally:
                run.close()
            figures.update(found)
            if options.all or found["lost"] or found["wrong"]:
                words = ", ".join(f"{count} {kind}" for kind, count in found.items())
                print(f"run {number}, {run.answer}, {run.elapsed():.1f} s: {words}", flush=True)
    print(f"{options.runs} runs of {options.processes} processes, {figures['killed']} of them killed, "
          f"{figures['restarts']} brokers restarted: {figures['right']} verdicts right, {figures['lost']} lost, "
          f"{figures['wrong']} wrong; {figures['peers']} by peers, {figures['inherited']} parts inherited, "
          f"{figures['received']} results received, {figures['breaks']} connections broken")
    return 1 if figures["lost"] or figures["wrong"] else 0
