"""Find maximal end components and strongly connected components.

A model has states, and each state has an ordered list of choices. A choice is a distribution over
target states. A *strongly connected component* (SCC) is a maximal set of states that reach each
other. A *maximal end component* (MEC) is a maximal set of states in which a strategy can stay
forever and can reach every state of the set from every other.

>>> import maxend
>>> model = maxend.Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
>>> model.mec().labels
array([ 0, -1,  1], dtype=int32)
>>> model.scc().labels
array([0, 0, 1], dtype=int32)

Models come from files (`read`), from PRISM's language (`build`), from arrays (`Model.from_arrays`,
`Model.from_csr`), or from stormpy (`from_stormpy`). Besides components, they have distances
(`Model.bfs`), long-run averages (`Model.long_run`) and optimal cycles (`Model.cycle_mean`).
`connected_components` replaces the function of the same name in `scipy.sparse.csgraph`.
"""

from ._averages import LongRun
from ._bfs import BfsTree
from ._components import Component, Components, Quotient
from ._csgraph import connected_components
from ._cycles import Cycle, CycleMean
from ._errors import CertificateError, DeviceError, Error, ModelError, ModelWarning
from ._maxend import __version__
from ._model import Model
from ._read import build, read
from ._rewards import Rewards
from ._stormpy import from_stormpy

__all__ = [
    "BfsTree",
    "CertificateError",
    "Component",
    "Components",
    "Cycle",
    "CycleMean",
    "DeviceError",
    "Error",
    "LongRun",
    "Model",
    "ModelError",
    "ModelWarning",
    "Quotient",
    "Rewards",
    "__version__",
    "build",
    "connected_components",
    "from_stormpy",
    "read",
]
