"""Parameters from measurements: bounded least squares over the runs of a model."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import show
from .asked import number, numbers
from ._kausal import Cancel
from .errors import Cancelled, Error, Interrupted, RequestError, RunError, UnknownName
from .inputs import _table
from .solution import Solution
from .stopping import Stopping
from .variables import near

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Runs are this exact: their differences are taken."""

STEP = 1e-5
"""The relative step of differences: the cube root of what runs are exact to, the best for central differences (Dennis and Schnabel
1983, section 5.6), is about 1e-3 of the distance over which results bend; a part of the value is less than that."""


@dataclass
class Experiment:
    """Measurements, and what was different when they were made: values of parameters and start values, and inputs."""

    data: Any
    """A table with a column ``time``, or with time as its index, and columns with the names of variables."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Any = None


class Fit:
    """The values of parameters that agree best with measurements, and how well they are known."""

    def __init__(
        self,
        model: Model,
        names: list[str],
        values: Array,
        bounds: list[tuple[float, float]],
        jacobian: Array,
        residuals: Array,
        runs: int,
        message: str,
        converged: bool,
        solutions: list[Solution],
    ) -> None:
        from scipy import stats

        self.model = model.with_values(dict(zip(names, (float(v) for v in values), strict=True)))
        """The model with the values found."""
        self.values: dict[str, float] = dict(zip(names, (float(v) for v in values), strict=True))
        self.residuals = residuals
        """How far the runs are from the measurements, in the weights of the fit."""
        self.runs, self.message, self.converged = runs, message, converged
        self.solutions = solutions
        """The runs with the values found, one for each experiment."""
        freedom = max(len(residuals) - len(names), 1)
        self.variance = float(residuals @ residuals) / freedom
        # The pseudo-inverse: what the measurements do not determine has no interval, not a wrong one.
        _, s, v = np.linalg.svd(jacobian, full_matrices=False)
        weak = s <= np.finfo(float).eps * max(jacobian.shape) * (s[0] if len(s) else 0.0)
        inverse = np.where(weak, 0.0, 1 / np.where(weak, 1.0, s) ** 2)
        self.covariance: Array = (v.T * inverse) @ v * self.variance
        self.deviations = dict(zip(names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))
        undetermined = {names[i] for row in v[weak] for i in np.flatnonzero(np.abs(row) > 1e-6)}
        quantile = float(stats.t.ppf(0.975, freedom))
        self.intervals: dict[str, tuple[float, float]] = {}
        """Where the values lie with a probability of 95 %, as far as the model is linear there."""
        for name, value in self.values.items():
            if name in undetermined:
                self.deviations[name] = float("inf")
            half = quantile * self.deviations[name]
            self.intervals[name] = (value - half, value + half)
        self.bounds = dict(zip(names, bounds, strict=True))

    @property
    def correlation(self) -> Array:
        """How parameters stand in for each other: 1 or -1 where only a combination of two is known."""
        size = np.sqrt(np.diag(self.covariance))
        size[size == 0] = 1.0
        correlation: Array = self.covariance / np.outer(size, size)
        return correlation

    def _rows(self) -> list[tuple[str, str, str, str]]:
        def words(name: str) -> str:
            low, high = self.bounds[name]
            at = " (at its bound)" if self.values[name] in (low, high) else ""
            return f"{low:.6g} to {high:.6g}{at}"

        return [
            (n, f"{v:.6g}", "not determined" if np.isinf(self.deviations[n]) else "{:.6g} to {:.6g}".format(*self.intervals[n]), words(n))
            for n, v in self.values.items()
        ]

    def _title(self) -> str:
        how = "converged" if self.converged else f"not converged: {self.message}"
        return f"Fit of {self.model.name}: {len(self.residuals)} measurements, {self.runs} runs, {how}"

    def __repr__(self) -> str:
        return self._title() + "\n" + show.text_table(("parameter", "value", "95 %", "bounds"), self._rows())

    def _repr_html_(self) -> str:
        head = ("parameter", "value", "95 %", "bounds")
        return f"<p><b>{html.escape(self._title())}</b></p>" + show.html_table(head, self._rows())


TICK = 0.1
"""Seconds the main thread waits before it looks whether somebody wants it to end: waiting for a lock it may miss that."""


class _Search(Stopping):
    """What a search has come to. Ctrl-C ends the runs that are on their way, in whatever thread, and gives that."""

    def __init__(self, names: list[str], above: Cancel | None = None) -> None:
        super().__init__(above)
        self._names = names
        self._least = np.inf
        self.best: dict[str, float] | None = None

    def came_to(self, values: Array, cost: float) -> None:
        """A point, and how good it is: less is better."""
        if cost < self._least:
            self._least = cost
            self.best = dict(zip(self._names, (float(v) for v in values), strict=True))

    def each(self, pool: ThreadPoolExecutor, make: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """What is made of each item, in other threads."""
        tasks = [pool.submit(make, item) for item in items]
        while wait(tasks, timeout=TICK, return_when=FIRST_EXCEPTION).not_done:
            if any(task.done() and task.exception() is not None for task in tasks):
                # Nobody wants the others any more.
                self.cancel.cancel()
                for task in tasks:
                    task.cancel()
                while wait(tasks, timeout=TICK).not_done:
                    pass
        self.check()
        failures = [e for task in tasks if not task.cancelled() and (e := task.exception()) is not None]
        if failures:
            # Runs that were ended because of another one are not the reason.
            raise next((e for e in failures if not isinstance(e, Cancelled)), failures[0])
        return [task.result() for task in tasks]

    def __exit__(self, kind: type[BaseException] | None, failure: BaseException | None = None, trace: object = None) -> None:
        super().__exit__(kind, failure, trace)
        if kind is not None:
            self.cancel.cancel()
        # What a run says that was ended is not why it was.
        said = self.raised if self.raised is not None and (kind is None or issubclass(kind, Error)) else failure
        if isinstance(said, KeyboardInterrupt):
            raise Interrupted(self.best) from None
        if said is not None and said is not failure:
            raise said from None


class _Measured:
    """An experiment as arrays."""

    def __init__(self, model: Model, experiment: Any, weights: Mapping[str, float]) -> None:
        made = experiment if isinstance(experiment, Experiment) else Experiment(experiment)
        times, columns = _table(made.data)
        self.times: Array = numbers("the instants of the measurements", times)
        self.parameters, self.inputs = dict(made.parameters), made.inputs
        self.columns: dict[str, Array] = {}
        for name, values in columns.items():
            self._take(model, name, numbers(f"the measurements of {name}", values))
        if not self.columns:
            raise RequestError("the measurements have no columns but time, inputs and parameters")
        if len(self.times) == 0 or not np.all(np.isfinite(self.times)):
            raise RequestError("the measurements need instants that are finite numbers")
        self.instants, self.rows = np.unique(self.times, return_inverse=True)
        for name, weight in weights.items():
            if not (np.isfinite(number(f"the weight of {name}", weight)) and float(weight) > 0):
                raise RequestError(f"the weight of {name} is the size of its errors, a positive number, not {weight!r}")
        # Where nothing is said, each variable counts by how much it varies.
        # What was not measured is no reason for anything.
        self.known = {name: np.isfinite(values) for name, values in self.columns.items()}
        if not any(known.any() for known in self.known.values()):
            raise RequestError("the measurements have no values: all are missing")
        spread = {name: float(np.std(values[self.known[name]])) if self.known[name].any() else 0.0 for name, values in self.columns.items()}
        self.sizes = {name: float(weights[name]) if name in weights else spread[name] or 1.0 for name in self.columns}


    def _take(self, model: Model, name: str, values: Array) -> None:
        """A column: a measurement; or an input, which drove the experiment; or a parameter, which nothing follows from."""
        if name in model.inputs:
            inputs = {} if self.inputs is None else self.inputs
            if isinstance(inputs, Mapping) and name not in inputs:
                known = np.isfinite(values)
                self.inputs = {**inputs, name: (self.times[known], values[known])}
            return
        if name in model.parameters:
            return
        # Runs have the derivatives of states, too.
        rate = name.removeprefix("der(").removesuffix(")")
        if rate == name or rate not in model.states:
            model.variables[name]
        self.columns[name] = values


def calibrate(
    model: Model,
    parameters: Mapping[str, Any],
    data: Any,
    *,
    weights: Mapping[str, float],
    tolerance: float,
    start: float | None,
    max_runs: int | None,
    progress: Any,
    cancel: Cancel | None,
    request: Mapping[str, Any],
) -> Fit:
    """See :meth:`kausal.Model.calibrate`."""
    if max_runs is not None and number("max_runs=", max_runs) < 1:
        raise RequestError(f"max_runs= is a number of runs from 1 on, not {max_runs!r}")
    for name in ("stop", "instants", "variables", "interval", "intervals", "parameters", "inputs", "observer"):
        if name in request:
            raise RequestError(f"{name}= follows from the measurements; what was different in an experiment is said in its ka.Experiment")
    experiments = [_Measured(model, e, weights) for e in (data if isinstance(data, (list, tuple)) else [data])]
    if not experiments:
        raise RequestError("there is nothing to calibrate with: give measurements")
    strangers = [name for name in weights if not any(name in e.columns for e in experiments)]
    if strangers:
        measured = {name for e in experiments for name in e.columns}
        raise UnknownName(f"there are no measurements of {strangers[0]} to give a weight{near(strangers[0], measured)}")
    bounds, first = _bounds(model, parameters)
    names = list(parameters)
    low, high = (np.array(side, dtype=float) for side in zip(*bounds, strict=True))
    spread = np.array([_size(a, b, c) for (a, b), c in zip(bounds, first, strict=True)])
    runs = 0
    failures: list[Error] = []
    search = _Search(names, cancel)

    def solve(measured: _Measured, values: Array) -> Solution | None:
        nonlocal runs
        runs += 1
        settings = {**measured.parameters, **dict(zip(names, (float(v) for v in values), strict=True))}
        try:
            return model.simulate(
                float(measured.instants[-1]),
                start=start,
                parameters=settings,
                inputs=measured.inputs,
                variables=list(measured.columns),
                instants=measured.instants,
                tolerance=tolerance,
                cancel=search.cancel,
                **request,
            )
        except Cancelled:
            raise
        except RunError as error:
            failures.append(error)
            return None

    def difference(measured: _Measured, solution: Solution | None) -> Array:
        parts = []
        for name, values in measured.columns.items():
            known = measured.known[name]
            if solution is None:
                # As bad as an error of many deviations at every instant: the search turns back.
                parts.append(np.full(int(known.sum()), 1e3))
                continue
            at = np.interp(measured.times, solution.time, solution[name])
            parts.append((at - values)[known] / measured.sizes[name])
        return np.concatenate(parts)

    # Runs leave the interpreter's lock alone: threads are enough.
    with ThreadPoolExecutor() as pool, search:
        from scipy.optimize import least_squares

        def residuals(values: Array) -> Array:
            solutions = search.each(pool, lambda e: solve(e, values), experiments)
            found = np.concatenate([difference(e, s) for e, s in zip(experiments, solutions, strict=True)])
            search.came_to(values, float(found @ found))
            if callable(progress):
                with search.outside():
                    progress(dict(zip(names, values.tolist(), strict=True)), float(found @ found))
            return found

        def carried(measured: _Measured, values: Array) -> Array | None:
            """Derivatives that are carried along a run; none where the model has none, or the run fails."""
            nonlocal runs
            settings = {**measured.parameters, **dict(zip(names, (float(v) for v in values), strict=True))}
            runs += 1
            try:
                found = model.sensitivities(
                    names,
                    list(measured.columns),
                    stop=float(measured.instants[-1]),
                    start=start,
                    parameters=settings,
                    inputs=measured.inputs,
                    instants=measured.instants,
                    tolerance=tolerance,
                    cancel=search.cancel,
                    **request,
                )
            except Cancelled:
                raise
            except Error:
                return None
            parts = []
            for name in measured.columns:
                rates = [np.interp(measured.times, found.time, column) for column in found[name].T]
                parts.append(np.stack(rates, axis=1)[measured.known[name]] / measured.sizes[name])
            return np.concatenate(parts)

        smooth = True

        def jacobian(values: Array) -> Array:
            nonlocal smooth
            if smooth:
                blocks = search.each(pool, lambda e: carried(e, values), experiments)
                if all(block is not None for block in blocks):
                    return np.concatenate([block for block in blocks if block is not None])
                smooth = False
            return differences(values)

        def differences(values: Array) -> Array:
            steps = STEP * spread
            # Central differences, inside the bounds.
            above = np.minimum(values + steps, high)
            below = np.maximum(values - steps, low)
            places = []
            for i in range(len(names)):
                for side in (above, below):
                    place = values.copy()
                    place[i] = side[i]
                    places.append(place)
            tasks = [(e, place) for place in places for e in experiments]
            solved = search.each(pool, lambda task: difference(task[0], solve(*task)), tasks)
            n = len(experiments)
            rows = [np.concatenate(solved[k * n : (k + 1) * n]) for k in range(len(places))]
            return np.stack(
                [(rows[2 * i] - rows[2 * i + 1]) / (above[i] - below[i]) for i in range(len(names))], axis=1
            )

        begin = residuals(first)
        if failures:
            raise failures[0]
        found = least_squares(
            residuals,
            first,
            jac=jacobian,
            bounds=(low, high),
            x_scale=spread,
            max_nfev=max_runs,
            xtol=1e-10,
            ftol=1e-12,
        )
        best = found.x if found.cost <= 0.5 * float(begin @ begin) else first
        ended = search.each(pool, lambda e: solve(e, best), experiments)
        return Fit(
            model,
            names,
            best,
            bounds,
            found.jac if best is found.x else jacobian(best),
            np.concatenate([difference(e, s) for e, s in zip(experiments, ended, strict=True)]),
            runs,
            found.message,
            bool(found.success),
            [s for s in ended if s is not None],
        )


def _bounds(model: Model, parameters: Mapping[str, Any]) -> tuple[list[tuple[float, float]], Array]:
    """Where each parameter may lie, and where the search begins."""
    bounds: list[tuple[float, float]] = []
    first: list[float] = []
    if not isinstance(parameters, Mapping):
        raise RequestError(f'parameters are named with their bounds, {{"R.R": (0.1, 10)}}, not as a {type(parameters).__name__}')
    for name, given in parameters.items():
        declared = model.variables[name]
        if declared.type not in ("Real", "other"):
            raise RequestError(f"{name} is of type {declared.type}: only Real values lie between bounds; compare runs with a sweep")
        if isinstance(given, (np.generic, np.ndarray)):
            given = given.tolist()
        if isinstance(given, (int, float)):
            given = (None, float(given), None)
        elif isinstance(given, Sequence) and len(given) == 2:
            given = (given[0], None, given[1])
        if not (isinstance(given, Sequence) and len(given) == 3):
            raise RequestError(f"{name} takes (low, high), (low, begin, high), or a number to begin with")
        low = given[0] if given[0] is not None else declared.min if declared.min is not None else -np.inf
        high = given[2] if given[2] is not None else declared.max if declared.max is not None else np.inf
        low, high = number(f"the lower bound of {name}", low), number(f"the upper bound of {name}", high)
        if not low < high:
            raise RequestError(f"the bounds of {name} are {low:g} and {high:g}; the lower one comes first")
        begin = given[1]
        if begin is None and isinstance(declared.value, (int, float)):
            begin = float(declared.value)
        if begin is None or not low < begin < high:
            if not (np.isfinite(low) and np.isfinite(high)):
                raise RequestError(f"{name} has no value to begin with: give (low, begin, high)")
            begin = (low * high) ** 0.5 if low > 0 else 0.5 * (low + high)
        bounds.append((low, high))
        first.append(float(begin))
    if not bounds:
        raise RequestError("there is nothing to calibrate: name parameters with their bounds")
    return bounds, np.array(first)


def _size(bound: float, other: float, begin: float) -> float:
    """What counts as a large change of a parameter."""
    if begin != 0:
        return abs(begin)
    width = other - bound
    return width if np.isfinite(width) else 1.0
