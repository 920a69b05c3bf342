"""What a run gave: columns over time, for NumPy and everything that stands on it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _kausal, show
from .asked import numbers
from .errors import Diagnostic, RequestError, UnknownName
from .variables import near

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]


class Solution(Mapping[str, Array]):
    """The solution of a run: ``r["J.w"]`` are the values of a variable at the instants ``r.time``.

    Columns are looked at where the run put them, without copies; they cannot be written to. An event has two instants, one before
    and one after it.

    >>> import kausal as ka
    >>> r = ka.load("Kausal.Examples.RC").simulate(stop=0.5)
    >>> r.time.shape == r["capacitor.v"].shape
    True
    >>> r
    <Solution of Kausal.Examples.RC: 0 to 0.5 s, 501 instants, 24 variables>
    """

    def __init__(self, core: _kausal.Solution, model: Model | None = None) -> None:
        self._core = core
        self._model = model
        self._of = ""
        self._columns: dict[str, Array] = {}
        self._signals: dict[str, tuple[str, str, bool]] | None = None
        self._said: tuple[Diagnostic, ...] | None = None
        self._errors: dict[str, float] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # The model stays where it is: it is pickled by itself, where somebody wants it.
        return _restored, (self._core.parts(), self._name(), self.diagnostics, self.errors)

    def _name(self) -> str:
        return self._model.name if self._model else self._of

    def _known(self) -> dict[str, tuple[str, str, bool]]:
        if self._signals is None:
            self._signals = {n: (u, d, c) for n, u, d, c in self._core.signals()}
        return self._signals

    def _column(self, name: str) -> Array | None:
        known = self._columns.get(name)
        if known is not None:
            return known
        column = self._core.column(name)
        if column is None:
            return None
        values: Array = np.asarray(column)
        self._columns[name] = values
        return values

    @overload
    def __getitem__(self, name: str) -> Array: ...
    @overload
    def __getitem__(self, name: list[str]) -> Array: ...
    def __getitem__(self, name: str | list[str]) -> Array:
        """The values of a variable over time; of several, one column each."""
        if isinstance(name, str):
            values = self._column(name)
            if values is None:
                raise UnknownName(f"there is no variable {name} in the solution{near(name, self._known())}")
            return values
        return np.column_stack([self[one] for one in name])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name == "time" or name in self._known())

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    @property
    def time(self) -> Array:
        """The instants of all values."""
        return self["time"]

    @property
    def names(self) -> list[str]:
        """The names of all variables, in the order of the model."""
        return list(self._known())

    def unit(self, name: str) -> str:
        """The unit of a variable; may be empty."""
        if name == "time":
            return "s"
        if name not in self._known():
            raise UnknownName(f"there is no variable {name} in the solution{near(name, self._known())}")
        return self._known()[name][0]

    @property
    def final(self) -> Instant:
        """The values where the run ended."""
        return Instant(self, len(self.time) - 1, len(self.time) - 1, 0.0, self.end)

    @property
    def end(self) -> float:
        """Where the run ended."""
        return self._core.end

    @property
    def events(self) -> Array:
        """The instants of events."""
        return np.array(self._core.events())

    @property
    def terminated(self) -> str | None:
        """The message of ``terminate``, if the model ended the run."""
        return self._core.terminated

    @property
    def seconds(self) -> float:
        """Seconds the run took."""
        return self._core.seconds

    @property
    def statistics(self) -> dict[str, int]:
        """Steps, evaluations, Jacobians and events of the run."""
        return self._core.statistics()

    @property
    def errors(self) -> dict[str, float] | None:
        """The estimated largest error of every variable, of a run with ``audit=True``."""
        if self._errors is not None:
            return dict(self._errors)
        errors = self._core.errors()
        return None if errors is None else dict(errors)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the run said: warnings, notes, and its errors where it failed."""
        from .errors import read

        if self._said is not None:
            return self._said
        return read(self._model._core.said(self._core)) if self._model else ()

    @overload
    def at(self, time: float, side: str = "right") -> Instant: ...
    @overload
    def at(self, time: Sequence[float] | Array, side: str = "right") -> dict[str, Array]: ...
    def at(self, time: float | Sequence[float] | Array, side: str = "right") -> Instant | dict[str, Array]:
        """The values at an instant, or at several: on straight lines between the instants of the solution.

        At an event they are those after it, or with ``side="left"`` those before.

        >>> import kausal as ka
        >>> r = ka.load("model M Real x = time^2; end M;").simulate(stop=2)
        >>> round(r.at(1.5)["x"], 4)
        2.25
        """
        if side not in ("left", "right"):
            raise RequestError(f'side is "left" or "right", not {side!r}')
        asked = numbers("the instants of at()", time)
        t = self.time
        # What is not a number is not within them either.
        if len(t) == 0 or not bool(np.all((t[0] <= asked) & (asked <= t[-1]))):
            span = f"from {t[0]:g} to {t[-1]:g}" if len(t) else "empty"
            raise RequestError(f"the solution is {span}: there is no time {time}")
        if asked.ndim == 0:
            low, high, share = _place(t, float(asked), side)
            return Instant(self, low, high, share, float(asked))
        places = [_place(t, float(one), side) for one in asked.ravel()]
        low_rows = np.array([p[0] for p in places], dtype=int)
        high_rows = np.array([p[1] for p in places], dtype=int)
        shares = np.array([p[2] for p in places])
        return {
            name: (self[name][low_rows] * (1 - shares) + self[name][high_rows] * shares).reshape(asked.shape)
            for name in self
        }

    def to_pandas(self, *names: str) -> Any:
        """A table of pandas with time as its index: of all variables, or of those of these names and patterns."""
        import pandas as pd

        chosen = self._chosen(names)
        columns = {name: self[name] for name in chosen}
        table = pd.DataFrame(columns, index=pd.Index(self.time, name="time"), copy=False)
        table.attrs["units"] = {name: self.unit(name) for name in chosen}
        return table

    def to_polars(self, *names: str) -> Any:
        """A table of polars, which looks at the columns where they are."""
        import polars as pl

        return pl.DataFrame(self._table(names))

    def to_arrow(self, *names: str) -> Any:
        """A table of pyarrow, which looks at the columns where they are; units are metadata of its fields.

        Whatever speaks Arrow's C data interface takes the solution itself, without pyarrow.
        """
        import pyarrow as pa

        return pa.table(self._table(names))

    def to_xarray(self, *names: str) -> Any:
        """A dataset of xarray over time, with units and descriptions."""
        import xarray as xr

        known = self._known()

        def said(name: str) -> dict[str, str]:
            unit, description, _ = known[name]
            both = {"units": unit, "long_name": description}
            return {key: text for key, text in both.items() if text}

        data = {name: ("time", self[name], said(name)) for name in self._chosen(names)}
        title = {"title": self._name()} if self._name() else {}
        return xr.Dataset(data, coords={"time": ("time", self.time, {"units": "s"})}, attrs=title)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def write(self, path: Any) -> None:
        """Writes all columns to a file: ``.csv``, ``.mat`` or ``.parquet``."""
        self._core.write(str(path))

    def plot(self, *names: str, ax: Any = None, **style: Any) -> Any:
        """Plots variables over time with Matplotlib: one panel for each unit, all on the same axis of time.

        Names may have ``*`` and ``?``; without any, the first few that change are shown. Gives the axes. ``ax`` is where to plot
        instead; other arguments go to Matplotlib's ``plot``.
        """
        import matplotlib.pyplot as plt

        chosen = self._core.chosen(list(names))
        panels: dict[str, list[str]] = {}
        for name in chosen:
            panels.setdefault(self.unit(name), []).append(name)
        if ax is None:
            _, grid = plt.subplots(
                max(len(panels), 1), 1, sharex=True, squeeze=False, figsize=(7.6, 1.4 + 2.2 * max(len(panels), 1))
            )
            axes = list(grid[:, 0])
        else:
            axes = [ax] * max(len(panels), 1)
        for axis, (unit, shown) in zip(axes, panels.items(), strict=False):
            for name in shown:
                axis.plot(self.time, self[name], label=name, **style)
            axis.set_ylabel(_axis(shown, unit))
            axis.legend()
            axis.grid(True, alpha=0.3)
        axes[-1].set_xlabel("time [s]")
        if self._name() and ax is None:
            axes[0].set_title(self._name())
        return axes[0] if len(axes) == 1 or ax is not None else axes

    def svg(self, *names: str) -> str:
        """The same plot as SVG, without Matplotlib."""
        return self._core.svg(self._name(), list(names))

    def _chosen(self, names: Sequence[str]) -> list[str]:
        if not names:
            return self.names
        for name in names:
            if not any(c in name for c in "*?") and name not in self:
                raise UnknownName(f"there is no variable {name} in the solution{near(name, self._known())}")
        return self._core.chosen(list(names))

    def _table(self, names: Sequence[str]) -> Any:
        return _Stream(self._core, self._chosen(names)) if names else self

    def _title(self) -> str:
        t = self.time
        span = f"{t[0]:g} to {t[-1]:g} s" if len(t) else "empty"
        of = f" of {self._name()}" if self._name() else ""
        return f"Solution{of}: {span}, {len(t)} instants, {len(self)} variables"

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _repr_html_(self) -> str:
        s = self.statistics
        events = s["state_events"] + s["time_events"]
        took = f"{s['steps']} steps, {events} events, {self.seconds * 1e3:.3g} ms"
        out = [f"<p><b>{html.escape(self._title())}</b><br/>{took}</p>"]
        out += [f"<p>{html.escape(str(d))}</p>" for d in self.diagnostics if d.severity != "note"]
        if len(self.time) > 1:
            out.append(show.picture(self.svg()))
        return "".join(out)


def _restored(
    parts: tuple[Any, ...], name: str, said: tuple[Diagnostic, ...], errors: dict[str, float] | None
) -> Solution:
    """A solution that comes from another process."""
    solution = Solution(_kausal.Solution.from_parts(parts))
    solution._of, solution._said, solution._errors = name, said, errors
    return solution


class Instant(Mapping[str, float]):
    """The values of a solution at an instant: ``r.at(1.5)["J.w"]``."""

    def __init__(self, solution: Solution, low: int, high: int, share: float, time: float) -> None:
        self._solution, self._low, self._high, self._share = solution, low, high, share
        self.time = time

    def __getitem__(self, name: str) -> float:
        if name == "time":
            return self.time
        values = self._solution[name]
        low = float(values[self._low])
        return low if self._share == 0 else low * (1 - self._share) + float(values[self._high]) * self._share

    def __iter__(self) -> Iterator[str]:
        return iter(self._solution)

    def __len__(self) -> int:
        return len(self._solution)

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(name, show.number(self[name]), self._solution.unit(name)) for name in self]

    def __repr__(self) -> str:
        return f"at {self.time:g} s\n" + show.text_table(("name", "value", "unit"), self._rows())

    def _repr_html_(self) -> str:
        return f"<p>at {self.time:g} s</p>" + show.html_table(("name", "value", "unit"), self._rows())


class _Stream:
    """Some columns of a solution for Arrow's C data interface."""

    def __init__(self, core: _kausal.Solution, names: list[str]) -> None:
        self._core, self._names = core, names

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.arrow_stream(self._names)


def _place(t: Array, time: float, side: str) -> tuple[int, int, float]:
    """The rows around an instant, and how far it is from the first to the second."""
    if side == "right":
        low = int(np.searchsorted(t, time, side="right")) - 1
    else:
        low = int(np.searchsorted(t, time, side="left"))
        if t[low] != time:
            low -= 1
    if t[low] == time or low + 1 >= len(t):
        return low, low, 0.0
    return low, low + 1, (time - t[low]) / (t[low + 1] - t[low])


def _axis(names: list[str], unit: str) -> str:
    what = names[0] if len(names) == 1 else ""
    return f"{what} [{unit}]".strip() if unit else what
