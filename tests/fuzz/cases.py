"""Generate the file with a given number and seed; the bytes depend on the versions of the libraries."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fuzz import mutate, words
from fuzz.corpus import FORMATS, ISOLATED, Layer, Sample, samples
from fuzz.edits import Edit, apply_all

# Ways to read a file, and the percentage of files read in each way; a separate process per file is slow.
WAYS = {"load": 80, "strict": 8, "rank": 12}
ISOLATED_WAYS = {"load": 91, "strict": 8, "rank": 1}
N_CHANGES = (1, 1, 1, 1, 1, 1, 2, 2, 3, 6)
MAX_SIZE = 1 << 20


@dataclass(frozen=True)
class Case:
    """A changed file and the way to read it."""

    number: int
    sample: Sample
    layer: Layer
    edits: tuple[Edit, ...]
    way: str

    @property
    def content(self) -> bytes:
        """Bytes of the file."""
        return self.layer.wrap(apply_all(self.edits, self.layer.content))

    @property
    def file_name(self) -> str:
        """Name of the file when it is read."""
        return f"t{self.sample.ending}"

    def with_edits(self, edits: Iterable[Edit]) -> "Case":
        """Return the same file with other changes."""
        return replace(self, edits=tuple(edits))

    def describe(self) -> list[str]:
        """Return the original file and the changes, one line each."""
        layers = len(self.sample.layers)
        inside = f", inner part {self.sample.layers.index(self.layer)} of {layers - 1}" if layers > 1 else ""
        return [f"{self.sample.name}{inside}", *map(str, self.edits)]


def case(seed: int, number: int, formats: tuple[str, ...] = tuple(FORMATS)) -> Case:
    """Return the file with this number; it also depends on ``formats``."""
    rng = random.Random(f"{seed} {number}")
    sample = rng.choice(samples(rng.choice(formats)))
    layer = rng.choice(sample.layers)
    ways = ISOLATED_WAYS if sample.format in ISOLATED else WAYS
    way = rng.choices(list(ways), ways.values())[0]
    edits: list[Edit] = []
    content = layer.content
    for _ in range(rng.choice(N_CHANGES)):
        if not content or len(content) > MAX_SIZE:
            break
        edits.append(_edit(rng, content, layer.text, sample.format))
        content = edits[-1].apply(content)
    return Case(number, sample, layer, tuple(edits), way)


def _edit(rng: random.Random, content: bytes, text: bool, kind: str) -> Edit:
    chance = rng.random()
    if chance < 0.03:
        # mostly of the same format, so that the start is valid
        donors = samples(kind if rng.random() < 0.8 else rng.choice(tuple(FORMATS)))
        return mutate.splice(rng, content, rng.choice(rng.choice(donors).layers).content)
    if text and chance < 0.04:
        return words.long_field(rng, content)
    if (text and chance < 0.8) or (not text and chance < 0.06):
        return rng.choice(words.MUTATORS)(rng, content)
    return rng.choice(mutate.MUTATORS)(rng, content)
