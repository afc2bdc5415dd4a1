"""Random changes of bytes. Each function takes a random generator and the bytes and returns an Edit."""

import random
from collections.abc import Callable

from fuzz.edits import Edit

# Critical values of counters, sizes and offsets.
INTEGERS = (0, 1, -1, 2**7, 2**8 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63))
MAX_TRIES = 64


def flip_bit(rng: random.Random, content: bytes) -> Edit:
    offset = rng.randrange(len(content))
    return Edit(offset, offset + 1, bytes([content[offset] ^ 1 << rng.randrange(8)]), "flip a bit")


def set_bytes(rng: random.Random, content: bytes) -> Edit:
    offset = rng.randrange(len(content))
    size = min(rng.choice((1, 1, 1, 2, 4, 8)), len(content) - offset)
    return Edit(offset, offset + size, rng.randbytes(size), "random bytes")


def fill(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 64)
    return Edit(start, stop, bytes([rng.choice((0, 0x20, 0x7F, 0xFF))]) * (stop - start), "fill")


def integer_anywhere(rng: random.Random, content: bytes) -> Edit:
    size = rng.choice((1, 2, 4, 8))
    offset = rng.randrange(max(len(content) - size, 0) + 1)
    return _integer(offset, size, rng.choice(("little", "big")), rng.choice(INTEGERS), "integer")


def size_field(rng: random.Random, content: bytes) -> Edit:
    """Change a number that may be a size, a count or an offset: it is small and not zero."""
    for _ in range(MAX_TRIES):
        size = rng.choice((2, 4, 4, 8))
        order = rng.choice(("little", "little", "big"))
        offset = rng.randrange(max(len(content) - size, 0) + 1)
        value = int.from_bytes(content[offset : offset + size], order)
        if 0 < value <= 2 * len(content):
            similar = (value - 1, value + 1, value * 2, value * 256, -value, len(content), rng.randrange(64))
            return _integer(offset, size, order, rng.choice((*similar, *INTEGERS)), "size")
    return integer_anywhere(rng, content)


def truncate(rng: random.Random, content: bytes) -> Edit:
    return Edit(rng.randrange(len(content)), len(content), b"", "truncate")


def delete(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 64)
    return Edit(start, stop, b"", "delete")


def duplicate(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 256)
    times = rng.choice((1, 1, 2, 10))
    return Edit(stop, stop, content[start:stop] * times, "duplicate")


def swap(rng: random.Random, content: bytes) -> Edit:
    size = rng.choice((1, 2, 4, 8, 16, 64))
    if len(content) < 2 * size:
        return flip_bit(rng, content)
    first, second = sorted(rng.randrange(len(content) - size + 1) for _ in range(2))
    if second - first < size:
        return flip_bit(rng, content)
    between = content[first + size : second]
    swapped = content[second : second + size] + between + content[first : first + size]
    return Edit(first, second + size, swapped, "swap")


def copy_over(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 64)
    offset = rng.randrange(len(content) - (stop - start) + 1)
    return Edit(offset, offset + stop - start, content[start:stop], "copy over")


def splice(rng: random.Random, content: bytes, other: bytes) -> Edit:
    """Join the start of one file and the end of another, or insert a piece of it."""
    start, stop = _segment(rng, other, 512)
    offset = rng.randrange(len(content))
    if rng.random() < 0.5:
        return Edit(offset, len(content), other[rng.randrange(len(other)) :], "splice")
    return Edit(offset, min(offset + stop - start, len(content)), other[start:stop], "splice a piece")


MUTATORS: tuple[Callable[[random.Random, bytes], Edit], ...] = (
    flip_bit,
    flip_bit,
    set_bytes,
    set_bytes,
    fill,
    integer_anywhere,
    size_field,
    size_field,
    size_field,
    truncate,
    delete,
    duplicate,
    swap,
    copy_over,
)


def _segment(rng: random.Random, content: bytes, longest: int) -> tuple[int, int]:
    start = rng.randrange(len(content))
    size = 1 + int(longest * rng.random() ** 3)
    return start, min(start + size, len(content))


def _integer(offset: int, size: int, order: str, value: int, label: str) -> Edit:
    data = (value % (1 << 8 * size)).to_bytes(size, order)
    return Edit(offset, offset + size, data, f"{label} {value}, {order} endian")
