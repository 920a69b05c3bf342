"""Derivatives of models: matrices near a point."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import show
from .asked import checked, names as named
from .errors import RequestError
from .stopping import nothing_kept
from .sweep import _plain

if TYPE_CHECKING:
    from ._kausal import Cancel
    from .model import Model

Array = npt.NDArray[np.float64]


class Linearization:
    """A model near a point: ``der(x) = A x + B u``, ``y = C x + D u``, measured from ``x``, ``u`` and ``y`` there."""

    def __init__(self, model: str, made: Mapping[str, Any]) -> None:
        self.model = model
        self.time: float = made["time"]
        """The instant."""
        self.states: list[str] = made["states"]
        self.inputs: list[str] = made["inputs"]
        self.outputs: list[str] = made["outputs"]
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        self.A: Array = np.asarray(made["A"]).reshape(n, n)
        """Derivatives of ``der(x)`` by states."""
        self.B: Array = np.asarray(made["B"]).reshape(n, m)
        """Derivatives of ``der(x)`` by inputs."""
        self.C: Array = np.asarray(made["C"]).reshape(p, n)
        """Derivatives of outputs by states."""
        self.D: Array = np.asarray(made["D"]).reshape(p, m)
        """Derivatives of outputs by inputs."""
        self.x: Array = np.asarray(made["x"])
        self.dx: Array = np.asarray(made["dx"])
        self.u: Array = np.asarray(made["u"])
        self.y: Array = np.asarray(made["y"])
        self.poles: npt.NDArray[np.complex128] = np.array([complex(*pole) for pole in made["poles"]], dtype=complex)
        """The eigenvalues of A, ascending by real part."""

    def to_control(self) -> Any:
        """A `StateSpace` of python-control, with the names of states, inputs and outputs."""
        import control

        def names(all: list[str]) -> list[str]:
            # Dots have a meaning of their own there.
            return [name.replace(".", "_") for name in all]

        return control.StateSpace(
            self.A,
            self.B,
            self.C,
            self.D,
            states=names(self.states),
            inputs=names(self.inputs),
            outputs=names(self.outputs),
            name=self.model.replace(".", "_"),
        )

    def to_scipy(self) -> Any:
        """A `StateSpace` of `scipy.signal`."""
        from scipy import signal

        return signal.StateSpace(self.A, self.B, self.C, self.D)

    def _tables(self) -> list[tuple[str, tuple[str, ...], list[list[str]]]]:
        derivatives = [f"der({name})" for name in self.states]
        found = []
        for name, matrix, rows, columns in (
            ("A", self.A, derivatives, self.states),
            ("B", self.B, derivatives, self.inputs),
            ("C", self.C, self.outputs, self.states),
            ("D", self.D, self.outputs, self.inputs),
        ):
            if rows and columns:
                cells = [[row, *(show.number(float(v)) for v in values)] for row, values in zip(rows, matrix, strict=True)]
                found.append((name, (name, *columns), cells))
        return found

    def _title(self) -> str:
        return f"{self.model} near its state at {self.time:g} s"

    def __repr__(self) -> str:
        tables = [show.text_table(head, rows) for _, head, rows in self._tables()]
        poles = "poles: " + ", ".join(f"{p:.6g}" for p in self.poles)
        return "\n\n".join([self._title(), *tables, poles])

    def _repr_html_(self) -> str:
        tables = [show.html_table(head, rows) for _, head, rows in self._tables()]
        poles = ", ".join(f"{p:.6g}" for p in self.poles)
        return f"<p><b>{html.escape(self._title())}</b></p>" + "".join(tables) + f"<p>poles: {poles}</p>"


def linearizations(
    model: Model,
    values: Any,
    at: float | None,
    steady: bool,
    inputs: Iterable[str] | None,
    outputs: Iterable[str] | None,
    tolerance: float | None,
    threads: int | None,
    is_main: bool,
    cancel: Cancel | None = None,
) -> list[Linearization | str]:
    """See :meth:`kausal.Model.linearize_over`."""
    over = None
    if values is not None:
        if not (hasattr(values, "columns") or isinstance(values, Mapping)):
            raise RequestError(f"a {type(values).__name__} is no table of values: give one, or a dictionary of lists")
        keys = list(values.columns if hasattr(values, "columns") else values)
        names = [str(name) for name in keys]
        columns = [_plain(name, values[name]) for name in keys]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f"{len(c)} of {n}" for n, c in zip(names, columns, strict=True))
            raise RequestError(f"a row of values needs one of each, and there are {lengths}")
        over = (names, [list(row) for row in zip(*columns, strict=True)])
    near_ = checked({
        "at": at,
        "steady": steady,
        "inputs": None if inputs is None else named("inputs=", inputs),
        "outputs": None if outputs is None else named("outputs=", outputs),
        "tolerance": tolerance,
        "threads": threads,
        "over": over,
    })
    with nothing_kept():
        made = model._core.linearize(near_, is_main, cancel)
    return [one if isinstance(one, str) else Linearization(model.name, one) for one in made]


def linearize(model: Model, *rest: Any) -> list[Linearization]:
    """See :meth:`kausal.Model.linearize`."""
    return [one for one in linearizations(model, *rest) if not isinstance(one, str)]
