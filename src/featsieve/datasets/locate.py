"""Where the data is: a path, an embedded name, a file of the folder FEATSIEVE_DATA, or openml.org."""

from __future__ import annotations

import os
from pathlib import Path

from featsieve.datasets.catalog import catalog, data_folder, find_entry
from featsieve.datasets.embedded import names
from featsieve.datasets.errors import DataError, DataNotFoundError, close, listing
from featsieve.datasets.formats import EXTENSIONS, extension, stem
from featsieve.datasets.openml import PREFIX


def locate(source: str | os.PathLike[str]) -> Path | str:
    """The path of a file, the name of an embedded dataset, or ``openml:`` and a name."""
    name = os.fspath(source)
    if not name:
        raise DataError(f"the name of the data is empty: give a file or one of {', '.join(names())}.")
    try:
        return _locate(name, Path(name).expanduser())
    except (OSError, ValueError, RuntimeError) as error:  # a name that no file can have
        if isinstance(error, DataError):
            raise
        raise DataNotFoundError(f"no file or dataset {name[:60]!r} ({error}).") from error


def _locate(name: str, path: Path) -> Path | str:
    if name.startswith(PREFIX) and not path.exists():
        return name
    if path.is_file():
        return _supported(path)
    if name in names():
        return name
    if path.is_dir():
        raise DataError(f"{name} is a folder: name a file in it{_examples(path)}.")
    if path.exists():
        raise DataError(f"{name} is not a regular file: save the data to one.")
    return _supported(_in_data_folder(name) or _not_found(name, path))


def _in_data_folder(name: str) -> Path | None:
    folder = data_folder()
    if folder is None:
        return None
    if (folder / name).is_file():
        return folder / name
    found = [folder / f"{name}{ending}" for ending in EXTENSIONS if (folder / f"{name}{ending}").is_file()]
    if len(found) > 1:
        raise DataError(f"{name} could be {' or '.join(path.name for path in found)}: give the extension.")
    entry = find_entry(name)
    return found[0] if found else entry.path if entry else None


def _supported(path: Path) -> Path:
    if extension(path):
        return path
    what = f"the extension {path.suffix!r}" if path.suffix else "no extension"
    raise DataError(f"{path.name} has {what}, and cannot be read. Supported: {', '.join(EXTENSIONS)}.")


def _not_found(name: str, path: Path) -> Path:
    entry, folder = find_entry(name), data_folder()
    unset = os.environ.get("FEATSIEVE_DATA")
    lost = f" FEATSIEVE_DATA names {unset}, which is not a folder." if unset and folder is None else ""
    if entry:
        raise DataNotFoundError(
            f"{entry.name} is looked for as {entry.file} in "
            f"{folder or 'the folder that FEATSIEVE_DATA names'}, and is not there.{lost} "
            f"People get it from: {entry.source}."
        )
    where = "" if path.parent.is_dir() else f" (there is no folder {path.parent})"
    near = _near(name, path)
    if near:
        hint = f"Did you mean {' or '.join(near[:3])}?"
    else:
        hint = f"Give a path to a {', '.join(EXTENSIONS)} file, or one of {', '.join(names())}."
    raise DataNotFoundError(f"no file or dataset {name!r}{where}. {hint}{lost}")


def _near(name: str, path: Path) -> list[str]:
    """Files and datasets whose names are like this one."""
    folder = data_folder()
    near = [str(path.parent / each) for each in _alike(path.name, _files(path.parent))]
    near += close(name, names())
    near += _alike(name, _files(folder)) if folder is not None else []
    near += close(name, [each.name for each in catalog() if each.path and each.file not in near])
    return list(dict.fromkeys(near))


def _alike(name: str, files: list[str]) -> list[str]:
    """Files named like ``name``, whatever the extension."""
    near = close(stem(name), [stem(each) for each in files])
    return [each for like in near for each in files if stem(each) == like]


def _files(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir() if extension(each))
    except OSError:
        return []


def _examples(folder: Path) -> str:
    found = _files(folder)
    return f", such as {listing(found)}" if found else f" ({', '.join(EXTENSIONS)}; it holds none)"
