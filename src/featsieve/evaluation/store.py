"""One SQLite file that holds every finished piece of every comparison.

The file is in WAL mode, so that a process that is killed loses at most the cell it was computing, and so
that several processes can write at the same time. Its tables, in version 1:

``runs(run_id TEXT PRIMARY KEY, created TEXT, info TEXT)``
    One row for each comparison. ``run_id`` is a hash of everything that decides the results apart from the
    methods: data, protocol, sizes, measures, seed, scaling, imputation and the versions of the numerical
    libraries. ``info`` is JSON: ``dataset`` (name, n_samples, n_features, n_classes, class_counts, target,
    feature_names, columns and origins where features were made of text or dates, hash, notes), ``protocol``
    (name, description, n_splits, parameters, transductive, sees_labels), ``sizes``, ``measures`` (key, name,
    better, main, percent), ``seed``, ``versions``, ``command`` (a line for each that added to the run, or
    null), ``scale``, ``impute``.

``methods(run_id TEXT, label TEXT, info TEXT, PRIMARY KEY (run_id, label))``
    What each label of a run stands for. JSON: ``method`` (name in the registry or null), ``supervised``
    ("yes", "no", "optional"), ``estimator`` (its class), ``uses_labels``, ``parameters``.

``cells(run_id TEXT, method TEXT, split INTEGER, status TEXT, error TEXT, seconds REAL, peak_bytes INTEGER,
finished TEXT, result TEXT, PRIMARY KEY (run_id, method, split))``
    One row for each method and split. ``split`` 0, 1, ...: fitted on the training part, measured on the test
    part; -1: fitted on all samples, not measured ("what to keep"). ``status`` is "ok", "failed" or "timeout".
    ``seconds`` and ``peak_bytes`` are those of the fit alone. ``result`` is JSON: ``order`` (feature indices,
    best first), ``scores`` (numbers or null), ``measures`` ({key: [a value for each size]}), ``n_train``,
    ``n_test``, ``warnings``. The method "random" has no order; its measures are means, and ``draws`` holds
    {key: [[a value for each size] for each draw]}. The method "all" has the value at all features, once for
    each size.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

VERSION = 1
_TABLES = (
    "CREATE TABLE runs(run_id TEXT PRIMARY KEY, created TEXT, info TEXT)",
    "CREATE TABLE methods(run_id TEXT, label TEXT, info TEXT, PRIMARY KEY(run_id, label))",
    "CREATE TABLE cells(run_id TEXT, method TEXT, split INTEGER, "
    "status TEXT CHECK(status IN ('ok', 'failed', 'timeout')), error TEXT, seconds REAL, "
    "peak_bytes INTEGER, finished TEXT, result TEXT, PRIMARY KEY(run_id, method, split))",
)
# How long to wait for another process that is writing.
_PATIENCE = 60.0


@dataclass(frozen=True)
class Cell:
    """One method on one split.

    Attributes
    ----------
    method : str
        Its label.
    split : int
        Number of the split; -1 for the fit on all samples.
    status : {"ok", "failed", "timeout"}
    error : str or None
        Why it failed.
    seconds : float or None
        Wall time of the fit.
    peak_bytes : int or None
        Growth of the peak memory of the process during the fit.
    finished : str
        When, in UTC.
    result : dict or None
        What was found; see the layout of the store.
    """

    method: str
    split: int
    status: Literal["ok", "failed", "timeout"]
    error: str | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    finished: str = ""
    result: dict[str, Any] | None = None


class Store:
    """Runs and their cells in one SQLite file.

    Parameters
    ----------
    path : str or path, default=":memory:"
        The file; made if it is not there.
    create : bool, default=True
        Without it, a file that is not there is an error.

    Examples
    --------
    >>> from featsieve.evaluation import Cell, Store
    >>> store = Store()
    >>> store.add_run("1f", {"seed": 0})
    >>> store.put("1f", Cell("variance", 0, "ok", result={"order": [1, 0]}))
    >>> store.finished("1f")
    {('variance', 0): 'ok'}
    """

    def __init__(self, path: str | os.PathLike[str] = ":memory:", create: bool = True) -> None:
        self.path = os.fspath(path)
        if self.path != ":memory:":
            self.path = os.path.expanduser(self.path)
            if not create and not Path(self.path).is_file():
                raise ValueError(f"there is no store {self.path}.")
            if Path(self.path).is_dir():
                raise ValueError(f"the store {self.path} is a folder: give the name of a file in it.")
            folder = Path(self.path).resolve().parent
            if not folder.is_dir():
                raise ValueError(f"the store {self.path} cannot be made: there is no folder {folder}.")
        self._lock = threading.Lock()
        with self._errors():
            self._connection = sqlite3.connect(
                self._address(create),
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._errors():
                self._prepare(create)
        except ValueError:
            self._connection.close()
            raise

    def _address(self, create: bool) -> str:
        """The file as SQLite wants it: to be read only, where nothing can be written beside it."""
        if self.path == ":memory:":
            return self.path
        file = Path(self.path).resolve()
        fixed = not create and not os.access(file.parent, os.W_OK) and not Path(f"{file}-wal").exists()
        return file.as_uri() + ("?immutable=1" if fixed else "")

    def _prepare(self, create: bool) -> None:
        if not self._is_ours():
            if not create:
                raise ValueError(f"{self.path} is not a store of featsieve: it holds no runs.")
            self._write_ahead()
            self._connection.execute("BEGIN IMMEDIATE")  # all tables or none, whoever else makes them
            if not self._is_ours():
                for statement in _TABLES:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version={VERSION}")
            self._connection.execute("COMMIT")
        self._connection.execute("PRAGMA synchronous=NORMAL")

    def _is_ours(self) -> bool:
        """Whether the file has the tables; ValueError where it has others."""
        # in this order: tables that are there have their version
        empty = self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION and not (version == 0 and empty):
            raise ValueError(f"{self.path} is not a store that this version of featsieve can read.")
        return version == VERSION

    def _write_ahead(self) -> None:
        """Go to WAL mode; SQLite does not wait here, so we do."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ValueError(f"the store {self.path} cannot be used: {error}.") from error

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._errors():
            return self._connection.execute(statement, values).fetchall()

    def add_run(self, run_id: str, info: dict[str, Any]) -> None:
        """Record a run; one that is there already stays as it is, but for a command that adds to it."""
        self._execute(
            "INSERT INTO runs VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (run_id, now(), as_json(info))
        )
        known, command = self.runs()[run_id], info.get("command")
        commands = (known.get("command") or "").splitlines()
        if command and command not in commands:
            row = as_json(known | {"command": "\n".join([*commands, command])})
            self._execute("UPDATE runs SET info=? WHERE run_id=?", (row, run_id))

    def add_method(self, run_id: str, label: str, info: dict[str, Any]) -> None:
        """Record what a label stands for; ValueError where it stands for something else already."""
        self._execute(
            "INSERT INTO methods VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (run_id, label, as_json(info))
        )
        known = self.methods(run_id)[label]
        if known != json.loads(as_json(info)):
            raise ValueError(
                f"the store {self.path} has results of {label!r} with other parameters "
                f"({_differences(known, info)}): give the method another label, or use another store."
            )

    def put(self, run_id: str, cell: Cell, replace: bool = False) -> None:
        """Record a finished cell at once; the first to come stays unless ``replace``."""
        result = None if cell.result is None else as_json(cell.result)
        row = (run_id, *astuple(cell)[:6], cell.finished or now(), result)
        insert = "INSERT OR REPLACE" if replace else "INSERT"
        otherwise = "" if replace else "ON CONFLICT DO NOTHING"
        self._execute(f"{insert} INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) {otherwise}", row)

    def runs(self) -> dict[str, dict[str, Any]]:
        """The info of every run, oldest first."""
        rows = self._execute("SELECT run_id, info FROM runs ORDER BY created, rowid")
        return {run_id: json.loads(info) for run_id, info in rows}

    def methods(self, run_id: str) -> dict[str, dict[str, Any]]:
        """What the labels of a run stand for, in the order in which they came."""
        rows = self._execute("SELECT label, info FROM methods WHERE run_id=? ORDER BY rowid", (run_id,))
        return {label: json.loads(info) for label, info in rows}

    def cells(self, run_id: str) -> list[Cell]:
        """The finished cells of a run, by method and split."""
        rows = self._execute(
            "SELECT method, split, status, error, seconds, peak_bytes, finished, result FROM cells "
            "WHERE run_id=? ORDER BY method, split",
            (run_id,),
        )
        return [
            Cell(*row, result=None if result is None else json.loads(result))  # type: ignore[misc]
            for *row, result in rows
        ]

    def finished(self, run_id: str) -> dict[tuple[str, int], str]:
        """The status of every finished cell."""
        rows = self._execute("SELECT method, split, status FROM cells WHERE run_id=?", (run_id,))
        return {(method, split): status for method, split, status in rows}

    def status(self, run_id: str, method: str, split: int) -> str | None:
        """The status of one cell, None where it is not finished."""
        where = "run_id=? AND method=? AND split=?"
        rows = self._execute(f"SELECT status FROM cells WHERE {where}", (run_id, method, split))
        return rows[0][0] if rows else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def as_json(value: Any) -> str:
    """The value as JSON, with null for what is not finite."""
    return json.dumps(replace_nonfinite(value), allow_nan=False, separators=(",", ":"))


def replace_nonfinite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON cannot represent, by None; convert arrays to lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): replace_nonfinite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_nonfinite(item) for item in value]
    return value


def _differences(known: dict[str, Any], info: dict[str, Any]) -> str:
    old, new = (each | each.get("parameters", {}) for each in (known, json.loads(as_json(info))))
    names = [name for name in old | new if name != "parameters" and old.get(name) != new.get(name)]
    return ", ".join(f"{name}={old.get(name)!r} there, {new.get(name)!r} here" for name in names)
