"""Importing the package is light: the heavy libraries come with the first name that is used."""

import subprocess
import sys


def modules_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_loads_no_heavy_library():
    loaded = modules_after("import featsieve")
    assert "featsieve" in loaded
    assert not {"numpy", "scipy", "sklearn", "pandas", "torch", "rich", "typer"} & loaded


def test_scores_load_no_optional_library():
    loaded = modules_after("import featsieve; featsieve.LaplacianScore; featsieve.methods()")
    assert "sklearn" in loaded
    assert not {"torch", "cupy", "faiss", "pynndescent", "numba", "typer", "plotly", "polars"} & loaded
