"""Runs: options, values, inputs, observers, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kausal as ka


def speed(t: float, inertia: float = 0.5, torque: float = 1.0) -> float:
    """J*w' = u - w from rest."""
    return torque * (1 - float(np.exp(-t / inertia)))


def test_a_run_and_its_options(motor: ka.Model) -> None:
    r = motor.simulate(2, tolerance=1e-9, interval=0.5)
    assert list(r.time) == [0, 0.5, 1, 1.5, 2]
    assert np.allclose(r["w"], [speed(t) for t in r.time], rtol=1e-7)
    assert motor.simulate(start=1, stop=3, intervals=4).time[0] == 1
    for method in ("dopri5", "radau", "bdf"):
        assert abs(motor.simulate(2, method=method, tolerance=1e-8).final["w"] - speed(2)) < 1e-6
    with pytest.raises(ka.RequestError, match="there is no method"):
        motor.simulate(method="magic")
    with pytest.raises(ka.RequestError) as refused:
        motor.simulate(tolerance=2)
    assert refused.value.code == "K0908" and "tolerance=" in (refused.value.help or "")


def test_values_by_name(motor: ka.Model) -> None:
    assert abs(motor.simulate(2, J=2, tolerance=1e-9).final["w"] - speed(2, 2)) < 1e-7
    both = motor.simulate(2, parameters={"J": 2}, w=1, tolerance=1e-9)
    assert both["w"][0] == 1
    # The model itself stays as it is.
    assert abs(motor.simulate(2, tolerance=1e-9).final["w"] - speed(2)) < 1e-7
    assert len(motor.simulate(0.1, n=3)[["x[1]", "x[3]"]].T) == 2
    rc = ka.load("Kausal.Examples.RC").simulate(1, capacitor_C=0.002, tolerance=1e-9)
    assert abs(rc.final["capacitor.v"] - 10 * (1 - np.exp(-0.5))) < 1e-6
    with pytest.raises(ka.RequestError, match="did you mean"):
        motor.simulate(parameters={"JJ": 1})
    with pytest.raises(ka.RequestError, match="no variable q"):
        motor.simulate(q=1)


def test_inputs_in_all_forms(motor: ka.Model) -> None:
    import pandas as pd
    import polars as pl

    t = np.linspace(0, 2, 21)
    ramp = 3 * t
    forms = [
        {"u": lambda time: 3 * time},
        {"u": ka.Signal(lambda time: 3 * time, lambda time: 3.0)},
        {"u": (t, ramp)},
        {"u": np.column_stack([t, ramp])},
        {"u": list(ramp), "time": t},
        {"u": pd.Series(ramp, index=t)},
        {"u": pd.DataFrame({"time": t, "other": ramp})},
        pd.DataFrame({"time": t, "u": ramp}),
        pd.DataFrame({"u": ramp}, index=pd.Index(t, name="time")),
        pl.DataFrame({"time": t, "u": ramp}),
    ]
    # 0.5*w' = 3*t - w from rest: w = 3*t - 1.5 + 1.5*exp(-2*t)
    exact = 3 * 2 - 1.5 + 1.5 * np.exp(-4)
    for form in forms:
        assert abs(motor.simulate(2, inputs=form, tolerance=1e-9).final["w"] - exact) < 1e-6, form
    assert abs(motor.simulate(2, inputs={"u": 4}, tolerance=1e-9).final["w"] - speed(2, torque=4)) < 1e-6


def test_inputs_that_are_none(motor: ka.Model) -> None:
    with pytest.raises(ka.RequestError, match="did you mean u|not an input"):
        motor.simulate(inputs={"v": 1.0})
    with pytest.raises(ka.RequestError, match="time goes back"):
        motor.simulate(inputs={"u": ([0, 2, 1], [0, 0, 0])})
    with pytest.raises(ka.RequestError, match="not a finite number"):
        motor.simulate(inputs={"u": ([0, 1], [0, float("nan")])})
    with pytest.raises(ka.RequestError, match="there is one for each"):
        motor.simulate(inputs={"u": ([0, 1], [0])})
    with pytest.raises(ka.RequestError, match="needs its instants"):
        motor.simulate(inputs={"u": [0, 1, 2]})


def test_a_jump_of_an_input_is_an_event() -> None:
    m = ka.load("model M input Boolean on; Real x(start = 0, fixed = true); equation der(x) = if on then 1 else 0; end M;")
    r = m.simulate(3, inputs={"on": ([0, 1, 2], [False, True, False])}, tolerance=1e-9)
    assert abs(r.final["x"] - 1) < 1e-9 and list(r.events) == [1, 2]


def test_an_input_that_fails_ends_the_run(motor: ka.Model) -> None:
    def torque(t: float) -> float:
        if t > 1:
            raise LookupError("beyond the data")
        return 1.0

    with pytest.raises(LookupError, match="beyond the data") as failed:
        motor.simulate(2, inputs={"u": torque})
    assert failed.value.partial.end <= 1.0  # type: ignore[attr-defined]


def test_observers_see_every_record(motor: ka.Model) -> None:
    seen: list[tuple[float, float]] = []
    r = motor.simulate(1, intervals=10, observer=lambda t, row: seen.append((t, row["w"])))
    assert [t for t, _ in seen] == list(r.time) and [w for _, w in seen] == list(r["w"])

    # Whoever has seen enough ends the run, and has the results so far.
    r = motor.simulate(1, intervals=10, observer=lambda t, row: row["w"] < 0.5)
    assert 0 < r.end < 1 and r["w"][-1] >= 0.5

    def fails(t: float, row: object) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        motor.simulate(1, observer=fails)


def test_a_failed_run_has_what_there_is() -> None:
    m = ka.load("model M Real x(start = 1, fixed = true); equation der(x) = x^2; end M;")
    with pytest.raises(ka.RunError) as failed:
        m.simulate(2)
    partial = failed.value.partial
    assert partial is not None and 0.9 < partial.end < 1.1 and partial["x"][-1] > 10
    assert failed.value.code and failed.value.diagnostics


def test_assertions_have_their_place() -> None:
    text = 'model M Real x = time; equation assert(x < 0.5, "too far"); end M;'
    with pytest.raises(ka.RunError, match="too far") as failed:
        ka.load(text).simulate(1)
    assert failed.value.partial is not None


def test_a_limit_of_time(long: ka.Model) -> None:
    begin = time.perf_counter()
    with pytest.raises(ka.TimedOut) as late:
        long.simulate(1e6, timeout=0.3, variables="x", interval=1)
    assert time.perf_counter() - begin < 10 and late.value.partial is not None


def test_progress_is_told_and_drawn(long: ka.Model, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[float] = []
    with pytest.raises(ka.TimedOut):
        long.simulate(1e6, timeout=0.5, variables="x", interval=1, progress=told.append)
    assert len(told) > 1 and told == sorted(told)
    with pytest.raises(ka.TimedOut):
        long.simulate(1e6, timeout=0.5, variables="x", interval=1, progress=True)
    assert "Long" in capsys.readouterr().err


INTERRUPTED = """
    import sys
    sys.path.insert(0, {here!r})
    from models import LONG
    import kausal as ka
    {more}
    m = ka.load(LONG)
    print("running", flush=True)
    try:
        m.simulate(1e7, variables="x", interval=1{asked})
    except KeyboardInterrupt as stopped:
        assert isinstance(stopped, ka.Interrupted)
        print(stopped.partial.end > 0, len(stopped.partial.time) > 0)
    print(round(float(m.simulate(1e-3, variables="x")["x"][-1]), 2))
"""


@pytest.mark.parametrize("asked", ["", ", observer=lambda t, row: None", ", progress=lambda t: None"])
def test_ctrl_c_ends_a_run_and_keeps_what_it_has(asked: str, tmp_path: Path) -> None:
    program = textwrap.dedent(INTERRUPTED.format(here=os.path.dirname(__file__), asked=asked, more=""))
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "running\n"
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        rest = run.stdout.read()
    # cos(1) for the run behind it
    assert run.returncode == 0 and rest.split() == ["True", "True", "0.54"]


def test_other_threads_go_on_while_a_run_is_under_way(long: ka.Model) -> None:
    counted = 0
    over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(ka.TimedOut):
        long.simulate(1e6, timeout=0.5, variables="x", interval=1)
    over.set()
    thread.join()
    assert counted > 20


def test_runs_in_many_threads(motor: ka.Model) -> None:
    results: list[float] = []
    threads = [
        threading.Thread(target=lambda j=j: results.append(motor.simulate(1, J=j).final["w"])) for j in (0.5, 1.0, 2.0)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.allclose(sorted(results), sorted(speed(1, j) for j in (0.5, 1.0, 2.0)), rtol=1e-4)


def test_files_are_written_while_a_run_goes_on(motor: ka.Model, tmp_path: Path) -> None:
    file = tmp_path / "motor.csv"
    r = motor.simulate(1, write=[file], variables=["w", "y"], keep=False, intervals=10)
    assert len(r) == 0 and len(file.read_text().splitlines()) == 12


def test_an_audit_says_how_exact_it_is(motor: ka.Model) -> None:
    r = motor.simulate(1, audit=True, tolerance=1e-6)
    assert r.errors is not None and 0 <= r.errors["w"] < 1e-3
    assert motor.simulate(1).errors is None
