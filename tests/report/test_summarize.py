"""The summary is plain data, and its numbers are those of the comparison."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import spearmanr

from featsieve.evaluation import stability
from featsieve.report import ImageShape, rankings, render, summarize
from report.synthetic import HOSTILE, comparison


def without(given, keep):
    return replace(given, cells=[cell for cell in given.cells if keep(cell)])


def whole(given, label):
    """The cell of the fit on all samples."""
    return next(cell for cell in given.cells if cell.method == label and cell.split == -1)


def test_plain_data():
    names = HOSTILE + [f"f{place}" for place in range(14)]
    summary = summarize(comparison(dict.fromkeys(HOSTILE, 0.1), names=names, notes=HOSTILE))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    text = json.dumps(summary, ensure_ascii=False).encode()  # no half of a surrogate pair is left
    assert HOSTILE[6] in summary["features"]["names"]
    assert b"\x00" not in text


def test_verdicts_follow_the_numbers():
    answer = summarize(comparison())["answer"]
    outcomes = {verdict["label"]: verdict["outcome"] for verdict in answer["verdicts"]}
    assert outcomes == {"good": "better", "fair": "better", "variance": "unclear", "poor": "worse"}
    assert answer["headline"] == "2 of 4 methods beat random selection"
    assert [verdict["label"] for verdict in answer["verdicts"]] == ["good", "fair", "variance", "poor"]
    for verdict in answer["verdicts"]:
        assert verdict["low"] <= verdict["difference"] <= verdict["high"]
        assert answer["scale"][0] < verdict["low"]
        assert verdict["high"] < answer["scale"][1]
    assert answer["verdicts"][0]["details"] == "better on 6 of 6 splits; uses labels"
    assert "the best method is good: it beats random by" in answer["sentence"]


def test_encoded_features_stand_under_the_name_of_their_column():
    names = [f"f{place}" for place in range(24)]
    columns, origins = ["age", "family", "date"], [0, *[1] * 15, *[2] * 8]
    gains = {"good": 0.2, "fair": 0.04, "variance": 0.0, "poor": -0.08}
    given = comparison(gains, names=names, columns=columns, origins=origins)
    ranking = given.ranking()
    for label in ("good", "fair", "variance", "poor"):
        cell = whole(given, label)
        order = cell.result["order"]
        found = list(dict.fromkeys(columns[origins[feature]] for feature in order))
        assert ranking[label].sort_values().index.tolist() == found
        summary = summarize(given)["features"]
        assert summary["names"] == columns
        assert summary["noun"] == "column"
        shown = next(method for method in summary["methods"] if method["label"] == label)
        for place, name in enumerate(columns):
            best = next(feature for feature in order if columns[origins[feature]] == name)
            assert shown["best_features"][place] == names[best]
            assert shown["scores"][place] == pytest.approx(cell.result["scores"][best], rel=1e-3)
            assert shown["ranks"][place] == found.index(name) + 1
    answer = summarize(given)["answer"]
    first = whole(given, "good").result["order"][: answer["sufficient_size"]]
    assert answer["columns"] == len({origins[feature] for feature in first})
    assert f"derived from {answer['columns']} of 3 columns" in answer["sentence"]
    with pytest.raises(ValueError, match="`image_shape` must be None because some features are not pixels"):
        summarize(given, image_shape="4x6")


@pytest.mark.parametrize(
    ("gains", "headline"),
    [
        ({"a": 0.1, "b": 0.1, "variance": 0.1}, "All 3 methods beat random selection"),
        ({"a": 0.1, "variance": -0.1}, "1 of 2 methods beats random selection"),
        ({"a": -0.1, "variance": -0.1}, "None of 2 methods is clearly better than random selection"),
        ({"variance": 0.1}, "variance beats random selection"),
        ({"variance": -0.1}, "variance is not clearly better than random selection"),
    ],
)
def test_headline(gains, headline):
    assert summarize(comparison(gains))["answer"]["headline"] == headline


def test_enough_features():
    given = comparison({"great": 0.2, "variance": 0.0})
    answer = summarize(given)["answer"]
    measured, every = (
        np.array(
            [
                [cell.result["measures"][key] for key in ("nn", "ncm")]
                for cell in given.cells
                if cell.method == label and cell.split >= 0
            ]
        )
        for label in ("great", "all")
    )
    short = 100 * (every - measured).mean(axis=(0, 1))
    place = np.flatnonzero(short <= 1)[0]
    assert 0 < place < len(short) - 1
    assert 1 < short[place - 1] < 10
    assert answer["sufficient_size"] == given.sizes[place]
    top = f"top {answer['sufficient_size']} features score within 1 point of using all 24"
    assert top in answer["sentence"]
    assert summarize(given)["features"]["n_top"] == answer["sufficient_size"]


def test_the_best_is_one_that_beats_random():
    """Another may have the larger gain, and too few splits to show it."""
    given = comparison({"wild": 0.1, "steady": 0.05, "variance": 0.0})
    for cell in given.cells:
        if cell.method == "wild" and cell.split >= 0:
            for key in ("nn", "ncm"):
                values = np.array(cell.result["measures"][key])
                cell.result["measures"][key] = (values + (-1) ** cell.split * 0.3).tolist()
    answer = summarize(given)["answer"]
    assert [verdict["label"] for verdict in answer["verdicts"]][:2] == ["wild", "steady"]
    assert answer["headline"] == "1 of 3 methods beats random selection"
    assert "accuracy, steady beats random by" in answer["sentence"]


def test_no_number_of_features_is_enough_without_a_method_that_is_better():
    summary = summarize(comparison({"poor": -0.05, "variance": -0.1}))
    assert summary["answer"]["sufficient_size"] is None
    assert summary["features"]["n_top"] == 10
    assert "point of using all" not in summary["answer"]["sentence"]


def test_curves_are_means_of_the_cells():
    given = comparison()
    summary = summarize(given)
    curve = summary["curves"][1]
    assert (curve["key"], curve["name"]) == ("ncm", "nearest class mean accuracy (%)")
    place = [method["label"] for method in summary["methods"]].index("fair")
    own = [c.result["measures"]["ncm"] for c in given.cells if c.method == "fair" and c.split >= 0]
    line = curve["methods"][place]
    np.testing.assert_allclose(line["mean"], 100 * np.mean(own, axis=0))
    assert (np.array(line["low"]) < line["mean"]).all()
    assert (np.array(line["high"]) > line["mean"]).all()
    table = given.table()
    row = table[(table["method"] == "fair") & (table["measure"] == "ncm")].iloc[0]
    (shown,) = [each for each in curve["table"] if each["label"] == "fair"]
    assert shown["area"] == pytest.approx(100 * row["auc"])
    assert shown["p_wilcoxon"] == pytest.approx(row["p_wilcoxon_holm"])
    assert shown["verdict"] == "better"
    assert [curve["key"] for curve in summary["curves"]] == ["nn", "ncm"]  # redundancy has its own section


def test_random_band_holds_most_draws_and_no_split_effect():
    given = comparison()
    band = summarize(given)["curves"][0]["random"]
    inside = []
    for cell in given.cells:
        if cell.method == "random" and cell.split >= 0:
            draws = 100 * np.array(cell.result["draws"]["nn"])
            centered = draws - draws.mean(axis=0) + band["mean"]
            inside.append((centered >= band["low"]) & (centered <= band["high"]))
    assert 0.93 < np.mean(inside) < 0.97


def test_consensus_and_agreement():
    given = comparison()
    summary = summarize(given)
    features, agreement = summary["features"], summary["agreement"]
    ranks = np.array([method["ranks"] for method in features["methods"]])
    assert sorted(features["consensus"]) == list(range(1, 25))
    means = ranks.mean(axis=0)[np.argsort(features["consensus"])]
    assert (np.diff(means) >= 0).all()
    for method in features["methods"]:
        order = whole(given, method["label"]).result["order"]
        assert [method["ranks"][place] for place in order] == list(range(1, 25))
        scores = [method["scores"][place] for place in order]
        assert scores == sorted(scores, reverse=True)
    labels = [method["label"] for method in features["methods"]]
    places = [labels.index(label) for label in agreement["methods"]]
    np.testing.assert_allclose(agreement["matrix"], spearmanr(ranks[places].T).statistic, atol=1e-5)


def test_only_the_best_of_very_many_features(monkeypatch):
    given = comparison()
    whole = summarize(given)["features"]
    monkeypatch.setattr(rankings, "MAX_FEATURES", 10)
    features = summarize(given)["features"]
    best = np.min([whole["consensus"], *(method["ranks"] for method in whole["methods"])], axis=0)
    kept = sorted(np.argsort(best, kind="stable")[:10])
    assert kept != list(range(10))
    assert features["names"] == [whole["names"][place] for place in kept]
    for before, after in zip(whole["methods"], features["methods"], strict=True):
        assert after["ranks"] == [before["ranks"][place] for place in kept]
    assert features["left_out"] == 14
    assert len(summarize(given, image_shape="4x6")["features"]["names"]) == 24  # an image needs them all


def test_stability_is_nogueiras():
    given = comparison()
    found = summarize(given)["stability"]
    place = [method["label"] for method in summarize(given)["methods"]].index("good")
    orders = [c.result["order"] for c in given.cells if c.method == "good" and c.split >= 0]
    chosen = np.zeros((6, 24), dtype=bool)
    for row, order in zip(chosen, orders, strict=True):
        row[order[:4]] = True
    at = found["sizes"].index(4)
    assert found["methods"][place]["mean"][at] == pytest.approx(stability(chosen).value)
    assert 24 not in found["sizes"]
    assert summarize(comparison(n_splits=1))["stability"] is None


def test_redundancy_is_as_measured():
    given = comparison()
    found = summarize(given)["redundancy"]
    place = [method["label"] for method in summarize(given)["methods"]].index("good")
    own = [c.result["measures"]["redundancy"] for c in given.cells if c.method == "good" and c.split >= 0]
    np.testing.assert_allclose(found["methods"][place]["mean"], np.mean(own, axis=0)[1:])  # one has no pair
    assert found["sizes"] == given.sizes[1:]
    assert found["rows"][-1]["label"] == "random selection"
    given.info["measures"] = given.info["measures"][:2]
    assert summarize(given)["redundancy"] is None


def test_failures_are_told():
    given = comparison()
    for place, cell in enumerate(given.cells):
        if cell.method == "good" and cell.split in (-1, 0):
            given.cells[place] = replace(cell, status="failed", error="ValueError: <b>no</b>", result=None)
        if cell.method == "fair":
            given.cells[place] = replace(cell, status="timeout", error="60 s were not enough", result=None)
    summary = summarize(given)
    failures = summary["cost"]["failures"]
    assert len(failures) == 9
    assert {
        "label": "fair",
        "split": "split 3",
        "status": "timed out",
        "message": "60 s were not enough",
    } in failures
    assert {
        "label": "good",
        "split": "all samples",
        "status": "failed",
        "message": "ValueError: <b>no</b>",
    } in failures
    assert [warning["title"] for warning in summary["warnings"]] == ["9 of 42 runs did not finish"]
    (fair,) = [v for v in summary["answer"]["verdicts"] if v["label"] == "fair"]
    assert fair["difference"] is None
    assert fair["sentence"] == "Failed: 60 s were not enough"
    page = render(summary)
    assert "ValueError: &lt;b&gt;no&lt;/b&gt;" in page
    assert "60 s were not enough" in page


def test_marks_of_the_protocol():
    warnings = summarize(comparison(transductive=True, sees_labels=True))["warnings"]
    titles = ["Features were selected on the test samples", "Some methods have seen the test labels"]
    assert [warning["title"] for warning in warnings] == titles
    assert summarize(comparison())["warnings"] == []


@pytest.mark.parametrize(
    "keep",
    [
        lambda cell: False,
        lambda cell: cell.split == -1,
        lambda cell: cell.split == 0,
        lambda cell: cell.method == "random",
        lambda cell: cell.method != "random",
        lambda cell: cell.method != "all",
        lambda cell: cell.split >= 0,
    ],
    ids=[
        "nothing",
        "all samples",
        "one split",
        "random alone",
        "no random",
        "no all",
        "no fit on all samples",
    ],
)
def test_a_comparison_that_has_only_begun(keep):
    page = render(summarize(without(comparison(), keep)))
    assert "made-up" in page
    assert "not complete" in page


def test_no_labels_and_one_size():
    given = comparison(sizes=[24], n_classes=None, class_counts=None, target=None)
    page = render(summarize(given))
    assert ">Classes<" not in page


class TestPixels:
    def test_shape_by_columns(self):
        X = np.arange(24.0)[None, :]
        pixels = summarize(comparison(), X=X, image_shape="4x6F")["pixels"]
        image = np.empty(24)
        image[pixels["positions"]] = pixels["mean"]
        expected = X[0].reshape(4, 6, order="F")
        np.testing.assert_allclose(image.reshape(4, 6), np.rint(expected / 23 * 255))

    @pytest.mark.parametrize("shape", ["4x6", (4, 6), ImageShape(4, 6), " 4 X 6c "])
    def test_shape_by_rows(self, shape):
        pixels = summarize(comparison(), image_shape=shape)["pixels"]
        assert (pixels["height"], pixels["width"], pixels["mean"]) == (4, 6, None)
        assert pixels["positions"] == list(range(24))

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_names_tell_the_shape(self, order):
        grid = np.array([[f"pixel_{row}_{column}" for column in range(6)] for row in range(4)])
        pixels = summarize(comparison(names=grid.ravel(order=order).tolist()))["pixels"]
        assert pixels["positions"] == ImageShape(4, 6, order).positions.tolist()

    @pytest.mark.parametrize("names", [["pixel_0_0"] * 24, [f"pixel_{place}_0" for place in range(1, 25)]])
    def test_names_that_tell_no_shape(self, names):
        assert summarize(comparison(names=names))["pixels"] is None

    @pytest.mark.parametrize("shape", ["5x5", "4", "0x24", "fourxsix", (5, 5), (4, 6, "F", 1), 24])
    def test_wrong_shape(self, shape):
        with pytest.raises(ValueError, match="`image_shape` must"):
            summarize(comparison(), image_shape=shape)

    def test_sparse_and_constant_data(self):
        mean = summarize(comparison(), X=sparse.eye_array(24).tocsr()[:12], image_shape="4x6")["pixels"][
            "mean"
        ]
        assert mean == [255] * 12 + [0] * 12
        flat = summarize(comparison(), X=np.ones((3, 24)), image_shape="4x6")["pixels"]["mean"]
        assert flat == [128] * 24

    def test_wrong_data(self):
        with pytest.raises(ValueError, match="got 7"):
            summarize(comparison(), X=np.ones((3, 7)))


def test_nothing_measured_is_no_verdict_on_the_methods():
    given = comparison({"good": 0.1, "fair": 0.0})
    cells = [replace(cell, status="failed", error="no luck", result=None) for cell in given.cells]
    told = summarize(replace(given, cells=cells))["answer"]
    assert told["headline"] == "No method finished"
    assert told["sentence"] is None


def test_an_unclear_difference_is_not_called_none():
    told = summarize(comparison({"fair": 0.0, "other": 0.0}))["answer"]
    assert "as well as any" not in told["sentence"]
    assert "no method is clearly better" in told["sentence"]


def test_intervals_end_where_the_measure_ends():
    given = comparison({"good": 0.1}, n_splits=2)
    cells = [
        replace(cell, result=cell.result | {"measures": {key: [cell.split] * 6 for key in given.measures}})
        if cell.method == "good" and cell.split >= 0
        else cell
        for cell in given.cells
    ]
    found = summarize(replace(given, cells=cells))
    curve = found["curves"][0]
    line = curve["methods"][[each["label"] for each in found["methods"]].index("good")]
    assert (line["low"], line["high"]) == ([0] * 6, [100] * 6)
    row = next(row for row in curve["table"] if row["label"] == "good")
    assert (row["area_low"], row["area_high"]) == (0, 100)
    assert row["low"] < 0  # a difference may be anything
