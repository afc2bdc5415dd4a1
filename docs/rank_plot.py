"""Draw mean ranks of methods with their critical differences as an SVG image."""

from collections.abc import Sequence
from html import escape

LEFT, RIGHT, TOP, ROW = 230, 30, 54, 20
WIDTH = 820


def draw_ranks(
    labels: Sequence[str], ranks: Sequence[float], critical_difference: float, reference: str, default: str
) -> str:
    """Return an SVG image with a row per method, best rank first.

    The bar of a method is as long as the critical difference, so that two methods differ significantly if
    their bars do not overlap. A dashed line marks the rank of ``reference``; ``default`` is in bold.
    """
    half = critical_difference / 2
    largest = max(ranks) + half
    smallest = min(1.0, min(ranks) - half)

    def x(rank: float) -> str:
        return f"{LEFT + (rank - smallest) / (largest - smallest) * (WIDTH - LEFT - RIGHT):.1f}"

    rows = sorted(zip(ranks, labels, strict=True))
    bottom = TOP + ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 10}" '
        f'viewBox="0 0 {WIDTH} {bottom + 10}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{bottom + 10}" fill="white"/>',
        f'<text x="{LEFT}" y="16">mean rank (1 = best); methods differ significantly if their bars do not '
        "overlap</text>",
    ]
    for rank in range(1, int(largest) + 1):
        parts.append(f'<path d="M{x(rank)} {TOP - 12}V{bottom}" stroke="#ddd"/>')
        if rank == 1 or rank % 5 == 0:
            parts.append(f'<text x="{x(rank)}" y="{TOP - 16}" text-anchor="middle">{rank}</text>')
    for i, (rank, label) in enumerate(rows):
        y = TOP + ROW * i + ROW // 2
        color = "#888" if label == reference else "#c44e00" if label == default else "#2060a0"
        weight = ' font-weight="bold"' if label == default else ""
        if label == reference:
            parts.append(f'<path d="M{x(rank)} {TOP - 12}V{bottom}" stroke="#888" stroke-dasharray="4 3"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end"{weight}>{escape(label)}</text>')
        parts.append(f'<path d="M{x(rank - half)} {y}H{x(rank + half)}" stroke="{color}" stroke-width="3"/>')
        parts.append(f'<circle cx="{x(rank)}" cy="{y}" r="4" fill="{color}"/>')
    return "\n".join([*parts, "</svg>", ""])
