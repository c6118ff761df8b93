"""The tutorial notebook runs."""

import pathlib

import pytest

FILE = pathlib.Path(__file__).parent.parent / "tutorial.ipynb"


def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(FILE, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    html = [output["data"].get("text/html", "") for output in outputs if "data" in output]
    assert sum("<svg" in text for text in html) >= 2
