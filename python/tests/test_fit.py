"""Calibrations with known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kausal as ka


def test_decay_from_noisy_measurements() -> None:
    m = ka.load("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
    t = np.linspace(0, 3, 200)
    noise = np.random.default_rng(1).normal(0, 0.01, t.shape)
    fit = m.calibrate({"k": (0.1, 10), "x": (0.1, 5)}, pd.DataFrame({"time": t, "x": 2 * np.exp(-1.5 * t) + noise}))
    assert fit.converged
    for name, exact in (("k", 1.5), ("x", 2.0)):
        low, high = fit.intervals[name]
        # Three times the half of the interval of 95 %: six standard deviations.
        assert abs(fit.values[name] - exact) < 1.5 * (high - low) and high - low < 0.05
    assert fit.model.parameters["k"].value == fit.values["k"]
    assert "95 %" in repr(fit) and "<table>" in fit._repr_html_()


def test_intervals_are_those_of_linear_least_squares() -> None:
    # x = a + b*time is linear in both: the intervals are exact.
    m = ka.load("model M parameter Real a = 1; parameter Real b = 1; Real x = a + b*time; end M;")
    t = np.linspace(0, 1, 30)
    x = 2 + 3 * t + np.random.default_rng(2).normal(0, 0.1, t.shape)
    fit = m.calibrate({"a": (-10, 10), "b": (-10, 10)}, pd.DataFrame({"time": t, "x": x}))
    slope, covariance = np.polyfit(t, x, 1, cov="unscaled")
    variance = np.sum((x - np.polyval(slope, t)) ** 2) / 28
    assert np.allclose([fit.values["b"], fit.values["a"]], slope, rtol=1e-6)
    exact = np.sqrt(np.diag(covariance) * variance)
    assert np.allclose([fit.deviations["b"], fit.deviations["a"]], exact, rtol=1e-5)


MOTOR = """
model Motor
  parameter Real R = 1; parameter Real L = 0.05; parameter Real k = 0.1; parameter Real J = 0.002;
  input Real u(start = 12);
  Real i(start = 0, fixed = true); Real w(start = 0, fixed = true);
equation
  L*der(i) = u - R*i - k*w;
  J*der(w) = k*i;
end Motor;
"""


def test_a_motor_from_two_experiments() -> None:
    m = ka.load(MOTOR)
    exact = {"R": 0.5, "k": 0.2, "J": 0.001}
    t = np.linspace(0, 0.5, 101)
    random = np.random.default_rng(3)
    experiments = []
    for u in (lambda t: 12.0, lambda t: 6.0 * np.sin(20 * t)):
        r = m.simulate(0.5, parameters=exact, inputs={"u": u}, instants=t, tolerance=1e-10)
        data = pd.DataFrame(
            {"i": r["i"] + random.normal(0, 0.05, t.shape), "w": r["w"] + random.normal(0, 0.2, t.shape)},
            index=pd.Index(t, name="time"),
        )
        data.iloc[5, 0] = np.nan
        experiments.append(ka.Experiment(data, inputs={"u": u}))
    fit = m.calibrate({"R": (0.1, 10), "k": (0.01, 1), "J": (1e-4, 0.1)}, experiments, weights={"i": 0.05, "w": 0.2})
    for name, value in exact.items():
        assert abs(fit.values[name] / value - 1) < 0.02, fit
    # In units of its errors every measurement is off by about one.
    assert 0.8 < fit.variance < 1.2 and len(fit.solutions) == 2


def test_what_is_not_determined_is_said() -> None:
    m = ka.load(
        "model M parameter Real a = 1; parameter Real b = 1; Real x(start = 1, fixed = true); equation der(x) = -a*b*x; end M;"
    )
    t = np.linspace(0, 2, 20)
    fit = m.calibrate({"a": (0.1, 10), "b": (0.1, 10)}, pd.DataFrame({"time": t, "x": np.exp(-2 * t)}))
    assert abs(fit.values["a"] * fit.values["b"] - 2) < 1e-4
    assert abs(abs(fit.correlation[0, 1]) - 1) < 1e-3 or np.isinf(fit.deviations["a"])


def test_runs_that_fail_on_the_way_are_not_the_end() -> None:
    # Beyond k = 3 the model cannot be run at all.
    text = 'model M parameter Real k = 1; Real x = exp(-k*time); equation assert(k < 3, "no"); end M;'
    t = np.linspace(0, 1, 20)
    fit = ka.load(text).calibrate({"k": (0.5, 10)}, pd.DataFrame({"time": t, "x": np.exp(-2.9 * t)}))
    assert abs(fit.values["k"] - 2.9) < 1e-4


def test_what_cannot_be_calibrated() -> None:
    with pytest.warns(ka.Warning, match="no value"):
        m = ka.load("model M parameter Real k; Real x = k*time; end M;")
    data = pd.DataFrame({"time": [0, 1], "x": [0, 1]})
    with pytest.raises(ka.RequestError, match="did you mean"):
        m.calibrate({"kk": (0, 1)}, data)
    with pytest.raises(ka.RequestError, match="no column time|columns but time"):
        m.calibrate({"k": (0, 1)}, pd.DataFrame({"time": [0, 1]}))
    with pytest.raises(ka.RequestError, match="no value to begin with"):
        m.calibrate({"k": (None, None)}, data)
    with pytest.raises(ka.RequestError, match="nothing to calibrate"):
        m.calibrate({}, data)


def test_a_whole_result_is_a_table_of_measurements() -> None:
    # Its inputs drive the experiment, its parameters say nothing, derivatives of states are measured like anything else.
    m = ka.load(MOTOR)
    drive = {"u": lambda t: 6.0 * np.sin(20 * t)}
    r = m.simulate(0.5, parameters={"R": 0.5}, inputs=drive, tolerance=1e-10)
    data = r.to_pandas()
    assert {"u", "R", "der(w)"} <= set(data.columns)
    fit = m.calibrate({"R": (0.1, 10)}, data)
    assert abs(fit.values["R"] - 0.5) < 1e-4
    # What the experiment gives an input holds.
    measured = ka.Experiment(data[["w", "u"]].assign(u=1.0), inputs=drive)
    assert abs(m.calibrate({"R": (0.1, 10)}, measured).values["R"] - 0.5) < 1e-4
    with pytest.raises(ka.UnknownName, match="there is no der"):
        m.calibrate({"R": (0.1, 10)}, data[["w"]].rename(columns={"w": "der(q)"}))
