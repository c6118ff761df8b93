"""What BenchExec asks of the tool-info module: command lines and results."""

import unittest

import benchexec.result as result
from benchexec.tools.template import BaseTool2

from tools.benchexec.shem import Tool


def cmdline(options, **limits):
    task = BaseTool2.Task.with_files(["a.smt2"])
    return Tool().cmdline("shem", options, task, BaseTool2.ResourceLimits(**limits))


def determine(*lines):
    output = BaseTool2.RunOutput(lines)
    return Tool().determine_result(BaseTool2.Run(["shem", "a.smt2"], None, output, None))


class CommandLines(unittest.TestCase):
    def test_without_limits(self):
        self.assertEqual(cmdline([]), ["shem", "--jobs", "1", "a.smt2"])

    def test_limits_become_options(self):
        expected = ["shem", "-e", "spacer", "--jobs", "4", "--timeout", "98", "--memory", "1800", "a.smt2"]
        found = cmdline(["-e", "spacer"], cputime=400, walltime=300, memory=2_000_000_000, cpu_cores=4)
        self.assertEqual(found, expected)

    def test_options_come_first(self):
        found = cmdline(["--timeout=5", "-j", "2"], walltime=300)
        self.assertEqual(found, ["shem", "--timeout=5", "-j", "2", "a.smt2"])


class Results(unittest.TestCase):
    def test_the_first_answer_counts(self):
        self.assertEqual(determine("sat\n", "(\n"), result.RESULT_TRUE_PROP)
        self.assertEqual(determine("unsat\n", "0:\ttrue\n"), result.RESULT_FALSE_PROP)
        self.assertEqual(determine("shem: warning\n", "unknown\n"), result.RESULT_UNKNOWN)

    def test_errors_keep_their_words(self):
        self.assertEqual(determine('(error "line 1")\n'), "ERROR (line 1)")
        self.assertEqual(determine(), result.RESULT_ERROR)

    def test_figures_are_found(self):
        output = BaseTool2.RunOutput(["sat\n", "time.total: 0.25\n"])
        self.assertEqual(Tool().get_value_from_output(output, "time.total"), "0.25")
        self.assertIsNone(Tool().get_value_from_output(output, "time.read"))


if __name__ == "__main__":
    unittest.main()
