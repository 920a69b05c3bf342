"""Many runs: designs, what is kept, failures, files, and engines whose workers die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kausal as ka

DECAY = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;"

# Some of its runs fail, all take a little while.
SLOW = """
model Slow
  parameter Real k = 1;
  parameter Real c = 1;
  Real x(start = 1, fixed = true);
  Real y(start = 0, fixed = true);
equation
  der(x) = 300*k*y;
  der(y) = -300*k*x;
  assert(k < 2.5 or time < 0.5, "k is too large");
end Slow;
"""


@pytest.fixture(scope="module")
def decay() -> ka.Model:
    return ka.load(DECAY)


@pytest.fixture(scope="module")
def slow() -> ka.Model:
    return ka.load(SLOW)


def same(a: ka.Sweep, b: ka.Sweep) -> None:
    """Equal to the last bit, run by run."""
    assert a.runs == b.runs and list(a) == list(b)
    for name in a:
        assert np.asarray(a[name]).tobytes() == np.asarray(b[name]).tobytes(), name
    assert list(a.status) == list(b.status) and a.reasons == b.reasons
    for name in a.traced:
        assert a.trajectory(name).tobytes() == b.trajectory(name).tobytes(), name


def test_a_grid(decay: ka.Model) -> None:
    s = decay.sweep({"k": [0.5, 1, 2], "x": np.array([1.0, 3.0])}, ["x", "max(x)", "integral(x)"], stop=1, tolerance=1e-9)
    assert s.runs == 6 and s.failed == 0 and s.quantities == ["final(x)", "max(x)", "integral(x)"]
    assert list(s["k"]) == [0.5, 0.5, 1, 1, 2, 2]
    start = s["x"] if "x" in s.parameters else None
    assert start is not None
    assert np.allclose(s["final(x)"], start * np.exp(-s["k"]), atol=1e-7)
    assert np.allclose(s["integral(x)"], start * (1 - np.exp(-s["k"])) / s["k"], atol=1e-6)
    data = s.to_xarray()
    assert dict(data.sizes) == {"k": 3, "x": 2} and float(data["max(x)"].sel(k=1, x=3)) == 3.0
    assert list(s.to_pandas().columns) == ["k", "x", "final(x)", "max(x)", "integral(x)", "status", "reason"]


def test_random_designs_and_tables(decay: ka.Model) -> None:
    import pandas as pd

    s = decay.sweep({"k": ka.uniform(0.5, 2)}, "x", runs=64, seed=7, sampling="sobol", stop=1)
    assert s.runs == 64 and 0.5 <= s["k"].min() and s["k"].max() <= 2 and len(set(s["k"])) == 64
    same(s, decay.sweep({"k": ka.uniform(0.5, 2)}, "x", runs=64, seed=7, sampling="sobol", stop=1, threads=1))
    t = decay.sweep(pd.DataFrame({"k": [1, 2, 3]}), "x", stop=1)
    assert list(t["k"]) == [1, 2, 3]
    with pytest.raises(ka.RequestError, match="number of runs"):
        decay.sweep({"k": ka.normal(1, 0.1)}, "x")
    with pytest.raises(ka.RequestError, match="K0910"):
        decay.sweep({"q": [1, 2]}, "x")


def test_trajectories(decay: ka.Model) -> None:
    s = decay.sweep({"k": [1, 2]}, trajectories="x", instants=[0, 0.5, 1], stop=1, tolerance=1e-9)
    assert np.allclose(s.trajectory("x"), np.exp(-np.outer(s["k"], s.instants)), atol=1e-7)
    with pytest.raises(ka.UnknownName):
        s.trajectory("y")


def test_failed_runs_are_rows(slow: ka.Model) -> None:
    s = slow.sweep({"k": [1, 2, 3, 4]}, "x", stop=1)
    assert list(s.good) == [True, True, False, False] and s.failed == 2
    assert set(s.reasons) >= {2, 3} and "k is too large" in s.reasons[2]
    assert "2 failed" in repr(s) and "k is too large" in s._repr_html_()
    assert np.isnan(s["x"][2]) or s.ends[2] < 1


def test_files_and_progress(decay: ka.Model, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    s = decay.sweep({"k": np.linspace(1, 2, 50)}, "x", write=tmp_path / "s.csv", keep=True, progress=lambda d, t: told.append((d, t)))
    assert s.runs == 50 and len((tmp_path / "s.csv").read_text().splitlines()) == 51
    assert told[-1] == (50, 50)


def test_ctrl_c_keeps_the_runs_that_are_over(tmp_path: Path) -> None:
    program = f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from test_sweep import SLOW
        import kausal as ka, numpy as np
        m = ka.load(SLOW)
        print("running", flush=True)
        try:
            m.sweep({{"k": np.linspace(1, 2, 100000)}}, "x", stop=1)
        except ka.Interrupted as stopped:
            print(0 < stopped.partial.runs < 100000)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as run:
        assert run.stdout is not None and run.stdout.readline() == "running\n"
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        assert run.stdout.read().split() == ["True"]
    assert run.returncode == 0


VARY: dict[str, Any] = {"k": ka.uniform(0.5, 3), "c": ka.loguniform(1, 10)}
ASKED: dict[str, Any] = {"runs": 150, "seed": 3, "stop": 1.0, "outputs": ["x", "max(y)"], "trajectories": "x", "intervals": 5}


@pytest.fixture(scope="module")
def local(slow: ka.Model) -> ka.Sweep:
    return slow.sweep(VARY, **ASKED)


def test_executors(slow: ka.Model, local: ka.Sweep) -> None:
    with ThreadPoolExecutor(2) as threads:
        same(slow.sweep(VARY, engine=threads, **ASKED), local)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        same(slow.sweep(VARY, engine=processes, **ASKED), local)


def test_an_executor_whose_worker_dies(slow: ka.Model, local: ka.Sweep) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        first = processes.submit(os.getpid).result()
        killed = []

        def kill(done: int, total: int) -> None:
            if not killed:
                killed.append(done)
                os.kill(first, signal.SIGKILL)

        with pytest.warns(ka.Warning, match="made here"):
            found = slow.sweep(VARY, engine=processes, progress=kill, **ASKED)
        assert killed
        same(found, local)


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, worker_dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def test_dask(slow: ka.Model, local: ka.Sweep, dask: Any) -> None:
    same(slow.sweep(VARY, engine=dask, **ASKED), local)


def test_dask_whose_workers_die(slow: ka.Model, local: ka.Sweep, dask: Any) -> None:
    victims = sorted(dask.run(os.getpid).values())
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        # Both in the middle; nannies bring new ones.
        if len(killed) < len(victims) and done > 10 * (len(killed) + 1):
            killed.append(victims[len(killed)])
            os.kill(killed[-1], signal.SIGKILL)

    same(slow.sweep(VARY, engine=dask, progress=kill, **ASKED), local)
    assert killed == victims


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    # Workers look for modules where the driver runs: the sources there have no compiled module.
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("ray"))
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", _node_ip_address="127.0.0.1")
    yield ray
    ray.shutdown()
    os.chdir(before)


def test_ray(slow: ka.Model, local: ka.Sweep, ray: Any) -> None:
    same(slow.sweep(VARY, engine=ray, **ASKED), local)


def test_ray_whose_workers_die(slow: ka.Model, local: ka.Sweep, ray: Any) -> None:
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if len(killed) < 2 and done > 10 * (len(killed) + 1):
            listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
            # Workers of this Ray that make runs.
            workers = [int(line.split()[0]) for line in listed.splitlines() if "ray::part" in line]
            if workers:
                killed.append(workers[0])
                os.kill(workers[0], signal.SIGKILL)

    same(slow.sweep(VARY, engine=ray, progress=kill, **ASKED), local)
    assert killed


def test_what_is_no_engine(decay: ka.Model) -> None:
    with pytest.raises(ka.RequestError, match="no engine"):
        decay.sweep({"k": [1]}, "x", engine=3)
