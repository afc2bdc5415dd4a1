"""The fuzzer itself: valid files are read, files are reproducible, planted failures are found."""

import os
import random
import signal
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("h5py")
pytest.importorskip("pyarrow")
pytest.importorskip("skrub")

from featsieve.datasets import DataError
from featsieve.datasets.formats import COMPRESSIONS, all_formats, extensions
from fuzz import mutate, words
from fuzz.cases import Case, case
from fuzz.corpus import (
    FORMATS,
    ISOLATED,
    Layer,
    Sample,
    X,
    corpus_module,
    find_generator,
    sample,
    samples,
)
from fuzz.corpus.written import written_samples
from fuzz.edits import Edit, apply_all
from fuzz.judge import Verdict, judge, outcome
from fuzz.minimize import minimize
from fuzz.run import Findings, Settings, run
from fuzz.worker import Task, Worker

VALID = [valid for name in FORMATS for valid in samples(name)]
PLAIN = b"a,b\n1,2\n3,4\n"


def plain(*edits):
    """Return a small file with changes."""
    layer = Layer(PLAIN, text=True)
    return Case(0, Sample("csv-plain", ".csv", (layer,)), layer, edits, "load")


@pytest.mark.parametrize("valid", VALID, ids=lambda valid: valid.name)
def test_valid_files_can_be_ranked(tmp_path, valid):
    path = tmp_path / f"t{valid.ending}"
    for layer in valid.layers:
        path.write_bytes(layer.wrap(layer.content))
        assert not isinstance(outcome(path), str)
        assert judge(path, "rank").kind == "data"


def test_every_format_is_in_the_corpus():
    for record in all_formats():
        path = f"tests/{corpus_module(record).replace('.', '/')}.py"
        advice = (
            f"Add {path} with a function {record.name!r} that yields valid files, or a writer to the record."
        )
        assert record.name in FORMATS, advice


@pytest.mark.parametrize("record", [record for record in all_formats() if record.write], ids=lambda r: r.name)
def test_written_files_are_valid(tmp_path, record):
    written = list(written_samples(record))
    assert [valid.ending for valid in written] == list(record.extensions)
    for valid in written:
        path = tmp_path / f"t{valid.ending}"
        path.write_bytes(valid.content)
        values = outcome(path).X
        np.testing.assert_array_equal(values.toarray() if sp.issparse(values) else values, X)
        assert valid.layers[0].text == record.compressible


def test_formats_without_a_function_in_the_corpus_are_written():
    def read(path, samples, target):
        """Read nothing; this module is not in the corpus."""

    record = replace(FORMATS["csv"], read=read)
    assert [valid.name for valid in find_generator(record)()] == ["csv-csv", "csv-tsv"]
    assert find_generator(replace(record, write=None)) is None
    other = replace(FORMATS["csv"], extensions=(".psv",))  # in a module of the corpus, but without a function
    assert find_generator(replace(other, write=None)) is None


def test_every_extension_is_in_the_corpus():
    endings = {valid.ending for valid in VALID}
    aliases = {".libsvm": ".svm"}
    known = [suffix for record in FORMATS.values() for suffix in record.extensions]
    assert {aliases.get(suffix, suffix) for suffix in known} <= endings
    assert {ending[ending.rindex(".") :] for ending in endings} >= set(COMPRESSIONS)


def test_isolated_formats():
    for valid in VALID:
        assert (valid.format in ISOLATED) == (valid.ending in extensions(fragile=True))


def test_valid_files_do_not_depend_on_the_time(monkeypatch):
    before = {valid.name: valid.content for valid in VALID}
    samples.cache_clear()
    time.sleep(1.1)  # MATLAB and HDF5 files contain seconds
    assert {valid.name: valid.content for name in FORMATS for valid in samples(name)} == before


def test_files_are_reproducible():
    first = [case(7, number) for number in range(200)]
    samples.cache_clear()
    again = [case(7, number) for number in reversed(range(200))][::-1]
    assert [c.content for c in again] == [c.content for c in first]
    assert [c.way for c in again] == [c.way for c in first]
    assert len({c.content for c in first}) > 190
    assert case(8, 0).content != first[0].content


@pytest.mark.parametrize(
    "mutator", [*mutate.MUTATORS, *words.MUTATORS, words.long_field], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("content", [b"x", b"\n", b"\0" * 9, PLAIN, sample("npy-bool").content])
def test_edits_are_within_the_file(mutator, content):
    edits = [mutator(random.Random(seed), content) for seed in range(50)]
    assert all(0 <= edit.start <= edit.stop for edit in edits)
    if len(set(content)) > 1:
        assert any(edit.apply(content) != content for edit in edits)


def serve_planted(connection, folder, memory):
    """Serve as a worker that does what the content of the file demands."""
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
    worker = Worker(target=serve_planted)
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
    assert worker.ask(good).kind == "data"  # the process was replaced


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

    minimal = minimize(plain(*edits), fails)
    assert minimal.content == PLAIN[:6] + b"BAD"
    assert [edit.label for edit in minimal.edits] == ["second", "truncate"]
    assert len(tried) < 40
    assert minimize(plain(*edits), fails, tries=0) == plain(*edits)


def test_edits_are_applied_in_order():
    assert apply_all((Edit(0, 1, b"xyz"), Edit(1, 2, b"")), b"abc") == b"xzbc"


def test_run_saves_findings(tmp_path):
    settings = Settings(seed=3, files=300, workers=1, formats=("txt",), folder=tmp_path)
    findings = run(settings, serve_planted)
    (name, kind, reason), failed = next(iter(findings.causes.items()))
    assert (name, kind, reason) == ("txt", "exception", "planted")
    assert findings.counts["txt", "data"] + len(failed) == findings.counts.total() == 300
    number = failed[0][0].case.number
    folder = tmp_path / f"seed3-{number}"
    text = (folder / "finding.txt").read_text()
    assert f"make fuzz SEED=3 NUMBER={number} FORMATS=txt" in text
    (minimal,) = folder.glob("minimal.*")
    assert minimal.read_bytes().endswith(b"1e308")  # cut after the cause
    assert any(f"({number}" in line for line in findings.lines())


def test_run_confirms_crashes_in_a_separate_process(tmp_path, monkeypatch):
    settings = Settings(seed=3, files=10, workers=2, formats=("mat",), folder=tmp_path)
    counts = run(settings, serve_planted).counts
    assert counts["mat", "contained crash"] > 5
    assert counts["mat", "crash"] == 0
    monkeypatch.setattr("fuzz.run.ISOLATED", ())
    monkeypatch.setattr("fuzz.run.MAX_SAVED", 0)
    assert run(settings, serve_planted).counts["mat", "crash"] > 5


def test_run_respects_the_time_limit(tmp_path):
    settings = Settings(seed=3, minutes=0, workers=1, folder=tmp_path)
    findings = run(settings, serve_planted)
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
        (DataError("other.csv: no"), "AssertionError: the message does not start"),
        (DataError("t.csv: two\nlines"), "AssertionError: the message has several lines"),
        (UserWarning("leaked"), "UserWarning in "),
    ],
)
def test_judge_detects_findings(tmp_path, monkeypatch, error, reason):
    def fail(*args, **options):
        if isinstance(error, Warning):
            warnings.warn(error, stacklevel=1)
        raise error

    monkeypatch.setattr("fuzz.judge.load", fail)
    verdict = judge(tmp_path / "t.csv", "load")
    assert verdict.kind == "exception"
    assert verdict.reason.startswith(reason)
