"""Survival times are recognized where they are evident."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import DataError
from featsieve.datasets.survival import refuse_survival
from featsieve.datasets.table import Table

TIMES, EVENTS = np.arange(20) * 1.5, np.arange(20) % 2


def check(target, **columns):
    frame = pd.DataFrame({"a": range(20)} | columns)
    refuse_survival(Table(frame, list(frame)), [target], "t")


@pytest.mark.parametrize(
    "time", ["time", "OS.time", "os_time", "survival", "Survival_days", "PFS months", "futime"]
)
@pytest.mark.parametrize("event", ["event", "status", "OS", "vital_status", "death"])
def test_evident_pairs(time, event):
    events = np.where(EVENTS, "Dead", "Alive") if event == "vital_status" else EVENTS
    with pytest.raises(DataError, match="look like survival times"):
        check(time, **{time: TIMES, event: events})


def test_several_events():
    with pytest.raises(DataError, match="leave out the others with --drop OS,PFI"):
        check("OS.time", **{"OS": EVENTS, "OS.time": TIMES, "PFI": 1 - EVENTS, "PFI.time": TIMES + 1})
    with pytest.raises(DataError, match="'time_to_relapse' and 'relapse' look like survival times"):
        check("time_to_relapse", time_to_relapse=TIMES, relapse=EVENTS)


@pytest.mark.parametrize(
    ("target", "columns"),
    [
        ("time", {"time": TIMES}),
        ("time", {"time": TIMES, "event": np.arange(20) % 5}),
        ("time", {"time": TIMES, "smoker": EVENTS}),
        ("time", {"time": TIMES, "disease": EVENTS, "overall": EVENTS, "follow-up": EVENTS}),
        ("time", {"time": TIMES - 9, "event": EVENTS}),
        ("price", {"price": TIMES, "status": EVENTS}),
        ("status", {"time": TIMES, "status": EVENTS}),
        ("runtime", {"runtime": TIMES, "status": EVENTS}),
        ("time_zone", {"time_zone": EVENTS, "event": EVENTS}),
    ],
)
def test_no_false_alarms(target, columns):
    check(target, **columns)
