"""What is asked for wrongly: said as a request that cannot be met, with a code, never as a fault of the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kausal as ka

MODEL = """model M parameter Real k(unit = "1/s") = 1; input Real u; Real x(start = 1, fixed = true);
equation der(x) = u - k*x; end M;"""


@pytest.fixture(scope="module")
def m() -> ka.Model:
    return ka.load(MODEL)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.simulate(stop="2"), "stop= is a number, not '2'"),
        (lambda m: m.simulate(intervals=2.5), "intervals= is a whole number"),
        (lambda m: m.simulate(instants=["a"]), "instants= are numbers"),
        (lambda m: m.simulate(inputs={"u": "abc"}), "the values of the input u are numbers, not 'abc'"),
        (lambda m: m.sweep({"k": [1, 2]}, ["x"], stop="3"), "stop= is a number"),
        (lambda m: m.sweep({"k": ka.uniform(1, 2)}, ["x"], runs=-3), "runs= is a whole number from 0 on, not -3"),
        (lambda m: m.sweep({"k": [1]}, ["x"], threads=1.5), "threads= is a whole number"),
        (lambda m: m.linearize(at="x"), "at= is a number, not 'x'"),
        (lambda m: m.linearize_over({"k": [1, 2], "x": [1]}), "2 of k, 1 of x"),
        (lambda m: m.sensitivities("k", "x", tolerance="small"), "tolerance= is a number"),
        (lambda m: m.calibrate({"k": (10, 1)}, {"time": [0, 1], "x": [1, 2]}), "the bounds of k are 10 and 1"),
        (lambda m: m.calibrate({"k": (1, 10)}, [1, 2]), "a int is no table"),
        (lambda m: m.calibrate({"k": (1, 10)}, {"x": [1, 2]}), "no column time"),
        (lambda m: ka.load(" "), "there is nothing to load"),
    ],
)
def test_what_cannot_be_meant(m: ka.Model, call: Callable[[ka.Model], Any], said: str) -> None:
    with pytest.raises(ka.RequestError, match=said) as caught:
        call(m)
    assert caught.value.code == "K0908" and caught.value.diagnostics[0].severity == "error"


def test_names_that_there_are_not(m: ka.Model) -> None:
    r = m.simulate(stop=1)
    for call in (lambda: r["X"], lambda: r.unit("X"), lambda: r.to_pandas("X"), lambda: m.parameters["K"]):
        with pytest.raises(ka.UnknownName) as caught:
            call()
        assert caught.value.code == "K0910" and caught.value.help in ("did you mean x?", "did you mean k?")


def test_a_time_that_is_no_number(m: ka.Model) -> None:
    r = m.simulate(stop=1)
    for wrong in (float("nan"), [0.5, float("nan")], 2.0, -0.1):
        with pytest.raises(ka.RequestError, match="there is no time"):
            r.at(wrong)
    assert r.at([])["x"].shape == (0,)


def test_numbers_of_other_kinds(m: ka.Model) -> None:
    r = m.simulate(stop=np.float32(2), intervals=np.int64(4), instants=None)
    assert r.end == 2 and m.sweep({"k": [1]}, "x", runs=np.int32(1), stop=np.int64(1)).runs == 1


def test_tables_of_a_sweep(m: ka.Model) -> None:
    s = m.sweep({"k": [1, 2]}, ["x"], stop=1)
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    assert s.to_polars().columns == s.to_arrow().column_names == ["k", "final(x)", "status", "reason"]
    assert isinstance(s.to_polars(), pl.DataFrame) and isinstance(s.to_arrow(), pa.Table)
    assert s.to_polars()["final(x)"].to_list() == s["x"].tolist()
    assert repr(m.sweep({"k": [1]}, stop=1)) == "<Sweep of M: 1 runs, k>"


def test_a_sweep_whose_rows_are_in_a_file_says_so(m: ka.Model, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    s = m.sweep({"k": [1, 2]}, ["x"], stop=1, write=path)
    assert s.runs == 0 and s.path == str(path) and repr(s) == f"<Sweep of M: the rows are in {path}>"
    assert m.sweep({"k": [1, 2]}, ["x"], stop=1, write=path, keep=True).path is None


def test_measurements_as_a_dictionary(m: ka.Model) -> None:
    pytest.importorskip("scipy")
    t = np.linspace(0, 1, 11)
    fit = m.calibrate({"k": (0.1, 10)}, {"time": t, "u": 0 * t, "x": np.exp(-2 * t)})
    assert fit.values["k"] == pytest.approx(2, rel=1e-6)


def test_workers_that_do_not_see_the_file_get_the_program(m: ka.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    from kausal import engine

    made = engine.model_of

    def elsewhere(digest: str, program: bytes | str) -> Any:
        if isinstance(program, str):
            raise FileNotFoundError(program)
        return made(digest, program)

    monkeypatch.setattr(engine, "model_of", elsewhere)
    with ThreadPoolExecutor(2) as executor:
        far = m.sweep({"k": np.linspace(1, 2, 20)}, "x", stop=1, engine=executor)
    assert np.array_equal(far["x"], m.sweep({"k": np.linspace(1, 2, 20)}, "x", stop=1)["x"])
