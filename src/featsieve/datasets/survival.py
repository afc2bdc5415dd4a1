"""Recognize survival times: a time, and an event that ends it for some of the samples."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from featsieve.datasets.errors import DataError, format_option, quote
from featsieve.datasets.table import Table

_ABBREVIATION = r"(?:os|pfs|pfi|dfs|dfi|rfs|dss|efs|lfs|mfs|ttp)"
_ENDPOINT = rf"(?:{_ABBREVIATION}|overall|progression|disease|relapse|death|followup|follow_up)"
_UNIT = r"(?:days?|weeks?|months?|years?|d|m|y|mo|yrs?)"
_TIME = re.compile(
    rf"(?i)(?:{_ENDPOINT}_)*(?:time|survival|surv|futime|followup|follow_up|survival_time|surv_time|time_to_\w+|"
    rf"duration|tte)(?:_{_UNIT})?|{_ENDPOINT}(?:_{_UNIT})?"
)
_EVENT = re.compile(
    rf"(?i)(?:{_ENDPOINT}_)*(?:event|events|status|censor|censored|censoring|cens|death|dead|died|deceased|"
    rf"fustat|vital_status|event_observed|observed)|{_ABBREVIATION}|progression|relapse"
)
# The two values of an event, besides 0 and 1, in lower case.
_EVENT_WORDS = {"alive", "dead", "deceased", "living", "censored", "event", "yes", "no", "true", "false"}


def refuse_survival(table: Table, targets: list[str], source: str) -> None:
    """Raise DataError if a target is a time, and another column tells for which samples it ended."""
    names = [*table.columns, *table.labels]
    times = [
        name for name in targets if _TIME.fullmatch(_normalize(name)) and _is_positive(table, name, source)
    ]
    events = [
        name for name in names if _EVENT.fullmatch(_normalize(name)) and _has_two_values(table, name, source)
    ]
    events = [name for name in events if name not in times]
    if not times or not events:
        return
    time, event = times[0], events[0]
    others = "the other column" if len(events) == 1 else "the others"
    raise DataError(
        f"{source}: {quote(time)} and {quote(event)} look like survival times, for which featsieve has no "
        "method: the time of a sample without the event is only a lower limit. Make a column that says "
        "whether the event happened within a fixed time (leave out samples that were observed for less), and "
        f"name it with --target. If {quote(time)} is an ordinary number, leave out {others} with "
        f"{format_option('--drop', events)}."
    )


def _normalize(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip()).strip("_")


def _is_positive(table: Table, name: str, source: str) -> bool:
    values = pd.to_numeric(pd.Series(np.asarray(table.find_labels(name, source))), errors="coerce").dropna()
    return bool((values >= 0).all()) and values.nunique() > 2


def _has_two_values(table: Table, name: str, source: str) -> bool:
    values = (
        pd.Series(np.asarray(table.find_labels(name, source))).dropna().astype(str).str.strip().str.lower()
    )
    return set(values) <= {"0", "1", "2", "0.0", "1.0", "2.0"} | _EVENT_WORDS and values.nunique() == 2
