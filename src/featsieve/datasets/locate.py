"""Where the data is: a path, an embedded name, or a file of the folder FEATSIEVE_DATA."""

from __future__ import annotations

import os
from pathlib import Path

from featsieve.datasets.embedded import names
from featsieve.datasets.errors import DataError, DataNotFoundError, close, listing

EXTENSIONS = (".csv", ".tsv", ".mat", ".npz", ".npy")


def locate(source: str | os.PathLike[str]) -> Path | str:
    """The path of a file, or the name of an embedded dataset."""
    name, path = os.fspath(source), Path(source).expanduser()
    if not name:
        raise DataError(f"the name of the data is empty: give a file or one of {', '.join(names())}.")
    if path.is_file():
        return _supported(path)
    if name in names():
        return name
    if path.is_dir():
        raise DataError(f"{name} is a folder: name a file in it{_examples(path)}.")
    return _supported(_in_data_folder(name) or _not_found(name, path))


def data_folder() -> Path | None:
    """The folder that the environment variable FEATSIEVE_DATA names, if it is there."""
    folder = os.environ.get("FEATSIEVE_DATA")
    return Path(folder).expanduser() if folder and Path(folder).expanduser().is_dir() else None


def _in_data_folder(name: str) -> Path | None:
    folder = data_folder()
    if folder is None:
        return None
    if (folder / name).is_file():
        return folder / name
    found = [folder / f"{name}{ending}" for ending in EXTENSIONS if (folder / f"{name}{ending}").is_file()]
    if len(found) > 1:
        raise DataError(f"{name} could be {' or '.join(path.name for path in found)}: give the extension.")
    return found[0] if found else None


def _supported(path: Path) -> Path:
    if path.suffix.lower() in EXTENSIONS:
        return path
    what = f"the extension {path.suffix!r}" if path.suffix else "no extension"
    raise DataError(f"{path.name} has {what}, and cannot be read. Supported: {', '.join(EXTENSIONS)}.")


def _not_found(name: str, path: Path) -> Path:
    here = _files(path.parent)
    elsewhere = data_folder()
    near = [str(path.parent / each) for each in _alike(path.name, here)]
    near += [each for each in close(name, names()) if each not in near]
    if elsewhere is not None:
        near += [each for each in _alike(name, _files(elsewhere)) if each not in near]
    where = "" if path.parent.is_dir() else f" (there is no folder {path.parent})"
    if near:
        hint = f"Did you mean {' or '.join(near[:3])}?"
    else:
        hint = f"Give a path to a {', '.join(EXTENSIONS)} file, or one of {', '.join(names())}."
    unset = os.environ.get("FEATSIEVE_DATA")
    lost = f" FEATSIEVE_DATA names {unset}, which is not a folder." if unset and elsewhere is None else ""
    raise DataNotFoundError(f"no file or dataset {name!r}{where}. {hint}{lost}")


def _alike(name: str, files: list[str]) -> list[str]:
    """Files named like ``name``, whatever the extension."""
    near = close(Path(name).stem, [Path(each).stem for each in files])
    return [each for stem in near for each in files if Path(each).stem == stem]


def _files(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir() if each.suffix.lower() in EXTENSIONS)
    except OSError:
        return []


def _examples(folder: Path) -> str:
    found = _files(folder)
    return f", such as {listing(found)}" if found else f" ({', '.join(EXTENSIONS)}; it holds none)"
