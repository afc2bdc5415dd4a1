"""One SQLite file that stores the finished cells of comparisons.

A cell is the result of one method on one split. The file is in WAL mode: a process that is killed loses at
most the cells that it was computing, and several processes can write at the same time. The tables of
version 2:

``runs(run_id TEXT PRIMARY KEY, created TEXT, info TEXT)``
    One row per comparison. ``run_id`` is a hash of everything that determines the results, except the
    methods, which are hashed separately. It covers data, protocol, sizes, measures, seed, scaling,
    imputation, the versions of the numerical libraries and the source code of the protocol and of the
    measures. ``info`` is JSON: ``dataset`` (name, n_samples, n_features, n_classes, class_counts, target,
    feature_names, columns and origins if text or dates were encoded, hash, notes), ``protocol`` (name,
    description, n_splits, parameters, transductive, sees_labels), ``sizes``, ``measures`` (key, name,
    direction, main, percent), ``seed``, ``versions``, ``command`` (one line per command that added to the
    run, or null), ``scale``, ``impute``, ``selection`` (arguments of ``featsieve select`` that
    read the same data, or null), ``correlated`` ({recommended feature: [strongly correlated features]}).

``methods(run_id TEXT, label TEXT, source TEXT, info TEXT, PRIMARY KEY (run_id, label))``
    The method behind each label of a run. ``source`` is the hash of the source code that computed its
    current cells. ``info`` is JSON: ``method`` (name in the registry or null), ``supervised`` ("yes", "no",
    "optional"), ``estimator`` (its class), ``uses_labels``, ``parameters``.

``cells(run_id, method, split, status, error, seconds, peak_bytes, finished, result, source)``
    One row per method, split and version of the source, which are the primary key with ``run_id``.
    ``split`` is 0, 1, ... for a fit on the training set and measures on the test set, -1 for a fit on all
    samples without measures. ``status`` is "ok",
    "failed" or "timeout". ``seconds`` and ``peak_bytes`` are those of the fit. ``result`` is JSON: ``order``
    (feature indices, best first), ``scores`` (numbers or null), ``measures`` ({key: [value at each size]}),
    ``n_train``, ``n_test``, ``warnings``. The method "random" has no order: its measures are means over
    random orders, and ``draws`` has {key: [[value at each size] for each order]}. The method "all" has the
    value for all features, repeated for each size.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

VERSION = 2
_TABLES = (
    "CREATE TABLE runs(run_id TEXT PRIMARY KEY, created TEXT, info TEXT)",
    "CREATE TABLE methods(run_id TEXT, label TEXT, source TEXT, info TEXT, PRIMARY KEY(run_id, label))",
    "CREATE TABLE cells(run_id TEXT, method TEXT, split INTEGER, "
    "status TEXT CHECK(status IN ('ok', 'failed', 'timeout')), error TEXT, seconds REAL, "
    "peak_bytes INTEGER, finished TEXT, result TEXT, source TEXT, "
    "PRIMARY KEY(run_id, method, split, source))",
)
# Selects the cells that were computed by the current source of their method.
_CURRENT = (
    "run_id=? AND source=COALESCE((SELECT m.source FROM methods AS m "
    "WHERE m.run_id=cells.run_id AND m.label=cells.method), '')"
)
_LOCK_TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True)
class Cell:
    """Result of one method on one split.

    Parameters
    ----------
    method : str
        Label of the method.
    split : int
        Index of the split; -1 for the fit on all samples.
    status : {"ok", "failed", "timeout"}
        Whether the cell was computed.
    error : str or None
        Error message of a cell that is not "ok".
    seconds : float or None
        Wall time of the fit.
    peak_bytes : int or None
        Growth of the peak memory of the process during the fit.
    finished : str
        Time when the cell was finished, in UTC.
    result : dict or None
        Order, scores and measures; see :mod:`featsieve.evaluation.store`.
    source : str
        Hash of the source of the method.

    See Also
    --------
    Store : The file that stores cells.

    Examples
    --------
    >>> from featsieve.evaluation import Cell
    >>> Cell("variance", 0, "timeout", "stopped after 5 seconds").status
    'timeout'
    """

    method: str
    split: int
    status: Literal["ok", "failed", "timeout"]
    error: str | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    finished: str = ""
    result: dict[str, Any] | None = None
    source: str = ""


class Store:
    """SQLite file of runs and their cells.

    Parameters
    ----------
    path : str or path, default=":memory:"
        The file; it is created if it does not exist.
    create : bool, default=True
        If False, raise an error if the file does not exist.

    See Also
    --------
    Comparison.read : Read the results of a run.

    Examples
    --------
    >>> from featsieve.evaluation import Cell, Store
    >>> store = Store()
    >>> store.add_run("1f", {"seed": 0})
    >>> store.put("1f", Cell("variance", 0, "ok", result={"order": [1, 0]}))
    >>> store.status("1f", "variance", 0)
    'ok'
    """

    def __init__(self, path: str | os.PathLike[str] = ":memory:", create: bool = True) -> None:
        self.path = os.fspath(path)
        if self.path != ":memory:":
            self.path = os.path.expanduser(self.path)
            if not create and not Path(self.path).is_file():
                raise ValueError(f"the store {self.path} does not exist. Check the path.")
            if Path(self.path).is_dir():
                raise ValueError(f"the store {self.path} must be a file; got a folder.")
            folder = Path(self.path).resolve().parent
            if not folder.is_dir():
                raise ValueError(f"the store {self.path} cannot be created: there is no folder {folder}.")
        self._lock = threading.Lock()
        with self._errors():
            self._connection = sqlite3.connect(
                self._address(create),
                uri=True,
                timeout=_LOCK_TIMEOUT_SECONDS,
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
        """Return the address of the file, marked as immutable if SQLite could not create its lock files."""
        if self.path == ":memory:":
            return self.path
        file = Path(self.path).resolve()
        immutable = not create and not os.access(file.parent, os.W_OK) and not Path(f"{file}-wal").exists()
        return file.as_uri() + ("?immutable=1" if immutable else "")

    def _prepare(self, create: bool) -> None:
        if not self._has_tables():
            if not create:
                raise ValueError(f"{self.path} is not a store of featsieve: it has no tables.")
            self._write_ahead()
            self._connection.execute("BEGIN IMMEDIATE")  # several processes may create the tables
            if not self._has_tables():
                for statement in _TABLES:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version={VERSION}")
            self._connection.execute("COMMIT")
        self._connection.execute("PRAGMA synchronous=NORMAL")

    def _has_tables(self) -> bool:
        """Return whether the file has the tables; raise ValueError if it is not a store of this version."""
        # in this order, because another process may create the tables in between
        tables = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master")}
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and not {"runs", "cells"} <= tables:
            raise ValueError(
                f"{self.path} is not a store of featsieve: it has other tables. Use another file."
            )
        if version != VERSION and (tables or version != 0):
            raise ValueError(
                f"{self.path} is a store of version {version}, but this version of featsieve reads version "
                f"{VERSION}. Use another file."
            )
        return version == VERSION

    def _write_ahead(self) -> None:
        """Switch to WAL mode. SQLite does not wait for other processes here, so retry."""
        deadline = time.monotonic() + _LOCK_TIMEOUT_SECONDS
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

    def _execute(
        self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        with self._lock, self._errors():
            return self._connection.execute(statement, values).fetchall()

    def add_run(self, run_id: str, info: dict[str, Any]) -> None:
        """Record a run. A run that exists is not changed, except that its commands are extended."""
        self._execute(
            "INSERT INTO runs VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (run_id, now(), to_json(info))
        )
        known, command = self.runs()[run_id], info.get("command")
        commands = (known.get("command") or "").splitlines()
        if command and command not in commands:
            row = to_json(known | {"command": "\n".join([*commands, command])})
            self._execute("UPDATE runs SET info=? WHERE run_id=?", (row, run_id))

    def update_run(self, run_id: str, info: dict[str, Any]) -> None:
        """Add entries to the info of a run, or replace them."""
        row = to_json(self.runs()[run_id] | info)
        self._execute("UPDATE runs SET info=? WHERE run_id=?", (row, run_id))

    def add_method(self, run_id: str, label: str, info: dict[str, Any], source: str = "") -> None:
        """Record the method behind a label and the hash of its source.

        Cells that were computed by another source stay in the file but are no longer returned.
        """
        self._execute(
            "INSERT INTO methods VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (run_id, label, source, to_json(info)),
        )
        known = self.methods(run_id)[label]
        if known != json.loads(to_json(info)):
            raise ValueError(
                f"the store {self.path} has results of {label!r} with other parameters "
                f"({_differences(known, info)}). Choose another label for the method, or use another "
                "--store file."
            )
        self._execute("UPDATE methods SET source=? WHERE run_id=? AND label=?", (source, run_id, label))

    def put(self, run_id: str, cell: Cell, replace: bool = False) -> None:
        """Record a finished cell. Unless ``replace``, a cell that exists is not changed."""
        row = vars(cell) | {
            "run_id": run_id,
            "finished": cell.finished or now(),
            "result": None if cell.result is None else to_json(cell.result),
        }
        insert, conflict = ("INSERT OR REPLACE", "") if replace else ("INSERT", "ON CONFLICT DO NOTHING")
        columns = ", ".join(f":{name}" for name in ("run_id", *vars(cell)))
        self._execute(f"{insert} INTO cells VALUES ({columns}) {conflict}", row)

    def runs(self) -> dict[str, dict[str, Any]]:
        """Return the info of every run, oldest first."""
        rows = self._execute("SELECT run_id, info FROM runs ORDER BY created, rowid")
        return {run_id: json.loads(info) for run_id, info in rows}

    def methods(self, run_id: str) -> dict[str, dict[str, Any]]:
        """Return the info of every method of a run, in the order in which they were added."""
        rows = self._execute("SELECT label, info FROM methods WHERE run_id=? ORDER BY rowid", (run_id,))
        return {label: json.loads(info) for label, info in rows}

    def cells(self, run_id: str) -> list[Cell]:
        """Return the finished cells of a run, sorted by method and split."""
        columns = ", ".join(field.name for field in fields(Cell))
        rows = self._execute(
            f"SELECT {columns} FROM cells WHERE {_CURRENT} ORDER BY method, split", (run_id,)
        )
        return [
            Cell(*row, result=None if result is None else json.loads(result), source=source)  # type: ignore[misc]
            for *row, result, source in rows
        ]

    def status(self, run_id: str, method: str, split: int, source: str = "") -> str | None:
        """Return the status of one cell, None if it is not finished."""
        condition = "run_id=? AND method=? AND split=? AND source=?"
        rows = self._execute(f"SELECT status FROM cells WHERE {condition}", (run_id, method, split, source))
        return rows[0][0] if rows else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def now() -> str:
    """Return the time in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def to_json(value: Any) -> str:
    """Return the value as JSON, with null for numbers that are not finite."""
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
    old, new = (record | record.get("parameters", {}) for record in (known, json.loads(to_json(info))))
    names = [name for name in old | new if name != "parameters" and old.get(name) != new.get(name)]
    return ", ".join(f"{name}={old.get(name)!r} in the store, now {new.get(name)!r}" for name in names)
