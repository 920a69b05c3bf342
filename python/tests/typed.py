"""What users write, for the type checker: it is not run."""

from __future__ import annotations

import numpy as np

import kausal as ka

m: ka.Model = ka.load("Motor.mo", library=["Parts"], inline="auto")
inertia: float | int | bool | str | None = m.parameters["J.J"].value
m.parameters["J.J"] = 0.3
names: list[str] = list(m.states) + list(m.variables.find("*.w"))
r: ka.Solution = m.simulate(2, tolerance=1e-8, J_J=0.3, parameters={"R.R": 1}, inputs={"u": lambda t: t})
w: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = r["J.w"]
both = r[["J.w", "J.phi"]]
at: float = r.at(1.5)["J.w"]
several: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = r.at([0.5, 1.5])["J.w"]
m.explain().show()
text: str = m.flat
try:
    m.simulate(inputs={"u": ka.Signal(lambda t: t, breaks=[1.0])}, observer=lambda t, row: row["J.w"] < 1)
except ka.RunError as error:
    partial: ka.Solution | None = error.partial
    places = [d.place.line for d in error.diagnostics if d.place]
cancel = ka.Cancel()
stopped: bool = m.simulate(1, v=[1.0, 2.0], A=np.eye(2), parameters={"v": np.array([1.0])}, cancel=cancel).end < 1 or cancel.cancelled
fit: ka.Fit = m.calibrate({"R.R": (0.1, 10)}, {"time": [0.0, 1.0], "w": [0.0, 1.0]}, cancel=ka.Cancel(cancel))
try:
    m.sweep({"J.J": np.linspace(0.1, 1, 3)}, "w", cancel=cancel)
except ka.Cancelled as ended:
    rows: int = ended.partial.runs
