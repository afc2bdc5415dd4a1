"""
Words of short texts
====================

Texts are generated from three topics with words of their own and many words that all topics share. The counts
stay sparse from the vectorizer to the classifier.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from featsieve import ChiSquareScore
from featsieve.plot import ScoreDisplay

random = np.random.default_rng(0)
topics = {
    "space": ["orbit", "rocket", "launch", "moon", "probe"],
    "cooking": ["simmer", "oven", "recipe", "spice", "dough"],
    "chess": ["rook", "gambit", "endgame", "bishop", "mate"],
}
shared = [f"word{index}" for index in range(400)]
texts, labels = [], []
for topic, own in topics.items():
    for _ in range(80):
        texts.append(" ".join([*random.choice(own, 3), *random.choice(shared, 30)]))
        labels.append(topic)

# %%
vectorizer = CountVectorizer()
counts = vectorizer.fit_transform(texts)
selector = ChiSquareScore(n_features_to_select=15).fit(counts, labels)
names = vectorizer.get_feature_names_out()
print(type(counts).__name__, counts.shape, "->", ", ".join(names[selector.get_support()]))

# %%
_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
display = ScoreDisplay.from_estimator(selector, feature_names=names, n_features=20, ax=ax)

# %%
# In a pipeline, the words are chosen inside each fold:

pipeline = make_pipeline(CountVectorizer(), ChiSquareScore(n_features_to_select=15), LogisticRegression())
print(f"accuracy with 15 words: {cross_val_score(pipeline, texts, labels, cv=5).mean():.2f}")
