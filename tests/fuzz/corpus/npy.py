"""Arrays of NumPy."""

from collections.abc import Iterator

import numpy as np

from fuzz.corpus.sample import WORDS, Layer, Sample, X, Y, archive_sample, binary_sample, bytes_of


def npy() -> Iterator[Sample]:
    """Yield an array in several memory orders and types."""
    arrays = {
        "npy-float64": X,
        "npy-fortran": np.asfortranarray(X.astype(np.float32)),
        "npy-bigendian": (100 * X).astype(">i2"),
        "npy-bool": X > 0,
        "npy-uint8": (10 * np.abs(X)).astype(np.uint8),
    }
    for name, array in arrays.items():
        yield _npy(name, array, (1, 0))
    yield _npy("npy-version2", X, (2, 0))


def _npy(name: str, array: np.ndarray, version: tuple[int, int]) -> Sample:
    """Return the array, with its header as a layer."""
    content = bytes_of(np.lib.format.write_array, array, version=version)
    start = 8 + (2 if version == (1, 0) else 4)  # magic, version, size of the header
    end = content.index(b"\n") + 1

    def wrap(header: bytes) -> bytes:
        size = min(len(header), 256 ** (start - 8) - 1).to_bytes(start - 8, "little")
        return content[:8] + size + header + content[end:]

    return binary_sample(name, ".npy", content, Layer(content[start:end], wrap, text=True))


def npz() -> Iterator[Sample]:
    """Yield archives, stored and compressed."""
    yield archive_sample("npz-compressed", ".npz", bytes_of(np.savez_compressed, X=X, y=Y))
    names = np.array(["alpha", "beta", "gamma", "delta", "epsilon"])
    yield archive_sample(
        "npz-names", ".npz", bytes_of(np.savez, fea=X, gnd=np.array(WORDS), feature_names=names)
    )
