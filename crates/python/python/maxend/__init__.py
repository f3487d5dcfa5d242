"""Maximal end components and strongly connected components.

A model has states, each with an ordered list of choices; a choice is a distribution over target
states. A *maximal end component* (MEC) is a maximal set of states in which a strategy can stay
forever and reach every state of it from every other; a *strongly connected component* (SCC) is a
maximal set of states that reach each other.

>>> import maxend
>>> model = maxend.Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
>>> model.mec().labels
array([ 0, -1,  1], dtype=int32)
>>> model.scc().labels
array([0, 0, 1], dtype=int32)

Models are read from files (`read`), built from models in PRISM's language (`build`), or made of
arrays (`Model.from_arrays`, `Model.from_csr`) or of a model of stormpy (`from_stormpy`).
`connected_components` stands in for the function of that name in `scipy.sparse.csgraph`.
"""

from ._components import Component, Components, Quotient
from ._csgraph import connected_components
from ._errors import CertificateError, DeviceError, Error, ModelError, ModelWarning
from ._model import Model, Rewards
from ._read import build, read
from ._stormpy import from_stormpy

__all__ = [
    "CertificateError",
    "Component",
    "Components",
    "DeviceError",
    "Error",
    "Model",
    "ModelError",
    "ModelWarning",
    "Quotient",
    "Rewards",
    "build",
    "connected_components",
    "from_stormpy",
    "read",
]
