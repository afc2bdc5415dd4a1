"""Ranks, consensus and agreement of the report match the rankings of the comparison."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from featsieve.report import rankings, summarize
from report.synthetic import comparison, final_fit


def test_encoded_features_are_ranked_by_column():
    names = [f"f{index}" for index in range(24)]
    columns, origins = ["age", "family", "date"], [0, *[1] * 15, *[2] * 8]
    gains = {"good": 0.25, "fair": 0.04, "variance": 0.0, "poor": -0.08}
    results = comparison(gains, names=names, columns=columns, origins=origins)
    ranking = results.ranking()
    for label in ("good", "fair", "variance", "poor"):
        cell = final_fit(results, label)
        order = cell.result["order"]
        ranked_columns = list(dict.fromkeys(columns[origins[feature]] for feature in order))
        assert ranking[label].sort_values().index.tolist() == ranked_columns
        summary = summarize(results)["features"]
        assert summary["names"] == columns
        assert summary["noun"] == "column"
        table = next(method for method in summary["methods"] if method["label"] == label)
        for index, name in enumerate(columns):
            best = next(feature for feature in order if columns[origins[feature]] == name)
            assert table["best_features"][index] == names[best]
            assert table["scores"][index] == pytest.approx(cell.result["scores"][best], rel=1e-3)
            assert table["ranks"][index] == ranked_columns.index(name) + 1
    advice = results.recommend()
    assert summarize(results)["answer"]["headline"].endswith(f" {advice.n_features} of the 3 columns")
    with pytest.raises(ValueError, match="`image_shape` must be None because some features are not pixels"):
        summarize(results, image_shape="4x6")


def test_consensus_and_agreement_match_the_ranks():
    results = comparison()
    summary = summarize(results)
    features, agreement = summary["features"], summary["agreement"]
    ranks = np.array([method["ranks"] for method in features["methods"]])
    assert sorted(features["consensus"]) == list(range(1, 25))
    assert features["consensus_of"] == ["good", "fair"]
    better = [method["label"] in ("good", "fair") for method in features["methods"]]
    means = ranks[better].mean(axis=0)[np.argsort(features["consensus"])]
    assert (np.diff(means) >= 0).all()
    for method in features["methods"]:
        order = final_fit(results, method["label"]).result["order"]
        assert [method["ranks"][index] for index in order] == list(range(1, 25))
        scores = [method["scores"][index] for index in order]
        assert scores == sorted(scores, reverse=True)
    labels = [method["label"] for method in features["methods"]]
    indices = [labels.index(label) for label in agreement["methods"]]
    np.testing.assert_allclose(agreement["matrix"], spearmanr(ranks[indices].T).statistic, atol=1e-5)


def test_only_top_features_are_shown_if_there_are_many(monkeypatch):
    results = comparison()
    complete = summarize(results)["features"]
    monkeypatch.setattr(rankings, "MAX_FEATURES", 10)
    features = summarize(results)["features"]
    best = np.min([complete["consensus"], *(method["ranks"] for method in complete["methods"])], axis=0)
    top_rows = sorted(np.argsort(best, kind="stable")[:10])
    assert top_rows != list(range(10))
    assert features["names"] == [complete["names"][index] for index in top_rows]
    for before, after in zip(complete["methods"], features["methods"], strict=True):
        assert after["ranks"] == [before["ranks"][index] for index in top_rows]
    assert features["left_out"] == 14
    assert len(summarize(results, image_shape="4x6")["features"]["names"]) == 24  # an image needs them all
