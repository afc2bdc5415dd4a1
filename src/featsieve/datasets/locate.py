"""Location of data: a path, an embedded name, a file in the folder FEATSIEVE_DATA, or openml.org."""

from __future__ import annotations

import os
from pathlib import Path

from featsieve.datasets.catalog import catalog, data_folder, find_entry
from featsieve.datasets.embedded import names
from featsieve.datasets.errors import DataError, DataNotFoundError, close_matches, list_names
from featsieve.datasets.formats import extension, extensions, find_format, stem, unsupported_extension
from featsieve.datasets.openml import PREFIX


def locate(source: str | os.PathLike[str]) -> Path | str:
    """Return the path of a file, the name of an embedded dataset, or ``openml:`` and a name."""
    name = os.fspath(source)
    if not name:
        raise DataError(f"The name of the data is empty: give a file or one of {', '.join(names())}.")
    try:
        return _locate(name, Path(name).expanduser())
    except (OSError, ValueError, RuntimeError) as error:  # a name that no file can have
        if isinstance(error, DataError):
            raise
        raise DataNotFoundError(f"no file or dataset {name[:60]!r} ({error}).") from error


def _locate(name: str, path: Path) -> Path | str:
    if name.startswith(PREFIX) and not path.exists():
        return name
    if path.is_file() or (path.is_dir() and extension(path) and find_format(path).may_be_folder):
        return _check_extension(path)
    if name in names():
        return name
    if path.is_dir():
        raise DataError(f"{name} is a folder: name a file in it{_suggest_files(path)}.")
    if path.exists():
        raise DataError(f"{name} is not a regular file: save the data to one.")
    file = _find_in_data_folder(name)
    if file is None:
        raise _not_found(name, path)
    return _check_extension(file)


def _find_in_data_folder(name: str) -> Path | None:
    folder = data_folder()
    if folder is None:
        return None
    if (folder / name).is_file():
        return folder / name
    files = [file for suffix in extensions() if (file := folder / f"{name}{suffix}").is_file()]
    if len(files) > 1:
        raise DataError(f"{name} could be {' or '.join(file.name for file in files)}: give the extension.")
    entry = find_entry(name)
    return files[0] if files else entry.path if entry else None


def _check_extension(path: Path) -> Path:
    if not extension(path):
        raise unsupported_extension(path, "read", extensions())
    return path


def _not_found(name: str, path: Path) -> DataNotFoundError:
    entry, folder = find_entry(name), data_folder()
    variable = os.environ.get("FEATSIEVE_DATA")
    wrong = f" FEATSIEVE_DATA names {variable}, which is not a folder." if variable and folder is None else ""
    if entry:
        return DataNotFoundError(
            f"{entry.name}: the file {entry.file} was not found in "
            f"{folder or 'the folder that FEATSIEVE_DATA names'}.{wrong} Download it from: {entry.source}."
        )
    parent = "" if path.parent.is_dir() else f" (the folder {path.parent} does not exist)"
    matches = _similar_names(name, path)
    if matches:
        hint = f"Did you mean {' or '.join(matches[:3])}?"
    else:
        hint = f"Give a path to a {', '.join(extensions())} file, or one of {', '.join(names())}."
    return DataNotFoundError(f"no file or dataset {name!r}{parent}. {hint}{wrong}")


def _similar_names(name: str, path: Path) -> list[str]:
    """Return files and datasets with similar names."""
    folder = data_folder()
    similar = [str(path.parent / file) for file in _similar_files(path.name, _list_files(path.parent))]
    similar += close_matches(name, names())
    similar += _similar_files(name, _list_files(folder)) if folder is not None else []
    entries = [entry.name for entry in catalog() if entry.path and entry.file not in similar]
    return list(dict.fromkeys(similar + close_matches(name, entries)))


def _similar_files(name: str, files: list[str]) -> list[str]:
    """Return the files with similar names and any extension."""
    stems = close_matches(stem(name), [stem(file) for file in files])
    return [file for similar_stem in stems for file in files if stem(file) == similar_stem]


def _list_files(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if extension(path))
    except OSError:
        return []


def _suggest_files(folder: Path) -> str:
    files = _list_files(folder)
    return f", such as {list_names(files)}" if files else f" ({', '.join(extensions())}; it contains none)"
