"""``--scheduler`` and ``--workers``: the same results, and what happens without a cluster."""

import json
import sys

import pytest

from cli.command import error_line, run
from featsieve.cli import cluster

COMPARE = ["compare", "iris", "--methods", "fisher", "--repeats", "2", "--json"]


@pytest.fixture
def distributed():
    return pytest.importorskip("distributed", reason="Dask is not installed")


def curves(*options):
    """Return the notes and the measured curves of a comparison."""
    result = run(*COMPARE, *options)
    assert result.exit_code == 0, result.stderr
    return result.stderr, json.loads(result.stdout)["curves"]


@pytest.mark.slow
def test_workers_of_this_machine(distributed):
    notes, there = curves("--workers", "1")
    assert "Computing on 1 worker of tcp://127.0.0.1:" in notes
    assert ", one fit at a time. Dashboard: http://127.0.0.1:" in notes
    notes, here = curves("--jobs", "1")
    assert "Computing" not in notes
    assert there == here


@pytest.mark.slow
def test_reproduce_on_the_cluster_of_a_scheduler(distributed, tmp_path):
    options = {"threads_per_worker": 2, "protocol": "tcp", "dashboard_address": ":0"}
    arguments = ["reproduce", "lle", "--table", "IV", "--json", "--store"]
    with distributed.LocalCluster(n_workers=1, processes=False, local_directory=tmp_path, **options) as local:
        scheduler = local.scheduler_address
        there = run(*arguments, tmp_path / "there.sqlite", "--scheduler", scheduler)
        names = list(local.scheduler.task_prefixes)
    assert f"Computing on 1 worker of {scheduler}, 2 fits at a time." in there.stderr
    assert "laplacian reversed, K=5-split" in names
    here = run(*arguments, tmp_path / "here.sqlite", "--jobs", "1")
    assert json.loads(there.stdout)["claims"] == json.loads(here.stdout)["claims"]


def test_without_workers_the_command_waits(distributed, capsys):
    options = {"processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=0, **options) as local, distributed.Client(local) as client:
        cluster._describe(client)
    address = local.scheduler_address
    note = f"Waiting for workers of {address}. Start some with: dask worker {address}."
    assert note in capsys.readouterr().err


def test_no_scheduler_at_the_address(distributed, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    message = error_line(*COMPARE, "--scheduler", "tcp://127.0.0.1:1")
    assert message == (
        "Error: --scheduler must be the address of a Dask scheduler; none answers at tcp://127.0.0.1:1. "
        "Start one with: dask scheduler"
    )


def test_scheduler_and_workers_exclude_each_other():
    assert "--scheduler and --workers cannot be combined" in error_line(
        *COMPARE, "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"
    )


@pytest.mark.parametrize("option", [("--workers", "2"), ("--scheduler", "tcp://127.0.0.1:1")])
def test_dask_is_not_installed(monkeypatch, option):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert error_line(*COMPARE, *option) == (
        'Error: --scheduler and --workers require Dask: pip install "featsieve[dask]".'
    )
