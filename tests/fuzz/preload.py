"""Imports of the server from which workers start, so that they are done once."""

import h5py  # noqa: F401
import pandas  # noqa: F401
import pyarrow.feather
import pyarrow.parquet  # noqa: F401
import scipy.io  # noqa: F401
import sklearn.datasets
import sklearn.impute  # noqa: F401
import skrub  # noqa: F401

import featsieve.datasets
import featsieve.evaluation
import featsieve.registry
import fuzz.worker  # noqa: F401

featsieve.registry.methods()
