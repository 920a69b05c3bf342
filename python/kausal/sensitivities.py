"""Derivatives of runs by parameters and start values."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import show
from .errors import Diagnostic, UnknownName, read
from .variables import near

Array = npt.NDArray[np.float64]


class Sensitivities:
    """How variables move with parameters over a run: ``S["J.w"]`` is an array over time and parameters.

    At an event there are two instants, before and behind it.

    >>> import numpy as np
    >>> import kausal as ka
    >>> m = ka.load("model M parameter Real k = 2; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
    >>> S = m.sensitivities(["k"], ["x"], stop=1, tolerance=1e-8)
    >>> S["x"].shape == (len(S.time), 1)
    True
    >>> bool(np.allclose(S["x"][:, 0], -S.time * np.exp(-2 * S.time), atol=1e-6))
    True
    """

    def __init__(self, model: str, made: Mapping[str, Any], sizes: Mapping[str, float]) -> None:
        self.model = model
        self.time: Array = np.asarray(made["time"])
        """The instants."""
        self.parameters: list[str] = made["by"]
        """What the derivatives are taken by: the order of the columns."""
        self.values: dict[str, Array] = {
            name: np.asarray(values) for name, values in zip(made["of"], made["values"], strict=True)
        }
        """The values of the variables themselves."""
        shape = (len(self.time), len(self.parameters))
        self._derivatives: dict[str, Array] = {
            name: np.asarray(values).reshape(shape) for name, values in zip(made["of"], made["derivatives"], strict=True)
        }
        self._sizes = dict(sizes)
        self.diagnostics: tuple[Diagnostic, ...] = read(made["diagnostics"])
        """Warnings of the run; where derivatives are one-sided (`K0578`)."""

    def __getitem__(self, name: str) -> Array:
        if name not in self._derivatives:
            raise UnknownName(f"there are no derivatives of {name}{near(name, self._derivatives)}")
        return self._derivatives[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._derivatives)

    def __len__(self) -> int:
        return len(self._derivatives)

    def __contains__(self, name: object) -> bool:
        return name in self._derivatives

    def keys(self) -> Iterator[str]:
        """The variables that are differentiated."""
        return iter(self._derivatives)

    def relative(self, name: str) -> Array:
        """The same times the values of the parameters: what one hundred per cent more of each would change, if it were linear."""
        sizes = np.array([self._sizes.get(p, 1.0) for p in self.parameters])
        relative: Array = self[name] * sizes
        return relative

    def to_pandas(self, name: str) -> Any:
        """A table with a column for each parameter; time is the index."""
        import pandas as pd

        return pd.DataFrame(self[name], index=pd.Index(self.time, name="time"), columns=self.parameters)

    def to_xarray(self) -> Any:
        """A data set over time and parameters."""
        import xarray as xr

        axes = {"time": self.time, "parameter": self.parameters}
        return xr.Dataset({name: (("time", "parameter"), values) for name, values in self._derivatives.items()}, coords=axes)

    def plot(self, name: str, relative: bool = True, axes: Any = None) -> Any:
        """Matplotlib: how the variable moves with each parameter."""
        import matplotlib.pyplot as plt

        axes = axes if axes is not None else plt.subplots()[1]
        for column, parameter in zip((self.relative(name) if relative else self[name]).T, self.parameters, strict=True):
            axes.plot(self.time, column, label=f"by {parameter}" + (" (relative)" if relative else ""))
        axes.set_xlabel("time (s)")
        axes.set_ylabel(f"derivative of {name}")
        axes.legend()
        return axes

    def _rows(self) -> list[list[str]]:
        last = [[name, *(show.number(float(v)) for v in values[-1])] for name, values in self._derivatives.items()]
        return last if len(self.time) else []

    def _title(self) -> str:
        end = f" at {self.time[-1]:g} s" if len(self.time) else ""
        return f"Derivatives of {self.model}{end}"

    def __repr__(self) -> str:
        return self._title() + "\n" + show.text_table(("", *(f"by {p}" for p in self.parameters)), self._rows())

    def _repr_html_(self) -> str:
        head = ("", *(f"by {p}" for p in self.parameters))
        return f"<p><b>{html.escape(self._title())}</b></p>" + show.html_table(head, self._rows())
