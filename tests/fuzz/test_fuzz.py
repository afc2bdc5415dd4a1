"""The fuzzer itself: whole files can be read, a number is a file, planted failures are found."""

import os
import random
import signal
import time
import warnings

import pytest

pytest.importorskip("h5py")
pytest.importorskip("pyarrow")
pytest.importorskip("skrub")

from featsieve.datasets import DataError
from featsieve.datasets.formats import COMPRESSIONS, extensions
from fuzz import mutate, words
from fuzz.cases import Case, case
from fuzz.corpus import FORMATS, ISOLATED, Layer, Sample, sample, samples
from fuzz.edits import Edit, apply_all
from fuzz.judge import Verdict, judge, outcome
from fuzz.minimize import minimize
from fuzz.run import Findings, Settings, run
from fuzz.worker import Task, Worker

WHOLE = [each for kind in FORMATS for each in samples(kind)]
PLAIN = b"a,b\n1,2\n3,4\n"


def plain(*edits):
    """A small file, changed."""
    layer = Layer(PLAIN, text=True)
    return Case(0, Sample("csv-plain", ".csv", (layer,)), layer, edits, "load")


@pytest.mark.parametrize("whole", WHOLE, ids=lambda each: each.name)
def test_whole_files_can_be_ranked(tmp_path, whole):
    path = tmp_path / f"t{whole.ending}"
    for layer in whole.layers:
        path.write_bytes(layer.wrap(layer.content))
        assert not isinstance(outcome(path), str)
        assert judge(path, "rank").kind == "data"


def test_every_extension_is_in_the_corpus():
    endings = {each.ending for each in WHOLE}
    aliases = {".libsvm": ".svm"}
    assert {aliases.get(suffix, suffix) for suffix in extensions()} <= endings
    assert {ending[ending.rindex(".") :] for ending in endings} >= set(COMPRESSIONS)


def test_formats_that_are_isolated():
    for each in WHOLE:
        assert (each.format in ISOLATED) == (each.ending in extensions(fragile=True))


def test_whole_files_do_not_depend_on_the_clock(monkeypatch):
    before = {each.name: each.content for each in WHOLE}
    samples.cache_clear()
    time.sleep(1.1)  # MATLAB and HDF5 write seconds
    assert {each.name: each.content for kind in FORMATS for each in samples(kind)} == before


def test_a_number_is_a_file():
    first = [case(7, number) for number in range(200)]
    samples.cache_clear()
    again = [case(7, number) for number in reversed(range(200))][::-1]
    assert [each.content for each in again] == [each.content for each in first]
    assert [each.way for each in again] == [each.way for each in first]
    assert len({each.content for each in first}) > 190
    assert case(8, 0).content != first[0].content


@pytest.mark.parametrize(
    "mutator", [*mutate.MUTATORS, *words.MUTATORS, words.long_field], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("content", [b"x", b"\n", b"\0" * 9, PLAIN, sample("npy-bool").content])
def test_every_change_fits(mutator, content):
    edits = [mutator(random.Random(seed), content) for seed in range(50)]
    assert all(0 <= edit.start <= edit.stop for edit in edits)
    if len(set(content)) > 1:
        assert any(edit.apply(content) != content for edit in edits)


def obeying(connection, folder, memory):
    """A worker that does what the file says."""
    connection.send(True)
    while True:
        _, content, _, isolated = connection.recv()
        if b"hang" in content:
            time.sleep(60)
        if b"crash" in content or (content.startswith(b"MATLAB") and not isolated):
            os.kill(os.getpid(), signal.SIGSEGV)
        planted = b"raise" in content or b"1e308" in content
        connection.send(Verdict("exception", "planted") if planted else Verdict("data"))


@pytest.fixture
def worker():
    worker = Worker(target=obeying)
    yield worker
    worker.close()


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        (b"hang", "hang", "no answer within 0.5 s"),
        (b"crash", "crash", "SIGSEGV"),
        (b"raise", "exception", "planted"),
    ],
)
def test_watchdog(worker, word, kind, reason):
    good = Task(plain(), 0.5)
    assert worker.ask(good).kind == "data"
    verdict = worker.ask(Task(plain(Edit(4, 5, word)), 0.5))
    assert (verdict.kind, verdict.reason) == (kind, reason)
    assert worker.ask(good).kind == "data"  # it was replaced


def test_minimizer():
    edits = (
        Edit(0, 1, b"A", "first"),
        Edit(2, 10, b"xxxxBAD!", "second"),
        Edit(0, 0, b"more\n", "third"),
    )
    tried = []

    def fails(case):
        tried.append(case.content)
        return b"BAD" in case.content

    small = minimize(plain(*edits), fails)
    assert small.content == PLAIN[:6] + b"BAD"
    assert [edit.label for edit in small.edits] == ["second", "truncate"]
    assert len(tried) < 40
    assert minimize(plain(*edits), fails, tries=0) == plain(*edits)


def test_edits_are_applied_in_order():
    assert apply_all((Edit(0, 1, b"xyz"), Edit(1, 2, b"")), b"abc") == b"xzbc"


def test_run_saves_what_fails(tmp_path):
    settings = Settings(seed=3, files=300, workers=1, formats=("text",), folder=tmp_path)
    findings = run(settings, obeying)
    (name, kind, reason), failed = next(iter(findings.causes.items()))
    assert (name, kind, reason) == ("text", "exception", "planted")
    assert findings.counts["text", "data"] + len(failed) == findings.counts.total() == 300
    number = failed[0][0].case.number
    folder = tmp_path / f"seed3-{number}"
    text = (folder / "finding.txt").read_text()
    assert f"make fuzz SEED=3 NUMBER={number} FORMATS=text" in text
    (small,) = folder.glob("small.*")
    assert small.read_bytes().endswith(b"1e308")  # cut behind what fails
    assert any(f"({number}" in line for line in findings.lines())


def test_run_reads_in_a_process_of_its_own_what_crashed(tmp_path, monkeypatch):
    settings = Settings(seed=3, files=10, workers=2, formats=("mat",), folder=tmp_path)
    counts = run(settings, obeying).counts
    assert counts["mat", "contained crash"] > 5
    assert counts["mat", "crash"] == 0
    monkeypatch.setattr("fuzz.run.ISOLATED", ())
    monkeypatch.setattr("fuzz.run.SAVED", 0)
    assert run(settings, obeying).counts["mat", "crash"] > 5


def test_run_ends_in_time(tmp_path):
    settings = Settings(seed=3, minutes=0, workers=1, folder=tmp_path)
    findings = run(settings, obeying)
    assert findings == Findings(seconds=findings.seconds)
    assert list(findings.lines())[-1] == "No findings."


@pytest.mark.parametrize(
    ("content", "kind"), [(PLAIN, "data"), (b"a,b\n1\n", "refused"), (b"\0" * 50, "refused")]
)
@pytest.mark.parametrize("way", ["load", "strict", "rank"])
def test_judge(tmp_path, monkeypatch, content, kind, way):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(content)
    assert judge(tmp_path / "t.csv", way).kind == kind


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ZeroDivisionError(), "ZeroDivisionError in "),
        (DataError("other.csv: no"), "AssertionError: the message does not begin"),
        (DataError("t.csv: two\nlines"), "AssertionError: the message has several lines"),
        (UserWarning("leaked"), "UserWarning in "),
    ],
)
def test_judge_finds(tmp_path, monkeypatch, error, reason):
    def fail(*args, **options):
        if isinstance(error, Warning):
            warnings.warn(error, stacklevel=1)
        raise error

    monkeypatch.setattr("fuzz.judge.load", fail)
    verdict = judge(tmp_path / "t.csv", "load")
    assert verdict.kind == "exception"
    assert verdict.reason.startswith(reason)
