"""Whatever takes long ends soon after Ctrl-C, or when another thread asks for it, and keeps what it has.

Nothing here can hang: a process that does not end is ended by its own watchdog, which says where all its threads are.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import kausal as ka

from models import LONG

# Seconds until the watchdog ends a process.
PATIENCE = 100

HEAD = f"""
    import faulthandler, os, signal, sys, threading, time
    faulthandler.dump_traceback_later({PATIENCE}, exit=True)
    sys.path.insert(0, {str(Path(__file__).parent)!r})
    import numpy as np
    import kausal as ka
    from models import LONG
    m = ka.load(LONG)
    long = dict(variables="x", interval=1)
    data = {{"time": [1e5, 1e6, 1e7], "x": [0.0, 0.5, 1.0]}}

    def after(delay, work):
        "Ctrl-C, from another thread as from a terminal; has it come through, and how soon?"
        begins = threading.Event()

        def press():
            begins.wait()
            time.sleep(delay)
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=press)
        other.start()
        begin = time.monotonic()
        try:
            begins.set()
            work()
        except KeyboardInterrupt as stopped:
            took = time.monotonic() - begin - delay
            return f"{{type(stopped).__name__}} {{'soon' if took < 5 else took}}"
        finally:
            other.join()
        return "missed"
"""


def said(program: str) -> list[str]:
    """The lines a process prints."""
    text = textwrap.dedent(HEAD) + textwrap.dedent(program)
    run = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE + 60, cwd=Path(__file__).parent
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.splitlines()


def test_ctrl_c_reaches_whatever_takes_long() -> None:
    lines = said("""
        from concurrent.futures import ThreadPoolExecutor

        def objective(r):
            time.sleep(100)

        pool = ThreadPoolExecutor(2)
        works = {
            "simulate": lambda: m.simulate(1e7, **long),
            "input": lambda: m.simulate(1e7, inputs={"u": lambda t: 0.0}, **long),
            "observer": lambda: m.simulate(1e7, observer=lambda t, row: None, **long),
            "progress": lambda: m.simulate(1e7, progress=lambda t: None, **long),
            "sensitivities": lambda: m.sensitivities("k", "x", stop=1e7),
            "calibrate": lambda: m.calibrate({"k": (0.5, 2)}, data),
            "experiments": lambda: m.calibrate({"k": (0.5, 2)}, [data, data, data]),
            "optimize": lambda: m.optimize({"k": (0.5, 2)}, "x", stop=1e7),
            "objective": lambda: m.optimize({"k": (0.5, 2)}, objective, stop=1e-3),
            "runs": lambda: m.optimize({"k": (0.5, 2)}, lambda r: r.final["x"], stop=1e7),
            "sweep": lambda: m.sweep({"k": np.linspace(1, 2, 8)}, "x", stop=1e7),
            "engine": lambda: m.sweep({"k": np.linspace(1, 2, 8)}, "x", stop=1e7, engine=pool),
            "linearize": lambda: m.linearize(at=1e7),
            "linearize_over": lambda: m.linearize_over({"k": np.linspace(1, 2, 8)}, at=1e7),
            "steady_state": lambda: m.steady_state(at=1e7),
        }
        for name, work in works.items():
            for delay in (0.001, 0.03, 0.3):
                print(name, delay, after(delay, work))
    """)
    assert len(lines) == 45
    for line in lines:
        _, delay, kind, when = line.split()
        # Before anything has begun it is the interpreter's own exception.
        assert when == "soon" and (kind == "Interrupted" or delay != "0.3"), line


@pytest.mark.parametrize("delay", [0.05, 0.2, 0.4, 0.8])
def test_ctrl_c_while_modules_are_loaded(delay: float) -> None:
    # A process that has not loaded SciPy yet: loading it may swallow an exception, or make another one of it.
    (line,) = said(f'print(after({delay}, lambda: m.calibrate({{"k": (0.5, 2)}}, data)))')
    assert line == "Interrupted soon"


def test_what_handles_the_signal_comes_back() -> None:
    lines = said("""
        before = signal.getsignal(signal.SIGINT)
        for work in (lambda: m.calibrate({"k": (0.5, 2)}, data), lambda: m.optimize({"k": (0.5, 2)}, "x", stop=1e7)):
            after(0.1, work)
            print(signal.getsignal(signal.SIGINT) is before)
        # A handler of somebody's own raises what it likes.
        class Enough(Exception):
            pass
        def handler(number, frame):
            raise Enough
        signal.signal(signal.SIGINT, handler)
        for work in (lambda: m.calibrate({"k": (0.5, 2)}, data), lambda: m.simulate(1e7, **long)):
            try:
                after(0.1, work)
            except Enough:
                print("enough")
        # Who ignores it is not disturbed.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(after(0.01, lambda: m.optimize({"k": (0.5, 2)}, "y", stop=1e-3)))
    """)
    assert lines == ["True", "True", "enough", "enough", "missed"]


def test_another_thread_ends_a_run() -> None:
    m = ka.load(LONG)
    works = {
        "simulate": lambda cancel: m.simulate(1e7, variables="x", interval=1, cancel=cancel),
        "sensitivities": lambda cancel: m.sensitivities("k", "x", stop=1e7, cancel=cancel),
        "calibrate": lambda cancel: m.calibrate({"k": (0.5, 2)}, {"time": [1e6, 1e7], "x": [0, 1]}, cancel=cancel),
        "optimize": lambda cancel: m.optimize({"k": (0.5, 2)}, "x", stop=1e7, cancel=cancel),
        "sweep": lambda cancel: m.sweep({"k": [1.0, 2.0]}, "x", stop=1e7, cancel=cancel),
        "linearize": lambda cancel: m.linearize(1e7, cancel=cancel),
    }
    with ThreadPoolExecutor(1) as pool:
        for name, work in works.items():
            # In the main thread, and in another one.
            for run in (lambda c: work(c), lambda c: pool.submit(work, c).result(PATIENCE)):
                cancel = ka.Cancel()
                timer = threading.Timer(0.1, cancel.cancel)
                timer.start()
                begin = time.monotonic()
                with pytest.raises(ka.Cancelled) as ended:
                    run(cancel)
                assert time.monotonic() - begin < 5 and cancel.cancelled, name
                if name in ("simulate", "sweep"):
                    assert ended.value.partial is not None
    # It was asked for before.
    with pytest.raises(ka.Cancelled):
        m.simulate(1e7, variables="x", interval=1, cancel=cancel)
    assert ka.Cancel(cancel).cancelled and not ka.Cancel().cancelled


def test_an_experiment_that_is_wrong_ends_the_others() -> None:
    m = ka.load(LONG)
    long = {"time": [1e6, 1e7], "x": [0.0, 1.0]}
    begin = time.monotonic()
    with pytest.raises(ka.RequestError, match="no variable q"):
        m.calibrate({"k": (0.5, 2)}, [long, long, ka.Experiment(long, {"q": 1})])
    assert time.monotonic() - begin < 30


def test_values_of_other_threads_stay_theirs() -> None:
    m = ka.load("model M parameter Real k = 1; Real x = k; end M;")

    def runs(k: int) -> bool:
        return all(m.simulate(0.1, intervals=1, k=k).final["x"] == k for _ in range(200))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(runs, range(1, 5)))
    finally:
        sys.setswitchinterval(before)
