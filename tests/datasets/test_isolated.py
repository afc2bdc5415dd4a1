"""Reading in a separate process: identical results, and errors for readers that crash or never end."""

import base64
import lzma
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from typer.testing import CliRunner

import featsieve
from featsieve.cli.app import app
from featsieve.datasets import DataError, load
from featsieve.datasets.isolated import TIMEOUT, read_isolated, time_limit
from featsieve.evaluation import PublishedSplits

posix = pytest.mark.skipif(os.name == "nt", reason="signals are a matter of POSIX")
X = np.random.default_rng(0).standard_normal((12, 5)).round(3)
Y = np.arange(12) % 3

# An .h5ad file with a sparse matrix. With one byte changed, HDF5 2.0 crashes on it or never ends.
H5AD = lzma.decompress(
    base64.b64decode(
        "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4C9nAkddAESSBIRvent3SsRmT2odD3JpHhjMHwlF3iciFP326Em6gMiVidGUMP/x"
        "3+MvtDk7Sfj+1zBEXa80Sutz7+HZ2EC3xhjV2P1hOqkEBaPfwb6ZCFCCd1DvJw6O1LjWhD290Ve/k0DFll3aEby8srRLSj5v"
        "hnrktfivUF+R8XWhwdT1KqEvqg7t5mQbwVe+osdlEYVseH7Lf4UGDw1N6Rl09Kielz82/VjqWvWCoFPPrSr2T/TPKelNTWNe"
        "W4m1E6Ez8yYSazwCGkv4kCAFMqGseD8i86zcW/+JKvaHZFdS7on/45oGj/t3V81khMpnX1RTApmBNZuGCW8s7tO6ebgXsFbp"
        "z3Fg4UA/wH7m7TcwmZ6/76nu20wao1wQ0XcqHgLKpX6YxtS1/m14PkE1LOz6ACjGZIp5G6LdXTq51ZceeNAAPJsLJmIbwkYc"
        "gxR3k/q3xAL1w8UeJBiJJ2pN5AAoclQpl81vtyLHQYgZCrz0gnvJkyXE5yY31cVmak37FiOwz5a3MBnEI1dMVRWA9+ule8N0"
        "PEHikrWYKajmaKJBaOb+BXPRYT/BBfi9uCdKD8h/xgwXfce40OC0XVxqlvJkqMl4Xwn4r+PvSPfIDR3eQP3tc3YS4hkuYFLW"
        "VgNEDsSm65e/LQEutbKob3smIzY+KddNkXydw8TIJPUCQ5NwuKY2g4gOhCoM4hnlAt9q792q6QgD/6ufvVPHn0IXYIedWsIu"
        "35cmavyYavHnCmdHmyEGy6fYctBmKcA73MbCLUyfE5x5dcPeRYwAAFrxoAvLNfuEAAHjBOheAABccezTscRn+wIAAAAABFla"
    )
)
CRASHES, NEVER_ENDS = (5961, 137), (6376, 125)

READERS = """
import ctypes, os, signal, sys, time
import numpy as np

def crash(path): ctypes.string_at(0)
def abort(path): os.abort()
def killed(path): os.kill(os.getpid(), signal.SIGKILL)
def leave(path): print("no such luck", file=sys.stderr, flush=True); os._exit(3)
def wait(path): open(path.with_suffix(".pid"), "w").write(str(os.getpid())); time.sleep(600)
def spin(path):  # like a library that never lets Python run again
    open(path.with_suffix(".pid"), "w").write(str(os.getpid()))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    ctypes.PyDLL(None).sleep(600)
def chatter(path): print("noise"); os.write(1, b"more noise"); return 7
def shared(path):
    x = np.arange(3e6)
    return [x, x[1000:], x[::2], x.reshape(1000, -1).T]
def denied(path): raise PermissionError(13, "Permission denied", str(path))
class Odd(Exception):
    def __init__(self, a, b): super().__init__("a strange thing")
def odd(path): raise Odd(1, 2)
"""


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """Call one of the readers above in a separate process."""
    (tmp_path / "bad_readers.py").write_text(READERS)
    (tmp_path / "d.mat").write_bytes(b"data")
    monkeypatch.syspath_prepend(tmp_path)
    return lambda name: read_isolated(f"bad_readers:{name}", tmp_path / "d.mat")


def damaged(path, change):
    content = bytearray(H5AD)
    content[change[0]] = change[1]
    path.write_bytes(content)
    return path


def _mat(path):
    scipy.io.savemat(path, {"X": np.asfortranarray(X), "Y": Y})


def _sparse_mat(path):
    scipy.io.savemat(path, {"X": sp.csc_array(X * (X > 0)), "Y": Y})


def _frame():
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=["u", "v", None] * 4, target=Y)
    return frame.assign(when=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(12), "D"))


def _parquet(path):
    pytest.importorskip("pyarrow")
    _frame().to_parquet(path)


def _feather(path):
    pytest.importorskip("pyarrow")
    _frame().to_feather(path)


def _h5ad(path):
    pytest.importorskip("h5py")
    path.write_bytes(H5AD)


WRITERS = {"a.mat": _mat, "b.mat": _sparse_mat, "c.parquet": _parquet, "d.feather": _feather, "e.h5ad": _h5ad}


@pytest.mark.parametrize("name", WRITERS)
def test_result_is_identical(tmp_path, name):
    WRITERS[name](tmp_path / name)
    expected, isolated = load(tmp_path / name), load(tmp_path / name, isolated=True)
    assert type(isolated.X) is type(expected.X)
    assert isolated.X.dtype == expected.X.dtype
    dense = [data.X.toarray() if sp.issparse(data.X) else data.X for data in (expected, isolated)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(isolated.y, expected.y)
    assert (isolated.feature_names, isolated.notes) == (expected.feature_names, expected.notes)
    if hasattr(expected.table.values, "iloc"):
        pd.testing.assert_frame_equal(isolated.table.values, expected.table.values)
    elif not sp.issparse(expected.X):
        assert isolated.X.flags.writeable
        assert isolated.X.flags.f_contiguous == expected.X.flags.f_contiguous


@pytest.mark.parametrize("name", WRITERS)
def test_errors_are_identical(tmp_path, name):
    WRITERS[name](tmp_path / name)
    valid = (tmp_path / name).read_bytes()
    for content in (valid[: len(valid) // 2], b"a,b\n1,2\n"):
        (tmp_path / name).write_bytes(content)
        messages = []
        for isolated in (False, True):
            with pytest.raises(DataError) as caught:
                load(tmp_path / name, isolated=isolated)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@posix
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "crash",
            "d.mat could not be read: the reader crashed (segmentation fault). The file is probably damaged",
        ),
        (
            "abort",
            "the reader crashed (aborted). The file is probably damaged: write it again from its source.",
        ),
        ("killed", "d.mat could not be read: the reader was killed, probably for lack of memory."),
        ("leave", "the reader crashed (exit code 3: no such luck)"),
        ("odd", "d.mat could not be read (Odd: a strange thing)."),
    ],
)
def test_crashes(reader, name, expected):
    with pytest.raises(DataError) as caught:
        reader(name)
    assert expected in str(caught.value)


def test_errors_of_the_system(reader):
    with pytest.raises(PermissionError, match="Permission denied"):
        reader("denied")


def test_output_of_libraries_is_discarded(reader, capfd):
    assert reader("chatter") == 7
    assert capfd.readouterr() == ("", "")


def test_arrays_that_share_memory(reader):
    expected = np.arange(3e6)
    array, tail, strided, transposed = reader("shared")
    np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(tail, expected[1000:])
    np.testing.assert_array_equal(strided, expected[::2])
    np.testing.assert_array_equal(transposed, expected.reshape(1000, -1).T)


def ends(process, seconds=10):
    """Return whether the process ends soon."""
    for _ in range(int(seconds * 20)):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
@pytest.mark.parametrize("name", ["wait", "spin"])
def test_time_limit(reader, tmp_path, monkeypatch, name):
    monkeypatch.setenv(TIMEOUT, "2.5")
    start = time.monotonic()
    with pytest.raises(DataError) as caught:
        reader(name)
    assert time.monotonic() - start < 10
    assert str(caught.value) == (
        "d.mat could not be read within 2.5 seconds; the file is probably damaged. If it is only large, "
        "set the environment variable FEATSIEVE_READ_TIMEOUT to more seconds."
    )
    assert not Path(f"/proc/{(tmp_path / 'd.pid').read_text()}").exists()  # no zombie remains


def test_time_limit_grows_with_the_file(monkeypatch):
    monkeypatch.delenv(TIMEOUT, raising=False)
    assert (time_limit(0), time_limit(10**9)) == (60, 1060)
    monkeypatch.setenv(TIMEOUT, " 7 ")
    assert time_limit(10**9) == 7
    monkeypatch.setenv(TIMEOUT, "inf")
    assert time_limit(0) == float("inf")
    for wrong in ("0", "-1", "soon", "nan"):
        monkeypatch.setenv(TIMEOUT, wrong)
        with pytest.raises(DataError, match=f"FEATSIEVE_READ_TIMEOUT must be a positive number.*'{wrong}'"):
            time_limit(0)


def test_no_time_limit(reader, monkeypatch):
    monkeypatch.setenv(TIMEOUT, "inf")
    assert reader("chatter") == 7


def waiting(tmp_path, name):
    """Return a process whose reader never ends, and the identifier of the process of the reader."""
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from pathlib import Path\n"
        "from featsieve.datasets.isolated import read_isolated\n"
        f"read_isolated('bad_readers:{name}', Path({str(tmp_path / 'd.mat')!r}))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    for _ in range(1200):
        if (tmp_path / "d.pid").exists() and (tmp_path / "d.pid").read_text():
            return parent, int((tmp_path / "d.pid").read_text())
        time.sleep(0.05)
    raise AssertionError("the reader was not started")


@linux
@pytest.mark.parametrize("name", ["wait", "spin"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.usefixtures("reader")
def test_reader_ends_with_its_parent(tmp_path, name, how):
    parent, child = waiting(tmp_path, name)
    try:
        assert os.getpgid(child) != os.getpgid(
            parent.pid
        )  # an interrupt at the terminal reaches the parent alone
        parent.send_signal(how)
        _, errors = parent.communicate(timeout=10)
        assert ends(child)
        assert (b"KeyboardInterrupt" in errors) == (how == signal.SIGINT)
    finally:
        parent.kill()
        if not ends(child, 0.1):
            os.kill(child, signal.SIGKILL)


@posix
@pytest.mark.parametrize("command", [["rank"], ["select", "--top", "1", "--output", "out.csv"], ["compare"]])
@pytest.mark.parametrize("change", [CRASHES, NEVER_ENDS])
def test_the_command_on_damaged_hdf5(tmp_path, monkeypatch, command, change):
    pytest.importorskip("h5py")
    damaged(tmp_path / "d.h5ad", change)
    monkeypatch.setenv(TIMEOUT, "4")
    arguments = [sys.executable, "-m", "featsieve.cli", *command, str(tmp_path / "d.h5ad")]
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    if result.returncode != 0:  # another version of HDF5 may read it
        assert result.returncode == 2
        assert result.stderr.startswith("Error: d.h5ad ")
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""


@posix
def test_the_command_under_its_test_runner(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.setenv(TIMEOUT, "4")
    (tmp_path / "d.h5ad").write_bytes(H5AD)
    result = CliRunner().invoke(app, ["rank", str(tmp_path / "d.h5ad"), "--method", "variance"])
    assert result.exit_code == 0
    damaged(tmp_path / "d.h5ad", NEVER_ENDS)
    result = CliRunner().invoke(app, ["rank", str(tmp_path / "d.h5ad"), "--method", "variance"])
    assert result.exit_code in (0, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
@pytest.mark.parametrize("value", [2**31 - 1, 2**30, 10_000, -5])
def test_feather_with_text_out_of_bounds(tmp_path, value):
    arrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    import resource

    words = [f"{'w' * (i % 7)}{i}" for i in range(40)]
    table = arrow.table({"a": np.arange(40.0), "t": arrow.array(words, arrow.string())})
    feather.write_feather(table, tmp_path / "d.feather", compression="uncompressed")
    content = (tmp_path / "d.feather").read_bytes()
    offsets = np.cumsum([0, *map(len, words)]).astype("<i4")
    start = content.index(offsets.tobytes())
    offsets[20] = value
    (tmp_path / "d.feather").write_bytes(
        content[:start] + offsets.tobytes() + content[start + offsets.nbytes :]
    )
    result = subprocess.run(
        [sys.executable, "-m", "featsieve.cli", "rank", str(tmp_path / "d.feather")],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith("Error: d.feather is not a Feather file, or is cut short")


def test_published_splits(tmp_path):
    scipy.io.savemat(tmp_path / "s.mat", {"trainIdx": [[1, 2], [3, 4]], "testIdx": [[3, 4], [1, 2]]})
    protocols = [PublishedSplits(tmp_path / "s.mat", isolated=isolated) for isolated in (False, True)]
    assert protocols[0].parameters() == protocols[1].parameters()
    numbers = sp.csc_array([[1.0, 2.0]])
    numbers.indices[1] = 2**30
    scipy.io.savemat(tmp_path / "s.mat", {"trainIdx": numbers, "testIdx": [[3, 4]]})
    for isolated in (False, True):
        with pytest.raises(DataError, match="trainIdx is not a valid sparse matrix"):
            PublishedSplits(tmp_path / "s.mat", isolated=isolated).splits(4, None, 0)


def test_from_an_archive(tmp_path):
    """The package may be imported from a zip file, as by an application in one file."""
    source = Path(featsieve.__file__).parent
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        for path in source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, Path("featsieve") / path.relative_to(source))
        archive.writestr("__main__.py", "from featsieve.cli import main\nmain()\n")
    _mat(tmp_path / "d.mat")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    arguments = [sys.executable, str(tmp_path / "app.zip"), "rank", str(tmp_path / "d.mat"), "--json"]
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=60, env=environment)
    assert result.returncode == 0, result.stderr
    assert '"shape": [' in result.stdout


def test_start_imports_only_what_the_reader_needs():
    code = "import sys, featsieve.datasets.child, featsieve.datasets.formats.h5ad; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "pandas", "pyarrow", "scipy.io", "rich", "typer", "joblib", "array_api_compat"}
    assert not heavy & set(run.stdout.split())
