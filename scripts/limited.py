"""Runs a program under a limit of wall time or of processor time, for the scripts that measure.

Processor time is that of the program and of all that it has started, so other work on the machine hardly shows in it.
"""
import os
import resource
import signal
import subprocess
import time

# How much longer a run may take on the wall than its processor time says.
PATIENCE = 6
TICK = os.sysconf("SC_CLK_TCK")


def ended_children():
    """The processor's seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def group_time(group):
    """The processor's seconds of the processes of a group, with those of their children that have ended."""
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICK


def run(argv, limit, by_processor=False, gigabytes=8):
    """What a program prints, and its seconds; None in place of these if it took longer than the limit."""
    def own_limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))

    since, before = time.monotonic(), ended_children()
    end = since + limit * (PATIENCE if by_processor else 1) + 1
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                             preexec_fn=own_limits)
    while True:
        try:
            text, _ = child.communicate(timeout=0.2 if by_processor else max(end - time.monotonic(), 0.01))
            break
        except subprocess.TimeoutExpired:
            if time.monotonic() < end and (not by_processor or group_time(child.pid) <= limit):
                continue
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return "", None
    seconds = ended_children() - before if by_processor else time.monotonic() - since
    return text, seconds if seconds <= limit else None
