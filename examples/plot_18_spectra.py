"""
Wavelengths of spectra
======================

Three substances absorb at different wavelengths. The concentration of the weakest one is to be predicted from
as few wavelengths as possible, but its peak is hidden below the others.
"""

import matplotlib.pyplot as plt
import numpy as np

from featsieve import PearsonScore, SupervisedColumnSubset

random = np.random.default_rng(0)
wavelengths = np.linspace(400, 700, 200)
peaks = np.array([np.exp(-(((wavelengths - center) / 25) ** 2)) for center in (500, 540, 590)])
concentrations = random.uniform(size=(120, 3)) * [1.0, 0.4, 1.0]
spectra = concentrations @ peaks + 0.01 * random.standard_normal((120, 200))
target = concentrations[:, 1]

# %%
# R² of a linear regression on 60 spectra that were not used to choose the wavelengths:

from sklearn.linear_model import LinearRegression

chosen = {}
for selector in (PearsonScore(n_features_to_select=4), SupervisedColumnSubset(n_features_to_select=4)):
    name = type(selector).__name__
    chosen[name] = selector.fit(spectra[:60], target[:60]).get_support()
    model = LinearRegression().fit(spectra[:60, chosen[name]], target[:60])
    r2 = model.score(spectra[60:, chosen[name]], target[60:])
    print(f"{name}: {wavelengths[chosen[name]].round().astype(int).tolist()} nm, R² = {r2:.2f}")

# %%
_, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
ax.plot(wavelengths, spectra[:15].T, color="0.8", linewidth=0.8)
for index, (name, mask) in enumerate(chosen.items()):
    ax.plot(wavelengths[mask], np.full(mask.sum(), -0.1 - 0.1 * index), "|", markersize=14, label=name)
ax.set(xlabel="Wavelength (nm)", ylabel="Absorption")
_ = ax.legend()
