"""Tool-info module of BenchExec for Shem, a solver of constrained Horn clauses."""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Shem answers sat, unsat or unknown in its first line; sat means that the clauses have a model."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("shem")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="shem")

    def name(self):
        return "Shem"

    def project_url(self):
        return "https://chc-comp.github.io/"

    def cmdline(self, executable, options, task, rlimits):
        options = list(options)
        given = {option.split("=")[0] for option in options}
        # Shem ends by itself before the limit and says unknown, rather than being killed by it. Of the processor's time
        # each core takes its part.
        cores = rlimits.cpu_cores or 1
        if cores and not given & {"-j", "--jobs"}:
            options += ["--jobs", str(cores)]
        limits = [rlimits.walltime, rlimits.cputime and rlimits.cputime / cores]
        limits = [limit for limit in limits if limit]
        if limits and not given & {"-t", "--timeout", "--timeout-ms"}:
            options += ["--timeout", f"{0.98 * min(limits):g}"]
        if rlimits.memory and not given & {"--memory"}:
            options += ["--memory", str(rlimits.memory * 9 // 10 // 1_000_000)]
        return [executable, *options, task.single_input_file]

    def determine_result(self, run):
        for line in run.output:
            answer = line.strip()
            if answer == "sat":
                return result.RESULT_TRUE_PROP
            if answer == "unsat":
                return result.RESULT_FALSE_PROP
            if answer == "unknown":
                return result.RESULT_UNKNOWN
            if answer.startswith("(error"):
                return result.RESULT_ERROR + " (" + answer[len("(error ") : -1].strip('"') + ")"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """A figure of --stats, which is printed as `name: value` or `name value`."""
        for line in output:
            words = line.replace(":", " ").split()
            if len(words) == 2 and words[0] == identifier:
                return words[1]
        return None
