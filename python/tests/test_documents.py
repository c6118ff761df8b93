"""The programs in documents run, and print what stands below them. SHEM_BLESS=1 writes what they print."""

import contextlib
import io
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
FILES = [path for path in (ROOT / "docs/tutorial.md", ROOT / "python/README.md") if path.exists()]

#: A program, and what it prints if that stands right below it.
PROGRAM = re.compile(r"```python(?P<name>[^\n]*)\n(?P<text>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_programs(path, tmp_path):
    document = path.read_text(encoding="utf-8")
    wrong = []
    programs = list(PROGRAM.finditer(document))
    assert programs
    for number, program in reversed(list(enumerate(programs))):
        file = tmp_path / (program["name"].strip() or f"program{number}.py")
        file.write_text(program["text"], encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program["text"], str(file), "exec"), {"__name__": "__main__"})
        if program["output"] is not None and printed.getvalue() != program["output"]:
            wrong.append(f"{file.name} prints\n{printed.getvalue()}")
            document = document[: program.start("output")] + printed.getvalue() + document[program.end("output") :]
    if wrong and os.environ.get("SHEM_BLESS"):
        path.write_text(document, encoding="utf-8")
        wrong = []
    assert not wrong, "\n".join(wrong)
