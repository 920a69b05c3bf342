"""Many runs of one model with other values each."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _kausal, show
from .asked import checked, instants as at_instants, names, number, setting
from .errors import Cancelled, Interrupted, RequestError, UnknownName
from .variables import near

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """Random values of a parameter: :func:`uniform`, :func:`loguniform` or :func:`normal`."""

    kind: str
    first: float
    second: float

    def __str__(self) -> str:
        return f"{self.kind}({self.first!r},{self.second!r})"


def uniform(low: float, high: float) -> Distribution:
    """Values between two numbers."""
    return Distribution("uniform", number("the lower bound", low), number("the upper bound", high))


def loguniform(low: float, high: float) -> Distribution:
    """Values between two positive numbers, uniform in the logarithm."""
    return Distribution("loguniform", number("the lower bound", low), number("the upper bound", high))


def normal(mean: float, deviation: float) -> Distribution:
    """Values with a mean and a standard deviation."""
    return Distribution("normal", number("the mean", mean), number("the deviation", deviation))


def axes(vary: Any) -> list[tuple[list[str], Any]]:
    """What is varied, as the compiled module takes it: names with rows of values, or with words for random ones."""
    if hasattr(vary, "columns") and not isinstance(vary, Mapping):
        names = [str(name) for name in vary.columns]
        columns = [_plain(name, vary[name]) for name in vary.columns]
        return [(names, [list(row) for row in zip(*columns, strict=True)])]
    if not isinstance(vary, Mapping):
        raise RequestError(
            f"a {type(vary).__name__} says not what is varied: give a table with a row for each run, "
            'or a dictionary such as {"J.J": [0.1, 0.2], "R.R": ka.uniform(1, 2)}'
        )
    if not vary:
        raise RequestError("nothing is varied: name parameters with their values")
    found: list[tuple[list[str], Any]] = []
    for name, values in vary.items():
        if isinstance(values, (Distribution, str)):
            found.append(([name], str(values)))
        else:
            found.append(([str(name)], [[value] for value in _plain(name, values)]))
    return found


def _plain(name: str, values: Any) -> list[Any]:
    """The values of a parameter, one for each run or of a grid."""
    array = values if isinstance(values, np.ndarray) else None
    if array is not None and array.ndim == 1 and array.dtype.kind in "fiub":
        return list(array.tolist())
    if isinstance(values, (bool, int, float, np.generic)) or (array is not None and array.ndim == 0):
        return [setting(name, values)]
    try:
        listed = list(values)
    except TypeError:
        raise RequestError(f"{name} is varied over a list of values, not over {values!r}") from None
    return [setting(name, value) for value in listed]


def count(given: list[tuple[list[str], Any]], runs: int | None) -> int:
    """How many runs there are."""
    lists = [len(values) for _, values in given if not isinstance(values, str)]
    if runs is not None:
        return runs
    if len(lists) < len(given) and not lists:
        raise RequestError("random values need a number of runs: runs=1000")
    return math.prod(lists)


class Sweep(Mapping[str, Array]):
    """What came of a sweep: a column for each parameter that was varied and for each number that was kept, a row for each run.

    >>> import numpy as np
    >>> import kausal as ka
    >>> m = ka.load("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
    >>> s = m.sweep({"k": np.linspace(0, 2, 5)}, outputs=["x", "max(x)"], stop=1, tolerance=1e-9)
    >>> bool(np.allclose(s["x"], np.exp(-s["k"]), atol=1e-7))
    True
    >>> s
    <Sweep of M: 5 runs, k; final(x), max(x)>
    """

    def __init__(
        self,
        model: str,
        parts: Sequence[Mapping[str, Any]],
        sizes: Mapping[str, int],
        total: int,
        path: str | None = None,
    ) -> None:
        first = parts[0]
        self.model = model
        self.path = path
        """The file with the rows, where they were not kept here."""
        self.parameters: list[str] = list(first["parameters"])
        self.quantities: list[str] = list(first["quantities"])
        self.traced: list[str] = list(first["traced"])
        self.instants: Array = np.asarray(first["grid"], dtype=float)
        self.sizes = dict(sizes)
        self.total = total
        self.status: npt.NDArray[np.str_] = np.concatenate([np.asarray(p["status"], dtype=str) for p in parts])
        self.ends: Array = np.concatenate([np.asarray(p["ends"]) for p in parts])
        self.reasons: dict[int, str] = {}
        begin = 0
        for part in parts:
            self.reasons.update({begin + run: why for run, why in part["reasons"].items()})
            begin += len(part["status"])
        self._columns: dict[str, Any] = {}
        for at, name in enumerate(self.parameters):
            self._columns[name] = np.concatenate([np.asarray(p["settings"][at]) for p in parts])
        for at, name in enumerate(self.quantities):
            self._columns[name] = np.concatenate([np.asarray(p["numbers"][at]) for p in parts])
        shape = (-1, len(self.instants), len(self.traced))
        traces = [np.asarray(p["traces"]).reshape(shape) for p in parts] if self.traced else []
        self._traces: Array | None = np.concatenate(traces) if traces else None

    def _meant(self, name: str) -> str | None:
        return next((n for n in (name, f"final({name})") if n in self._columns), None)

    def __getitem__(self, name: str) -> Array:
        """A parameter, or a number that was kept, in each run; `x` is `final(x)`."""
        meant = self._meant(name)
        if meant is None:
            raise UnknownName(f"the sweep has no {name}{near(name, self._columns)}")
        column: Array = self._columns[meant]
        return column

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._meant(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """How many columns there are; `s.runs` are the rows."""
        return len(self._columns)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.status)

    @property
    def good(self) -> npt.NDArray[np.bool_]:
        """Which runs went well."""
        good: npt.NDArray[np.bool_] = np.isin(self.status, ("complete", "terminated"))
        return good

    @property
    def failed(self) -> int:
        """How many runs failed: `s.reasons` says why."""
        return int(self.runs - self.good.sum())

    def trajectory(self, name: str) -> Array:
        """The values of a variable at `s.instants`, a row for each run."""
        if self._traces is None or name not in self.traced:
            raise UnknownName(f"the sweep has no trajectory of {name}{near(name, self.traced)}")
        return self._traces[:, :, self.traced.index(name)]

    def to_pandas(self) -> Any:
        """A table of pandas with a row for each run."""
        import pandas as pd

        table = pd.DataFrame({name: self._columns[name] for name in self}, copy=False)
        table["status"] = self.status
        table["reason"] = [self.reasons.get(run, "") for run in range(self.runs)]
        table.index.name = "run"
        return table

    def to_polars(self) -> Any:
        """A table of polars with a row for each run."""
        import polars as pl

        return pl.DataFrame(self._rows())

    def to_arrow(self) -> Any:
        """A table of pyarrow with a row for each run."""
        import pyarrow as pa

        return pa.table(self._rows())

    def _rows(self) -> dict[str, Any]:
        reasons = [self.reasons.get(run, "") for run in range(self.runs)]
        return {**self._columns, "status": self.status.tolist(), "reason": reasons}

    def to_xarray(self) -> Any:
        """A dataset of xarray: over a grid, where lists were combined, otherwise over the runs."""
        import xarray as xr

        coords: dict[str, Any] = {}
        if self.sizes and math.prod(self.sizes.values()) == self.runs:
            dims = list(self.sizes)
            shape = tuple(self.sizes.values())
            for at, name in enumerate(dims):
                grid = self._columns[name].reshape(shape)
                coords[name] = grid[tuple(slice(None) if i == at else 0 for i in range(len(dims)))]
        else:
            dims, shape = ["run"], (self.runs,)
            coords = {name: ("run", self._columns[name]) for name in self.parameters}
        data: dict[str, Any] = {q: (dims, self._columns[q].reshape(shape)) for q in self.quantities}
        data["status"] = (dims, self.status.reshape(shape))
        if self._traces is not None:
            coords["time"] = self.instants
            for name in self.traced:
                data[name] = ([*dims, "time"], self.trajectory(name).reshape(*shape, -1))
        return xr.Dataset(data, coords=coords, attrs={"title": self.model})

    def plot(self, name: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Plots a number over what was varied: a line for one list, a map for two, points otherwise."""
        import matplotlib.pyplot as plt

        quantity = self._meant(name or self.quantities[0])
        if quantity is None:
            raise UnknownName(f"the sweep has no {name}{near(name or '', self._columns)}")
        axis = ax if ax is not None else plt.subplots()[1]
        first = self.parameters[0]
        if len(self.sizes) == 2 and math.prod(self.sizes.values()) == self.runs:
            shape = tuple(self.sizes.values())
            x, y = (self._columns[p].reshape(shape) for p in self.sizes)
            mesh = axis.pcolormesh(x, y, self._columns[quantity].reshape(shape), **style)
            axis.figure.colorbar(mesh, ax=axis, label=quantity)
            axis.set_ylabel(list(self.sizes)[1])
        else:
            line = len(self.sizes) == 1 and len(self.parameters) == 1
            axis.plot(self._columns[first], self._columns[quantity], "-" if line else ".", **style)
            axis.set_ylabel(quantity)
        axis.set_xlabel(first)
        axis.set_title(self.model)
        return axis

    def _title(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        of = f" of {self.total}" if self.runs < self.total else ""
        if self.path is not None:
            return f"Sweep of {self.model}: the rows are in {self.path}"
        kept = ", ".join([*self.quantities, *self.traced])
        return f"Sweep of {self.model}: {self.runs}{of} runs{failed}, {', '.join(self.parameters)}" + (kept and f"; {kept}")

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _repr_html_(self) -> str:
        head = [*self, *(["reason"] if self.reasons else [])]
        rows = [
            [show.number(self._columns[name][run].item()) for name in self]
            + ([self.reasons.get(run, "")] if self.reasons else [])
            for run in range(min(self.runs, 11))
        ]
        return f"<p><b>{html.escape(self._title())}</b></p>" + show.html_table(head, rows, 10)


def sweep(
    model: Model,
    vary: Any,
    *,
    outputs: str | Iterable[str],
    trajectories: str | Iterable[str],
    instants: Any,
    intervals: int | None,
    runs: int | None,
    seed: int,
    sampling: str,
    threads: int | None,
    device: str,
    write: Any,
    write_trajectories: Any,
    resume: bool,
    keep: bool | None,
    engine: Any,
    progress: bool | Callable[[int, int], object],
    cancel: _kausal.Cancel | None,
    is_main: bool,
    **request: Any,
) -> Sweep:
    """Makes the runs of a sweep: see :meth:`kausal.Model.sweep`."""
    given = axes(vary)
    asked: dict[str, Any] = checked({
        "axes": given,
        "runs": runs,
        "seed": seed,
        "sampling": sampling,
        "outputs": [_quantity(q) for q in _listed(outputs)],
        "traced": _listed(trajectories),
        "grid": None if instants is None else at_instants(instants),
        "intervals": intervals,
        "threads": threads,
        "device": device,
        "write": None if write is None else os.fspath(write),
        "write_trajectories": None if write_trajectories is None else os.fspath(write_trajectories),
        "resume": resume,
        "keep": keep,
        **request,
    })
    total = count(given, asked["runs"])
    plain = runs is None and all(not isinstance(values, str) and len(names) == 1 for names, values in given)
    sizes = {names[0]: len(values) for names, values in given} if plain else {}
    with _Bar(progress, total, model.name) as bar:
        if engine is not None:
            if write is not None or write_trajectories is not None:
                raise RequestError("a sweep on an engine comes back into memory: write it from there")
            from .engine import distributed

            try:
                parts = distributed(model._core.store(), asked, total, engine, bar.tick, cancel)
            except (Interrupted, Cancelled) as ended:
                ended.partial = Sweep(model.name, ended.partial, sizes, total) if ended.partial else None
                raise
            return Sweep(model.name, parts, sizes, total)
        part, failure = model._core.sweep(asked, None, is_main, bar.tick if progress else None, cancel)
        kept = len(part["status"]) > 0
        swept = Sweep(model.name, [part], sizes, total, None if kept else asked["write"])
        if failure is None and not part["complete"] and cancel is not None and cancel.cancelled:
            stopped = Cancelled("the sweep was stopped")
            stopped.partial = swept
            raise stopped
        if failure is None:
            return swept
        if isinstance(failure, KeyboardInterrupt):
            raise Interrupted(swept) from None
        raise failure


def _listed(given: str | Iterable[str]) -> list[str]:
    return names("what is kept of each run", given)


_KINDS = "final|min|max|mean|integral|time"


def _quantity(text: str) -> tuple[str, str]:
    """What is kept, and of what.

    >>> _quantity("J.w"), _quantity("max(J.w)"), _quantity("der(x)"), _quantity("time(J.w > 1)")
    (('final', 'J.w'), ('max', 'J.w'), ('final', 'der(x)'), ('time', 'J.w > 1'))
    """
    found = re.fullmatch(rf"\s*({_KINDS})\s*\((.*)\)\s*", text, re.S)
    return (found[1], found[2].strip()) if found else ("final", text.strip())


class _Bar:
    """A bar of tqdm over the runs of a sweep."""

    def __init__(self, progress: bool | Callable[[int, int], object], total: int, name: str) -> None:
        self._call = progress if callable(progress) else None
        self._shown, self._total, self._name = progress is True, total, name
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *failure: object) -> None:
        if failure[0] is None and (self._call is not None or self._bar is not None):
            self.tick(self._total, 0)
        if self._bar is not None:
            self._bar.close()

    def tick(self, done: int, failed: int) -> None:
        if self._call is not None:
            self._call(done, self._total)
        if not self._shown:
            return
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=self._total, desc=self._name, unit="run")
        self._bar.n = done
        if failed:
            self._bar.set_postfix(failed=failed, refresh=False)
        self._bar.refresh()
