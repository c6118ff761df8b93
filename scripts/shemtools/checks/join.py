"""A verdict reaches every process of a joined run.

Starts a Redis server of its own, and then, for every run, one process for each engine, all joined with each other on
one of the files in turn. A run is bad if a process ends without an answer after another one has ended with one (a
verdict was lost), or if two answers differ. The last line has the figures; the exit code is 1 if a run was bad.
"""
import collections
import os
import subprocess
import time

from shemtools.broker import Broker
from shemtools.run import ANSWERS


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--engines", default="spacer,pdkind,split-tpa", type=lambda text: text.split(","))
    parser.add_argument("--at-once", type=int, default=1, help="how many runs at a time")
    parser.add_argument("--all", action="store_true", help="print every run, not only bad ones")


class Run:
    """The processes of one run, and what they have answered, in the order in which they ended."""

    def __init__(self, options, broker, number, path):
        self.path = path
        self.number = number
        self.since = time.monotonic()
        self.ended = []
        self.running = {}
        for engine in options.engines:
            command = [options.shem, "-e", engine, "-t", str(options.seconds), "--json",
                       "--join", broker.address(f"run-{number}"), path]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.running[engine] = child

    def look(self):
        """Takes note of processes that have ended; whether all have."""
        for engine, child in list(self.running.items()):
            if child.poll() is None:
                continue
            text = child.stdout.read()
            answers = [word for word in (*ANSWERS, "unknown") if f'"answer":"{word}"' in text]
            by_peer = '"engine":"peer"' in text
            self.ended.append((time.monotonic() - self.since, engine, (answers or ["no answer"])[0], by_peer))
            del self.running[engine]
        return not self.running

    def judgement(self):
        answers = [answer for _, _, answer, _ in self.ended]
        given = [answer for answer in answers if answer in ANSWERS]
        if len(set(given)) > 1:
            return "contradiction"
        if not given:
            return "no verdict"
        first = answers.index(given[0])
        return "lost" if any(answer not in ANSWERS for answer in answers[first:]) else "arrived"

    def __str__(self):
        words = [f"{engine} {answer}{' of a peer' if by_peer else ''} {seconds:.2f} s"
                 for seconds, engine, answer, by_peer in self.ended]
        return f"{os.path.basename(self.path)}: {', '.join(words)}"


def main(options):
    broker = Broker()
    figures, runs, started = collections.Counter(), [], 0
    peers = 0
    try:
        while started < options.runs or runs:
            while started < options.runs and len(runs) < options.at_once:
                runs.append(Run(options, broker, started, options.files[started % len(options.files)]))
                started += 1
            time.sleep(0.005)
            for run in [run for run in runs if run.look()]:
                runs.remove(run)
                judgement = run.judgement()
                figures[judgement] += 1
                peers += sum(by_peer for _, _, answer, by_peer in run.ended if answer in ANSWERS)
                if options.all or judgement in ("lost", "contradiction"):
                    print(f"{judgement}: {run}", flush=True)
    finally:
        for run in runs:
            for child in run.running.values():
                child.kill()
        broker.close()
    words = ", ".join(f"{figures[kind]} {kind}" for kind in ("arrived", "lost", "contradiction", "no verdict"))
    print(f"{sum(figures.values())} runs: {words}; {peers} answers of peers")
    return 1 if figures["lost"] or figures["contradiction"] else 0
