"""
A Dask cluster on one machine
=============================

Methods that take data in chunks read a dask array block by block. With an active client, its workers do the
work; here they are threads of this process.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client

import featsieve
from featsieve import FisherScore

X = da.random.default_rng(0).standard_normal((20_000, 400), chunks=(5_000, 100))
y = np.arange(20_000) % 2
X = X + 0.3 * y[:, None] * (np.arange(400) < 10)  # the first ten features depend on the class

# %%
# What the method takes, before it runs:

print(featsieve.estimate(X, FisherScore(), y))

# %%
with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"):
    selector = FisherScore(n_features_to_select=10).fit(X, y)
print(sorted(selector.order_[:10].tolist()))

# %%
# ``transform`` returns a dask array, which is not computed yet:

print(selector.transform(X))

# %%
_, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(selector.scores_, ".")
_ = ax.set(xlabel="Feature", ylabel="Fisher score")
