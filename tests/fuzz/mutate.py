"""Random changes of bytes. Each takes a generator and the bytes, and gives one :class:`Edit`."""

import random
from collections.abc import Callable

from fuzz.edits import Edit

# Where counters, sizes and offsets go wrong.
INTEGERS = (0, 1, -1, 2**7, 2**8 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63))
_TRIES = 64


def flip_bit(rng: random.Random, content: bytes) -> Edit:
    place = rng.randrange(len(content))
    return Edit(place, place + 1, bytes([content[place] ^ 1 << rng.randrange(8)]), "flip a bit")


def set_bytes(rng: random.Random, content: bytes) -> Edit:
    place = rng.randrange(len(content))
    size = min(rng.choice((1, 1, 1, 2, 4, 8)), len(content) - place)
    return Edit(place, place + size, rng.randbytes(size), "random bytes")


def fill(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 64)
    return Edit(start, stop, bytes([rng.choice((0, 0x20, 0x7F, 0xFF))]) * (stop - start), "fill")


def integer_anywhere(rng: random.Random, content: bytes) -> Edit:
    size = rng.choice((1, 2, 4, 8))
    place = rng.randrange(max(len(content) - size, 0) + 1)
    return _integer(place, size, rng.choice(("little", "big")), rng.choice(INTEGERS), "integer")


def size_field(rng: random.Random, content: bytes) -> Edit:
    """Change a number that may be a size, a count or an offset: small, and not zero."""
    for _ in range(_TRIES):
        size = rng.choice((2, 4, 4, 8))
        order = rng.choice(("little", "little", "big"))
        place = rng.randrange(max(len(content) - size, 0) + 1)
        value = int.from_bytes(content[place : place + size], order)
        if 0 < value <= 2 * len(content):
            near = (value - 1, value + 1, value * 2, value * 256, -value, len(content), rng.randrange(64))
            return _integer(place, size, order, rng.choice((*near, *INTEGERS)), "size")
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
    middle = content[first + size : second]
    swapped = content[second : second + size] + middle + content[first : first + size]
    return Edit(first, second + size, swapped, "swap")


def copy_over(rng: random.Random, content: bytes) -> Edit:
    start, stop = _segment(rng, content, 64)
    place = rng.randrange(len(content) - (stop - start) + 1)
    return Edit(place, place + stop - start, content[start:stop], "copy over")


def splice(rng: random.Random, content: bytes, other: bytes) -> Edit:
    """The beginning of one file and the end of another, or a piece of it in the middle."""
    start, stop = _segment(rng, other, 512)
    place = rng.randrange(len(content))
    if rng.random() < 0.5:
        return Edit(place, len(content), other[rng.randrange(len(other)) :], "splice")
    return Edit(place, min(place + stop - start, len(content)), other[start:stop], "splice a piece")


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


def _integer(place: int, size: int, order: str, value: int, label: str) -> Edit:
    data = (value % (1 << 8 * size)).to_bytes(size, order)
    return Edit(place, place + size, data, f"{label} {value}, {order} endian")
