"""Kausal: equation-based modelling, from components to fast causal programs.

>>> import kausal as ka
>>> m = ka.load('''
...   model Motor
...     parameter Real J(unit = "kg.m2") = 1 "inertia";
...     parameter Real d = 1 "damping";
...     Real w(start = 0, fixed = true, unit = "rad/s") "speed";
...   equation
...     J*der(w) = 1 - d*w;
...   end Motor;
... ''')
>>> m.parameters["J"].value
1.0
>>> list(m.states)
['w']
>>> r = m.simulate(stop=4, tolerance=1e-8, J=2)
>>> bool(abs(r["w"][-1] - 0.8646647) < 1e-6)
True
"""

from __future__ import annotations

from . import _kausal
from ._kausal import Cancel
from .derivatives import Linearization
from .errors import (
    Cancelled,
    Diagnostic,
    Error,
    InternalError,
    Interrupted,
    ModelError,
    OutputError,
    Place,
    RequestError,
    RunError,
    TimedOut,
    UnknownName,
    Warning,
)
from .fit import Experiment, Fit
from .inputs import Signal
from .magic import load_ipython_extension
from .model import Model, examples, load
from .optimize import Optimum
from .sensitivities import Sensitivities
from .show import Explanation, Text
from .solution import Instant, Solution
from .sweep import Distribution, Sweep, loguniform, normal, uniform
from .variables import Variable, Variables

__version__ = _kausal.version()

__all__ = [
    "Cancel",
    "Cancelled",
    "Diagnostic",
    "Distribution",
    "Error",
    "Experiment",
    "Explanation",
    "Fit",
    "Instant",
    "InternalError",
    "Interrupted",
    "Linearization",
    "Model",
    "ModelError",
    "Optimum",
    "OutputError",
    "Place",
    "RequestError",
    "RunError",
    "Sensitivities",
    "Signal",
    "Solution",
    "Sweep",
    "Text",
    "TimedOut",
    "UnknownName",
    "Variable",
    "Variables",
    "Warning",
    "examples",
    "load",
    "load_ipython_extension",
    "loguniform",
    "normal",
    "uniform",
]
