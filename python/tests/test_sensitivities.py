"""Derivatives of runs, steady states, the best values of parameters, FMUs, and the example of the introduction as it is written."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kausal as ka

from models import BALL

DECAY = "model M parameter Real k = 2; parameter Real c = 3; Real x(start = c, fixed = true); equation der(x) = -k*x; end M;"


def test_derivatives_over_time() -> None:
    m = ka.load(DECAY)
    S = m.sensitivities(["k", "c"], "x", stop=1, tolerance=1e-9, c=4)
    assert S.parameters == ["k", "c"] and list(S) == ["x"] and len(S) == 1
    t, x = S.time, 4 * np.exp(-2 * S.time)
    assert np.allclose(S.values["x"], x, atol=1e-7)
    assert np.allclose(S["x"], np.stack([-t * x, x / 4], axis=1), atol=1e-7)
    assert np.allclose(S.relative("x")[:, 1], x, atol=1e-6)
    assert S.to_pandas("x").shape == S["x"].shape and S.to_xarray()["x"].dims == ("time", "parameter")
    assert "by k" in repr(S) and "<table>" in S._repr_html_()
    with pytest.raises(ka.UnknownName):
        S["z"]


def test_through_an_event() -> None:
    # The ball falls from 1 m, bounces at t1 and rises: h = e v1 (t - t1) - g/2 (t - t1)^2.
    S = ka.load(BALL).sensitivities(["e"], ["h"], stop=0.6, tolerance=1e-9)
    t1, v1 = np.sqrt(2 / 9.81), np.sqrt(2 * 9.81)
    assert abs(S["h"][-1, 0] - v1 * (0.6 - t1)) < 1e-6 and S.diagnostics == ()


def test_inputs_and_values_of_a_run() -> None:
    m = ka.load("model M parameter Real k = 1; input Real u; Real x(start = 0, fixed = true); equation der(x) = k*u - x; end M;")
    S = m.sensitivities("k", "x", stop=1, inputs={"u": lambda t: 1.0}, tolerance=1e-9)
    assert abs(S["x"][-1, 0] - (1 - np.exp(-1))) < 1e-7


def test_what_has_no_derivatives() -> None:
    m = ka.load("model M parameter Real T = 0.1; Real x(start = 1, fixed = true); equation der(x) = -delay(x, T); end M;")
    with pytest.raises(ka.RequestError) as caught:
        m.sensitivities("T", "x")
    assert caught.value.code == "K0577" and "delay" in str(caught.value)


def test_a_steady_state() -> None:
    m = ka.load("model M parameter Real p = 8; Real x(start = 1, fixed = true); output Real y = 2*x; equation der(x) = p - x^3; end M;")
    assert m.steady_state() == pytest.approx({"x": 2, "y": 4})
    assert m.steady_state(p=27, variables=[])["x"] == pytest.approx(3)


def test_the_best_values() -> None:
    pytest.importorskip("scipy")
    # A projectile without drag: farthest at 45 degrees.
    m = ka.load("""model Throw parameter Real a = 0.3; Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
        Real vy(start = 10*sin(a), fixed = true); equation der(x) = 10*cos(a); der(y) = vy; der(vy) = -9.81;
        when y < 0 then terminate("down"); end when; end Throw;""")
    best = m.optimize({"a": (0.1, 1.4)}, lambda r: float(r.final["x"]), maximize=True, stop=5)
    assert best.values["a"] == pytest.approx(np.pi / 4, abs=1e-3) and best.objective == pytest.approx(100 / 9.81, rel=1e-4)
    # The cheapest heater that is warm enough: with derivatives, at its constraint.
    room = ka.load("""model Room parameter Real P = 5; Real T(start = 0, fixed = true); Real E(start = 0, fixed = true);
        equation der(T) = P - T; der(E) = P; end Room;""")
    warm = room.optimize({"P": (0, 50)}, "E", constraints={"T": (10, None)}, stop=2)
    assert warm.values["P"] == pytest.approx(10 / (1 - np.exp(-2)), rel=1e-6) and warm.converged
    assert "P" in repr(warm) and warm.solution.final["T"] == pytest.approx(10, abs=1e-5)


def test_an_fmu(tmp_path: Path) -> None:
    m = ka.load(DECAY)
    m.parameters["k"] = 5
    for version, word in ((3, 'fmiVersion="3.0"'), (2, 'fmiVersion="2.0"')):
        made = m.export_fmu(tmp_path / f"decay{version}.fmu", version=version)
        with zipfile.ZipFile(made) as fmu:
            assert word in fmu.read("modelDescription.xml").decode()
            assert any(name.startswith("binaries/") for name in fmu.namelist())
    with pytest.raises(ka.RequestError):
        m.export_fmu(tmp_path / "one.fmu", version=1)


MOTOR = """
model Motor
  model Part
    parameter Real J = 0.5;
    input Real torque;
    Real w(start = 0, fixed = true);
  equation
    J*der(w) = torque;
  end Part;
  model Wire
    parameter Real R = 1;
  end Wire;
  Part J(torque = (u - J.w)/R.R);
  Wire R;
  input Real u(start = 1);
  output Real w = J.w;
end Motor;
"""


def test_the_example_of_the_introduction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    for needed in ("polars", "pyarrow", "xarray", "matplotlib", "control", "scipy", "tqdm"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    Path("Motor.mo").write_text(MOTOR)
    table: Any = pd.DataFrame({"time": [0, 1, 1, 2], "u": [1, 1, 3, 3]})
    m = ka.load("Motor.mo")
    m.parameters["J.J"].value, m.states, m.variables.find("*.w")
    r = m.simulate(stop=2, J_J=0.3, inputs={"u": table})
    assert len(r["J.w"]) == len(r.to_pandas()) == r.to_polars().height == r.to_arrow().num_rows
    assert "J.w" in r.to_xarray() and r.at(1.5)["J.w"] > 0 and r.plot("J.w") is not None
    s = m.sweep({"J.J": np.linspace(0.1, 1, 100), "R.R": [1, 2]}, outputs=["J.w"], progress=True)
    assert len(s["J.w"]) == 200
    lin = m.linearize(at=1.0)
    assert lin.A.shape == (1, 1) and len(lin.poles) == 1 and lin.to_control().nstates == 1
    S = m.sensitivities(["J.J", "R.R"], outputs=["J.w"])
    assert S["J.w"].shape == (len(S.time), 2)
    df = m.simulate(stop=2, R_R=1.7, instants=np.linspace(0, 2, 21), tolerance=1e-9).to_pandas("J.w")
    fit = m.calibrate({"R.R": (0.1, 10)}, data=df)
    assert fit.values["R.R"] == pytest.approx(1.7, rel=1e-5)
    m.export_fmu("motor.fmu")
    m.explain().show()
    assert m.flat and m.listing and m.equations


def test_calibration_by_derivatives_takes_one_run_for_all_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    m = ka.load(BALL)
    t = np.linspace(0, 1.2, 61)
    h = m.simulate(stop=1.2, instants=t, e=0.8, h=1.3, tolerance=1e-10)
    rng = np.random.default_rng(3)
    data = {"time": t, "h": np.interp(t, h.time, h["h"]) + rng.normal(0, 1e-3, t.shape)}
    pd = pytest.importorskip("pandas")
    fit = m.calibrate({"e": (0.2, 1), "h": (0.5, 2)}, pd.DataFrame(data))
    for name, known in (("e", 0.8), ("h", 1.3)):
        low, high = fit.intervals[name]
        assert abs(fit.values[name] - known) < 2e-3 and high - low < 5e-3
    assert fit.converged and fit.runs < 60


def test_what_runs_share_is_what_each_would_have_alone() -> None:
    # More kinds of derivatives than are kept with a model, in turn, with other values and in other threads.
    from concurrent.futures import ThreadPoolExecutor

    text = (
        "model M parameter Real k = 2; parameter Real c = 3; parameter Real e = 0.5; Real x(start = c, fixed = true);"
        "Real y = k*x; equation der(x) = -k*x; when x < 1 then reinit(x, e*c); end when; end M;"
    )
    m = ka.load(text)
    asked = [(by, of) for by in (["k"], ["c"], ["k", "c"], ["c", "k"], ["e"], ["e", "k", "c"]) for of in (["x"], ["y", "x"])]

    def found(model: ka.Model, k: float, by: list[str], of: list[str]) -> list[bytes]:
        S = model.sensitivities(by, of, stop=2, k=k)
        return [S.time.tobytes(), *(S[name].tobytes() for name in of)]

    works = [(k, *one) for k in (1.5, 2.5) for one in asked] * 2
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda work: found(m, *work), works))
    alone = {repr(work): found(ka.load(text), *work) for work in works}
    assert all(one == alone[repr(work)] for one, work in zip(together, works, strict=True))
