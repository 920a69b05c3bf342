"""What a run costs from Python, beside SciPy and the wheel rumoca on the same model in the same minutes.

``target/python/bin/python bench/python.py`` behind ``python/check``; ``pip install scipy rumoca`` there for the peers, which are left out
where they are absent. All times are the fastest of some turns, in which everybody takes part.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import kausal as ka

TURNS = 7
LORENZ = """model Lorenz parameter Real s = 10; parameter Real r = 28; parameter Real b = 8/3;
  Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real z(start = 1, fixed = true);
equation der(x) = s*(y - x); der(y) = x*(r - z) - y; der(z) = x*y - b*z; annotation(experiment(StopTime = 1)); end Lorenz;"""
TINY = "model Tiny parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Tiny;"


def seconds(turns: dict[str, tuple[Callable[[], object], int]]) -> dict[str, float]:
    """Seconds a call, the fastest of turns that follow each other."""
    best = dict.fromkeys(turns, float("inf"))
    for _ in range(TURNS):
        for name, (call, times) in turns.items():
            begin = time.perf_counter()
            for _ in range(times):
                call()
            best[name] = min(best[name], (time.perf_counter() - begin) / times)
    return best


tiny = ka.load(TINY)
found = seconds({"call": (lambda: tiny.simulate(stop=1, intervals=1), 200)})
inside = min(tiny.simulate(stop=1, intervals=1).seconds for _ in range(200))
print(f"simulate on a tiny model: {1e6 * found['call']:.0f} us a call, {1e6 * (found['call'] - inside):.0f} us beyond the run (asked for: 100)")

m = ka.load(LORENZ)
values = np.linspace(9, 11, 2000)
one = iter(range(10**9))
calls: dict[str, tuple[Callable[[], object], int]] = {
    "kausal, a call each": (lambda: m.simulate(stop=1, tolerance=1e-6, intervals=10, s=float(values[next(one) % 2000])), 100),
    "kausal, a sweep of 2,000": (lambda: m.sweep({"s": values}, ["x"], stop=1, tolerance=1e-6, threads=1), 1),
}
try:
    from scipy.integrate import solve_ivp

    def lorenz(t: float, x: list[float], s: float) -> list[float]:
        return [s * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]

    points = np.linspace(0, 1, 11)
    calls["SciPy solve_ivp (RK45)"] = (
        lambda: solve_ivp(lorenz, (0, 1), [1.0, 1.0, 1.0], args=(10.0,), rtol=1e-6, atol=1e-6, t_eval=points), 20
    )
    calls["SciPy solve_ivp (LSODA)"] = (
        lambda: solve_ivp(lorenz, (0, 1), [1.0, 1.0, 1.0], args=(10.0,), rtol=1e-6, atol=1e-6, t_eval=points, method="LSODA"), 20
    )
except ImportError:
    print("skipped: SciPy is not installed")
try:
    import rumoca

    peer = rumoca.Session().loads(LORENZ, model="Lorenz")
    calls["rumoca, with_params"] = (lambda: peer.with_params(s=float(values[next(one) % 2000])).simulate(t=(0, 1), dt=0.1), 20)
    peer.with_params(s=9.5).simulate(t=(0, 1), dt=0.1)
except Exception as error:  # whatever it is, the others are measured
    print(f"skipped: rumoca ({error})")
    calls.pop("rumoca, with_params", None)
found = seconds(calls)
base = found["kausal, a sweep of 2,000"] / len(values)
for name, took in found.items():
    each = took / len(values) if "sweep" in name else took
    print(f"{name}: {1e6 * each:.1f} us a run, {each / base:.1f} times a run of the sweep")
