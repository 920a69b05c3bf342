"""Models: load, look, set, run."""

from __future__ import annotations

import html
import json
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _kausal, asked as _asked, inputs as _inputs, show
from ._kausal import Cancel
from .errors import Diagnostic, RequestError, UnknownName, Warning, read
from .derivatives import Linearization
from .fit import Fit
from .optimize import Optimum
from .sensitivities import Sensitivities
from .solution import Solution
from .stopping import nothing_kept
from .sweep import Sweep
from .variables import Given, Value, Variable, Variables, near

_MAIN = threading.main_thread().ident

Folder = str | os.PathLike[str]


def _is_main() -> bool:
    return threading.get_ident() == _MAIN


def load(
    what: str | os.PathLike[str],
    *,
    library: Folder | Iterable[Folder] = (),
    model: str | None = None,
    modelica_path: bool = True,
    allow_external: bool = False,
    hints: bool = True,
    tearing: str = "auto",
    relaxing: str = "auto",
    inline: str = "off",
    stiff: Iterable[str] | None = None,
    loops: str = "newton",
    interpret: bool = False,
) -> Model:
    """Loads a model: a file (``Motor.mo``, ``Motor.dym``, ``Motor.kausal``), a name in a library, or a text.

    ``library`` is a folder with libraries, or several; those of ``MODELICAPATH`` are there too. ``model`` is the class of a file or
    text that is meant, instead of its last one. ``allow_external`` compiles and runs external C code of the model, with all your
    rights. The other arguments are the options of the translation, as the command line tool has them.

    >>> import kausal as ka
    >>> ka.load("Kausal.Examples.RC").name
    'Kausal.Examples.RC'
    >>> ka.load("model M Real x = time; end M;").name
    'M'
    """
    if not isinstance(what, (str, bytes, os.PathLike)):
        raise RequestError(f"a model is a file, a name in a library, or a text, not {what!r}")
    said = os.fsdecode(what)
    if not said.strip():
        raise RequestError("there is nothing to load: a model is a file, a name in a library, or a text")
    if said.endswith(".kausal"):
        return Model(_kausal.Model.from_stored(Path(said).read_bytes(), _is_main()))
    is_file = not isinstance(what, str) or said.endswith((".mo", ".dym"))
    is_text = not is_file and re.search(r"[\s;]", said) is not None
    folders = [library] if isinstance(library, (str, os.PathLike)) else list(library)
    options = {
        "library": [os.fspath(folder) for folder in folders],
        "modelica_path": modelica_path,
        "model": model,
        "allow_external": allow_external,
        "hints": hints,
        "tearing": tearing,
        "relaxing": relaxing,
        "inline": inline,
        "stiff": None if stiff is None else list(stiff),
        "loops": loops,
        "interpret": interpret,
    }
    loaded = Model(_kausal.Model.load(said, is_text, options, _is_main()))
    for diagnostic in loaded.diagnostics:
        if diagnostic.severity == "warning":
            warnings.warn(str(diagnostic), Warning, stacklevel=2)
    return loaded


class Model:
    """A translated model: it is loaded with :func:`load`, looked at, set and run.

    >>> import kausal as ka
    >>> m = ka.load("Kausal.Examples.RC")
    >>> m.parameters["capacitor.C"].value
    0.001
    >>> r = m.simulate(stop=1, capacitor_C=0.01)
    >>> slower = m.with_values({"capacitor.C": 0.01})
    >>> slower.parameters["capacitor.C"].value, m.parameters["capacitor.C"].value
    (0.01, 0.001)
    """

    def __init__(self, core: _kausal.Model, settings: dict[str, Any] | None = None, base: _kausal.Model | None = None) -> None:
        self._base = base or core
        self._core = core
        self._settings = settings or {}
        self._table: Variables | None = None
        self._role: list[list[str]] | None = None
        self._idents: dict[str, list[str]] | None = None
        self._last: tuple[dict[str, Any], _kausal.Model] | None = None

    # Look

    @property
    def name(self) -> str:
        """The full name of its class."""
        return self._core.name

    @property
    def description(self) -> str:
        """What the class says about itself."""
        return self._core.description

    @property
    def experiment(self) -> dict[str, float]:
        """What the ``experiment`` annotation says: ``start``, ``stop``, ``tolerance`` and ``interval``."""
        said = zip(("start", "stop", "tolerance", "interval"), self._core.experiment, strict=True)
        return {name: value for name, value in said if value is not None}

    @property
    def variables(self) -> Variables:
        """All variables."""
        if self._table is None:
            self._table = Variables({v["name"]: Variable(self._set_one, **v) for v in self._core.variables()})
        return self._table

    def _of_role(self, role: int) -> Variables:
        if self._role is None:
            self._role = self._core.roles()
        all = self.variables
        return Variables({name: all[name] for name in self._role[role] if name in all})

    @property
    def parameters(self) -> Variables:
        """The parameters: ``m.parameters["J.J"].value``. Setting one changes this model: ``m.parameters["J.J"] = 0.3``."""
        return self._of_role(0)

    @property
    def inputs(self) -> Variables:
        """What is given from outside."""
        return self._of_role(1)

    @property
    def outputs(self) -> Variables:
        """What is given to the outside."""
        return self._of_role(2)

    @property
    def states(self) -> Variables:
        """What the integrator follows."""
        return self._of_role(3)

    @property
    def settings(self) -> dict[str, Any]:
        """The values that were set, in the place of those of the text."""
        return dict(self._settings)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes about the model."""
        return read(self._core.diagnostics())

    @property
    def flat(self) -> show.Text:
        """The flat model, scalar variables and equations, as Modelica text."""
        return show.Text(self._core.flat())

    @property
    def listing(self) -> show.Text:
        """The sorted and solved equations."""
        return show.Text(self._core.listing())

    @property
    def equations(self) -> list[show.Text]:
        """The equations of the flat model; ``when`` clauses and algorithms are in :attr:`flat` only."""
        return [show.Text(e["equation"]) for e in json.loads(self._core.equations())["equations"]]

    @property
    def initial_equations(self) -> list[show.Text]:
        """Its initial equations."""
        return [show.Text(e["equation"]) for e in json.loads(self._core.equations())["initial"]]

    def explain(self) -> show.Explanation:
        """What the translation did with the model and why: loops, states, initial values, events.

        It prints as text; in a notebook it is a page, and ``show()`` opens the page anywhere.
        """
        return show.Explanation(self._core.explain(), self._core.report(), self.name)

    # Set

    def set(self, values: Mapping[str, Given] | None = None, /, **named: Given) -> None:
        """Gives parameters other values, and other variables other start values, from now on."""
        settings = {**self._settings, **self._resolved(values, named)}
        self._core = self._base.with_values(settings, _is_main())
        self._settings = settings
        self._table = self._role = self._last = None

    def with_values(self, values: Mapping[str, Given] | None = None, /, **named: Given) -> Model:
        """The same model with other values of parameters and start values."""
        settings = {**self._settings, **self._resolved(values, named)}
        return Model(self._base.with_values(settings, _is_main()), settings, self._base)

    def _set_one(self, name: str, value: Value) -> None:
        self.set({name: value})

    def _resolved(self, values: Mapping[str, Given] | None, named: Mapping[str, Given]) -> dict[str, Any]:
        """Values by full names: `J_J` means `J.J`."""
        found: dict[str, Any] = {}
        table: Any = values
        if hasattr(table, "to_dict"):
            values = table.to_dict()
        if values is not None and not isinstance(values, Mapping):
            raise RequestError(f"values are given by their names, {{\"J.J\": 0.3}}, not as a {type(values).__name__}")
        for name, value in (values or {}).items():
            found.update(_asked.elements(str(name), value))
        for key, value in named.items():
            if self._idents is None:
                self._idents = {}
                for name in self.variables:
                    self._idents.setdefault(_ident(name), []).append(name)
            names = [key] if key in self.variables else self._idents.get(key, [])
            is_array = isinstance(value, (list, tuple, np.ndarray))
            if not names and is_array and any(n.startswith(f"{key}[") for n in self.variables):
                names = [key]
            if len(names) == 1:
                found.update(_asked.elements(names[0], value))
            elif names:
                raise RequestError(f"{key} may be {' or '.join(names)}: say which with parameters={{…}}")
            else:
                raise UnknownName(f"there is no variable {key} to set{near(key, self.variables)}")
        return found

    def _with(self, settings: dict[str, Any]) -> _kausal.Model:
        if not settings:
            return self._core
        # Other threads may ask for other values meanwhile.
        last = self._last
        if last is None or last[0] != settings:
            last = (settings, self._base.with_values({**self._settings, **settings}, _is_main()))
            self._last = last
        return last[1]

    # Keep

    def save(self, path: Folder) -> None:
        """Stores the translated model, with the values that were set: ``load("motor.kausal")`` reads it in milliseconds."""
        Path(path).write_bytes(self._core.store())

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self._core.store(),)

    # Run

    def simulate(
        self,
        stop: float | None = None,
        *,
        start: float | None = None,
        tolerance: float | None = None,
        method: str | None = None,
        interval: float | None = None,
        intervals: int | None = None,
        parameters: Mapping[str, Given] | None = None,
        inputs: Any = None,
        instants: Any = None,
        variables: str | Iterable[str] = (),
        observer: Callable[[float, _kausal.Row], object] | None = None,
        progress: bool | Callable[[float], object] = False,
        step: float | None = None,
        max_step: float | None = None,
        order: int | None = None,
        jacobian: str | None = None,
        iterations: int | None = None,
        events_at_steps: bool = False,
        audit: bool = False,
        timeout: float | None = None,
        write: Folder | Iterable[Folder] = (),
        keep: bool = True,
        cancel: Cancel | None = None,
        **values: Given,
    ) -> Solution:
        """Runs the model; what nobody says follows from its ``experiment`` annotation.

        Values of parameters and start values are named arguments, dots and brackets as underscores (``J_J=0.3``), or in
        ``parameters`` by their full names. ``inputs`` is a table with a column ``time``, or a dictionary: ``{"u": f}`` with a function
        of time, a :class:`Signal`, a number, a pair ``(time, values)``, a table, or an array beside ``"time"``.

        ``variables`` are the names and patterns that are recorded, all without any. ``interval`` is the distance of the instants of
        the solution, 0 for every step; ``instants`` names them one by one. ``observer(time, row)`` sees each of them while the run goes on, and ends the run where it
        gives ``False``. ``progress=True`` shows a bar. ``write`` are files for the results, ``keep=False`` for those only.

        A run that fails is a :class:`RunError` with the results so far, as ``partial``. Ctrl-C ends a run of the main thread with
        :class:`Interrupted`, which has them, too; other threads see no signals: ``cancel`` is a :class:`Cancel` that ends the run
        from anywhere, with :class:`Cancelled`.

        >>> import kausal as ka
        >>> m = ka.load("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u - x; end M;")
        >>> r = m.simulate(stop=1, x=2, inputs={"u": 2}, tolerance=1e-9)
        >>> round(float(r["x"][-1]), 6)
        2.0
        """
        core = self._with(self._resolved(parameters, values)) if parameters is not None or values else self._core
        asked = _asked.checked({
            "start": start,
            "stop": stop,
            "tolerance": tolerance,
            "interval": interval,
            "intervals": intervals,
            "instants": _asked.instants(instants, None if instants is None else self._span(start, stop)),
            "method": method,
            "step": step,
            "max_step": max_step,
            "order": order,
            "jacobian": jacobian,
            "iterations": iterations,
            "events_at_steps": events_at_steps,
            "variables": _asked.names("variables=", variables),
            "files": _asked.files(write),
            "keep": keep,
            "audit": audit,
            "timeout": timeout,
        })
        given = _inputs.given(inputs)
        if observer is not None and not callable(observer):
            raise RequestError(f"observer= is a function of an instant and a row, not {observer!r}")
        if progress is False:
            return Solution(core.simulate(asked, given, _is_main(), None, observer, cancel), self)
        first, last = self._span(start, stop)
        with _Bar(progress, first, last, self.name) as bar:
            return Solution(core.simulate(asked, given, _is_main(), bar.tick, observer, cancel), self)

    def _span(self, start: Any, stop: Any) -> tuple[float, float]:
        """From where to where a run goes."""
        said = self.experiment
        first = said.get("start", 0.0) if start is None else _asked.number("start=", start)
        return first, said.get("stop", first + 1.0) if stop is None else _asked.number("stop=", stop)

    # Many runs

    def sweep(
        self,
        vary: Any,
        outputs: str | Iterable[str] = (),
        *,
        trajectories: str | Iterable[str] = (),
        instants: Any = None,
        intervals: int | None = None,
        runs: int | None = None,
        seed: int = 0,
        sampling: str = "random",
        start: float | None = None,
        stop: float | None = None,
        tolerance: float | None = None,
        method: str | None = None,
        timeout: float | None = None,
        threads: int | None = None,
        device: str = "cpu",
        write: Folder | None = None,
        write_trajectories: Folder | None = None,
        resume: bool = False,
        keep: bool | None = None,
        engine: Any = None,
        progress: bool | Callable[[int, int], object] = False,
        cancel: Cancel | None = None,
    ) -> Sweep:
        """Runs the model many times, with other values each, on all cores or on a GPU.

        ``vary`` is a dictionary: lists are combined as a grid, :func:`uniform`, :func:`loguniform` and :func:`normal` are drawn anew
        for each of ``runs``, spread by ``sampling`` (``random``, ``latin-hypercube``, ``sobol``) from ``seed``. A table has a row for
        each run instead.

        ``outputs`` are the numbers that are kept of each run: the value of a variable at the end (``"J.w"``), ``"min(J.w)"``,
        ``"max(J.w)"``, ``"mean(J.w)"``, ``"integral(J.w)"``, ``"time(J.w > 1)"``. ``trajectories`` are variables whose values are kept at
        ``instants``, or at the ends of ``intervals``. A run that fails is a row with its reason. ``write`` is a file (``.csv``,
        ``.parquet``) to which rows go meanwhile; with ``resume=True`` an interrupted sweep goes on there.

        ``device="cuda"`` makes the runs on GPUs of NVIDIA, ``"auto"`` where there is one and it can; numbers are equal within the
        tolerance. What a GPU does not bring to its end is made again on the cores.

        ``engine`` makes the runs elsewhere: a ``dask.distributed`` Client, the module ``ray``, or an executor of
        ``concurrent.futures``. The numbers are the same to the last bit.
        """
        from .sweep import sweep

        return sweep(
            self,
            vary,
            outputs=outputs,
            trajectories=trajectories,
            instants=instants,
            intervals=intervals,
            runs=runs,
            seed=seed,
            sampling=sampling,
            threads=threads,
            device=device,
            write=write,
            write_trajectories=write_trajectories,
            resume=resume,
            keep=keep,
            engine=engine,
            progress=progress,
            cancel=cancel,
            is_main=_is_main(),
            start=start,
            stop=stop,
            tolerance=tolerance,
            method=method,
            timeout=timeout,
        )

    def linearize(
        self,
        at: float | None = None,
        *,
        steady: bool = False,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        tolerance: float | None = None,
        cancel: Cancel | None = None,
    ) -> Linearization:
        """The model near a point: ``der(x) = A x + B u``, ``y = C x + D u``.

        The point is the start, or where a run comes to ``at`` an instant; with ``steady=True`` a steady state near it. The matrices are
        derivatives of the program, not differences.

        >>> import kausal as ka
        >>> m = ka.load("model M input Real u; output Real y = 2*x; Real x(start = 0, fixed = true); equation der(x) = u - 3*x; end M;")
        >>> lin = m.linearize()
        >>> lin.A, lin.B, lin.C, lin.poles
        (array([[-3.]]), array([[1.]]), array([[2.]]), array([-3.+0.j]))
        """
        from .derivatives import linearize

        return linearize(self, None, at, steady, inputs, outputs, tolerance, None, _is_main(), cancel)[0]

    def linearize_over(
        self,
        values: Any,
        at: float | None = None,
        *,
        steady: bool = False,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        tolerance: float | None = None,
        threads: int | None = None,
        cancel: Cancel | None = None,
    ) -> list[Linearization | str]:
        """The same for each row of values of parameters and start values, on all cores, from one translation.

        ``values`` is a table, or a dictionary whose lists are of one length. Where there are no matrices, there is the reason.
        """
        from .derivatives import linearizations

        return linearizations(self, values, at, steady, inputs, outputs, tolerance, threads, _is_main(), cancel)

    def steady_state(
        self,
        at: float | None = None,
        *,
        variables: Iterable[str] | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, Given] | None = None,
        cancel: Cancel | None = None,
        **values: Given,
    ) -> dict[str, float]:
        """A state where nothing changes, near the start or near where a run comes to ``at`` an instant: values of the states and of
        ``variables``, the outputs if none are named.

        >>> import kausal as ka
        >>> m = ka.load("model M parameter Real p = 8; Real x(start = 1, fixed = true); equation der(x) = p - x^3; end M;")
        >>> round(m.steady_state(p=27)["x"], 9)
        3.0
        """
        model = self.with_values(self._resolved(parameters, values)) if parameters is not None or values else self
        near = model.linearize(at, steady=True, inputs=[], outputs=variables, tolerance=tolerance, cancel=cancel)
        found = dict(zip(near.states, near.x.tolist(), strict=True))
        return {**found, **dict(zip(near.outputs, near.y.tolist(), strict=True))}

    def sensitivities(
        self,
        by: str | Iterable[str],
        outputs: str | Iterable[str],
        *,
        stop: float | None = None,
        start: float | None = None,
        tolerance: float | None = None,
        method: str | None = None,
        interval: float | None = None,
        intervals: int | None = None,
        instants: Any = None,
        parameters: Mapping[str, Given] | None = None,
        inputs: Any = None,
        max_step: float | None = None,
        timeout: float | None = None,
        progress: bool | Callable[[float], object] = False,
        cancel: Cancel | None = None,
        **values: Given,
    ) -> Sensitivities:
        """How ``outputs`` move with parameters and start values over a run: ``S["J.w"]`` is an array over time and parameters.

        The derivatives are carried along by the program's own derivatives, at the tolerance of the run, through the initial problem
        and through events. The other arguments are those of :meth:`simulate`.

        >>> import kausal as ka
        >>> m = ka.load(
        ...     "model Ball parameter Real e = 0.5; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);"
        ...     "equation der(h) = v; der(v) = -10; when h < 0 then reinit(v, -e*pre(v)); end when; end Ball;"
        ... )
        >>> S = m.sensitivities(["e", "h"], ["h"], stop=0.6)
        >>> S.parameters, S["h"].shape == (len(S.time), 2)
        (['e', 'h'], True)
        """
        core = self._with(self._resolved(parameters, values)) if parameters is not None or values else self._core
        model = self if core is self._core else self.with_values(self._resolved(parameters, values))
        names = _asked.names("what derivatives are taken by", by)
        asked = _asked.checked({
            "start": start,
            "stop": stop,
            "tolerance": tolerance,
            "interval": interval,
            "intervals": intervals,
            "instants": _asked.instants(instants, None if instants is None else self._span(start, stop)),
            "method": method,
            "step": None,
            "max_step": max_step,
            "order": None,
            "jacobian": None,
            "iterations": None,
            "events_at_steps": False,
            "variables": [],
            "files": [],
            "keep": True,
            "audit": False,
            "timeout": timeout,
        })
        of = _asked.names("outputs", outputs)
        given = _inputs.given(inputs)
        first, last = self._span(start, stop)
        with _Bar(progress, first, last, self.name) as bar:
            tick = None if progress is False else bar.tick
            with nothing_kept():
                made = core.sensitivities(asked, given, names, of, _is_main(), tick, cancel)
        sizes = {}
        for name in names:
            value = model.variables[name].value
            sizes[name] = float(value) if isinstance(value, (int, float)) else 1.0
        return Sensitivities(self.name, made, sizes)

    def optimize(
        self,
        parameters: Mapping[str, Any],
        objective: str | Callable[[Solution], float],
        *,
        maximize: bool = False,
        constraints: Mapping[str, tuple[float | None, float | None]] | None = None,
        tolerance: float = 1e-8,
        max_runs: int | None = None,
        cancel: Cancel | None = None,
        **request: Any,
    ) -> Optimum:
        """Finds the values of parameters, or start values, with the smallest objective.

        ``parameters`` names them with their bounds, as :meth:`calibrate` does. The ``objective`` is the name of a variable, whose value
        at the end counts, or a function of a :class:`Solution`. ``constraints`` are bounds of variables at the end:
        ``{"T": (None, 350)}``. Bounded search over SciPy (L-BFGS-B, SLSQP with constraints), with the derivatives of
        :meth:`sensitivities`; a function of a solution is differentiated by differences of exact runs.

        >>> import kausal as ka
        >>> m = ka.load("model M parameter Real a = 1; Real c(start = 0, fixed = true); equation der(c) = (a - 3)^2 + time; end M;")
        >>> round(m.optimize({"a": (0, 10)}, "c", stop=1).values["a"], 5)
        3.0
        """
        from .optimize import optimize

        return optimize(
            self,
            parameters,
            objective,
            maximize=maximize,
            constraints=constraints or {},
            tolerance=tolerance,
            max_runs=max_runs,
            cancel=cancel,
            request=request,
        )

    def export_fmu(
        self, path: Folder, *, version: int = 3, model_exchange: bool = True, co_simulation: bool = True
    ) -> Path:
        """Writes the model, with the values that were set, as an FMU of FMI 3.0 or 2.0: other tools run it, no compiler is needed."""
        if version not in (2, 3):
            raise RequestError(f"there are FMUs of FMI 2 and 3, not of {version!r}")
        where = Path(path)
        beside = Path(__file__).parent / "lib"
        library = next((str(file) for file in sorted(beside.glob("*kausal_fmu*"))), None)
        self._core.export_fmu(os.fspath(where), version, (model_exchange, co_simulation), library)
        return where

    def calibrate(
        self,
        parameters: Mapping[str, Any],
        data: Any,
        *,
        weights: Mapping[str, float] | None = None,
        tolerance: float = 1e-9,
        start: float | None = None,
        max_runs: int | None = None,
        progress: Callable[[dict[str, float], float], object] | None = None,
        cancel: Cancel | None = None,
        **request: Any,
    ) -> Fit:
        """Finds the values of parameters, or start values, that agree best with measurements.

        ``parameters`` names them with their bounds: ``{"R.R": (0.1, 10)}``, or with a value to begin with, ``(0.1, 1, 10)``; otherwise
        the search begins with the value of the model. ``data`` is a table with time and columns named as variables, an
        :class:`Experiment` with inputs and values of its own, or a list of those. A column that is an input of the model is given to
        it, where the experiment gives it nothing else; columns of parameters say nothing. Values that are not numbers (NaN) were not measured.
        ``weights`` are the sizes of errors of measurement, by variable; without them each counts by how much it varies.

        Least squares over SciPy (``scipy.optimize.least_squares``) with the derivatives of :meth:`sensitivities`, where the model has
        them, and central differences of exact runs otherwise, on all cores. Runs that fail on the way are far off, not the end. The result has ``values``, ``intervals`` (95 %) and the model with these values.

        >>> import numpy as np
        >>> import pandas as pd
        >>> import kausal as ka
        >>> m = ka.load("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
        >>> t = np.linspace(0, 2, 21)
        >>> fit = m.calibrate({"k": (0.1, 10)}, pd.DataFrame({"time": t, "x": np.exp(-1.5 * t)}))
        >>> round(fit.values["k"], 6)
        1.5
        """
        from .fit import calibrate

        return calibrate(
            self,
            parameters,
            data,
            weights=weights or {},
            tolerance=tolerance,
            start=start,
            max_runs=max_runs,
            progress=progress,
            cancel=cancel,
            request=request,
        )

    # Show

    def _summary(self) -> str:
        parts = [
            f"{len(all)} {what if len(all) != 1 else what[:-1]}"
            for all, what in (
                (self.states, "states"),
                (self.parameters, "parameters"),
                (self.inputs, "inputs"),
                (self.outputs, "outputs"),
                (self.variables, "variables"),
            )
            if len(all)
        ]
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self._summary()}>"

    def _repr_html_(self) -> str:
        out = [f"<p><b>{html.escape(self.name)}</b>"]
        if self.description:
            out.append(f" {html.escape(self.description)}")
        out.append(f"<br/>{self._summary()}</p>")
        shown = Variables({n: v for n, v in self.parameters.items() if not v.protected})
        if len(shown):
            out.append(f"<details {'open' if len(shown) <= 20 else ''}><summary>Parameters</summary>")
            out.append(shown._repr_html_())
            out.append("</details>")
        return "".join(out)


class _Bar:
    """A bar of tqdm over the time of a run; a run that is over soon has none."""

    def __init__(self, progress: bool | Callable[[float], object], start: float, stop: float, name: str) -> None:
        if not (callable(progress) or isinstance(progress, bool)):
            raise RequestError(f"progress= is True, False or a function, not {progress!r}")
        self._call = progress if callable(progress) else None
        self._start, self._stop, self._name = start, stop, name
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._bar is not None:
            if failure[0] is None:
                self.tick(self._stop)
            self._bar.close()

    def tick(self, time: float) -> None:
        if self._call is not None:
            self._call(time)
            return
        if self._bar is None:
            from tqdm.auto import tqdm

            form = "{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]"
            self._bar = tqdm(total=self._stop - self._start, desc=self._name, bar_format=form)
        self._bar.n = min(time, self._stop) - self._start
        self._bar.refresh()


def _stored(data: bytes) -> Model:
    """A model that comes from another process."""
    return Model(_kausal.Model.from_stored(data, _is_main()))


def _ident(name: str) -> str:
    """A name as that of an argument: `axis[1].q` is `axis_1_q`.

    >>> _ident("axis[1].q"), _ident("J.J")
    ('axis_1_q', 'J_J')
    """
    return re.sub(r"\W+", "_", name).strip("_")


def examples() -> dict[str, str]:
    """The models of the built-in library, with what they say about themselves.

    >>> import kausal as ka
    >>> "Kausal.Examples.RC" in ka.examples()
    True
    """
    return dict(_kausal.examples())


__all__ = ["Model", "examples", "load"]
