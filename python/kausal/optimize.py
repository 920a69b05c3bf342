"""The best values of parameters: bounded minimisation over the runs of a model."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import show
from .asked import number
from ._kausal import Cancel
from .errors import Cancelled, RequestError, RunError
from .fit import STEP, _bounds, _Search, _size
from .solution import Solution

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]


class Optimum:
    """The best values that were found, with the run they lead to."""

    def __init__(self, model: Model, values: dict[str, float], objective: float, runs: int, message: str, converged: bool, solution: Solution) -> None:
        self.model = model.with_values(values)
        """The model with these values."""
        self.values, self.objective = values, objective
        self.runs, self.message, self.converged = runs, message, converged
        self.solution = solution

    def _title(self) -> str:
        how = "converged" if self.converged else f"not converged: {self.message}"
        return f"Optimum of {self.model.name}: {self.objective:.8g}, {self.runs} runs, {how}"

    def __repr__(self) -> str:
        rows = [(name, f"{value:.6g}") for name, value in self.values.items()]
        return self._title() + "\n" + show.text_table(("parameter", "value"), rows)

    def _repr_html_(self) -> str:
        rows = [(name, f"{value:.6g}") for name, value in self.values.items()]
        return f"<p><b>{html.escape(self._title())}</b></p>" + show.html_table(("parameter", "value"), rows)


def optimize(
    model: Model,
    parameters: Mapping[str, Any],
    objective: str | Callable[[Solution], float],
    *,
    maximize: bool,
    constraints: Mapping[str, tuple[float | None, float | None]],
    tolerance: float,
    max_runs: int | None,
    cancel: Cancel | None,
    request: Mapping[str, Any],
) -> Optimum:
    """See :meth:`kausal.Model.optimize`."""
    bounds, first = _bounds(model, parameters)
    names = list(parameters)
    scale = np.array([_size(a, b, c) for (a, b), c in zip(bounds, first, strict=True)])
    wanted = [*([objective] if isinstance(objective, str) else []), *constraints]
    sign = -1.0 if maximize else 1.0
    runs = 0
    known: dict[bytes, tuple[dict[str, float], dict[str, Array]] | None] = {}

    search = _Search(names, cancel)
    request = {**request, "cancel": search.cancel}

    def settings(x: Array) -> dict[str, float]:
        return dict(zip(names, (float(v) for v in x * scale), strict=True))

    def ends(x: Array) -> tuple[dict[str, float], dict[str, Array]] | None:
        """Values at the end with their derivatives; none where the run fails."""
        nonlocal runs
        key = x.tobytes()
        if key not in known:
            runs += 1
            try:
                found = model.sensitivities(names, wanted, parameters=settings(x), tolerance=tolerance, intervals=1, **request)
                known[key] = (
                    {name: float(found.values[name][-1]) for name in wanted},
                    {name: found[name][-1] * scale for name in wanted},
                )
            except Cancelled:
                search.check()
                raise
            except RunError:
                known[key] = None
            search.check()
        return known[key]

    def score(x: Array) -> float:
        found = scored(x)
        search.came_to(x * scale, found)
        return found

    def scored(x: Array) -> float:
        nonlocal runs
        if isinstance(objective, str):
            found = ends(x)
            return WORST if found is None else sign * found[0][objective]
        runs += 1
        try:
            solution = model.simulate(parameters=settings(x), tolerance=tolerance, **request)
        except Cancelled:
            search.check()
            raise
        except RunError:
            return WORST
        with search.outside():
            value = float(objective(solution))
        return sign * value if np.isfinite(value) else WORST

    def gradient(x: Array) -> Array:
        if isinstance(objective, str):
            found = ends(x)
            return np.zeros(len(names)) if found is None else sign * found[1][objective]
        slope = np.empty(len(names))
        for i, (low, high) in enumerate(bounds):
            above, below = x.copy(), x.copy()
            above[i] = min(x[i] + STEP, high / scale[i])
            below[i] = max(x[i] - STEP, low / scale[i])
            slope[i] = (score(above) - score(below)) / (above[i] - below[i])
        return slope

    def limit(name: str, side: int, bound: float) -> dict[str, Any]:
        def value(x: Array) -> float:
            found = ends(x)
            return -WORST if found is None else side * (found[0][name] - bound)

        def slope(x: Array) -> Array:
            found = ends(x)
            return np.zeros(len(names)) if found is None else side * found[1][name]

        return {"type": "ineq", "fun": value, "jac": slope}

    limits = []
    for name, sides in constraints.items():
        if not (isinstance(sides, (tuple, list)) and len(sides) == 2):
            raise RequestError(f"the constraint of {name} is (low, high), None for what has no bound, not {sides!r}")
        low, high = (None if side is None else number(f"the bound of {name}", side) for side in sides)
        if low is not None:
            limits.append(limit(name, 1, float(low)))
        if high is not None:
            limits.append(limit(name, -1, float(high)))
    if not isinstance(objective, str) and not callable(objective):
        raise RequestError("the objective is the name of a variable, or a function of a solution")
    with search:
        from scipy.optimize import minimize

        begin = score(first / scale)
        if begin == WORST:
            model.simulate(parameters=settings(first / scale), **request)
            raise RequestError("the objective is not a finite number where the search begins")
        found = minimize(
            score,
            first / scale,
            jac=gradient,
            bounds=[(a / s, b / s) for (a, b), s in zip(bounds, scale, strict=True)],
            method="SLSQP" if limits else "L-BFGS-B",
            constraints=limits,
            options={"maxiter": max_runs or 200},
            tol=1e-10,
        )
        best = np.clip(found.x, [a / s for (a, _), s in zip(bounds, scale, strict=True)], [b / s for (_, b), s in zip(bounds, scale, strict=True)])
        values = settings(best)
        solution = model.simulate(parameters=values, tolerance=tolerance, **request)
        return Optimum(model, values, sign * score(best), runs, str(found.message), bool(found.success), solution)


WORST = 1e100
"""The score of a run that fails: worse than any other, and still a number for the search."""
