"""What people put into calls in notebooks: every kind of number, table and missing value, and what none of them may become in silence."""

from __future__ import annotations

import asyncio
import copy
import decimal
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kausal as ka

ALL = """
model All
  type Kind = enumeration(a, b, c);
  parameter Real k = 1; parameter Integer n = 2; parameter Boolean on = true; parameter String s = "x"; parameter Kind e = Kind.b;
  parameter Real v[3] = {1, 2, 3}; parameter Real A[2, 2] = {{1, 2}, {3, 4}};
  Real z[n]; input Real u; output Real y;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x + (if on then u else 0) + 0*sum(v) + 0*A[1, 2];
  y = x + Integer(e);
  for i in 1:n loop z[i] = i*x; end for;
end All;
"""
T = np.linspace(0, 1, 5)
EXACT = float(np.exp(-0.1))


@pytest.fixture(scope="module")
def m() -> ka.Model:
    return ka.load(ALL)


def final(m: ka.Model, **values: Any) -> ka.Instant:
    return m.simulate(0.1, intervals=1, tolerance=1e-9, **values).final


@pytest.mark.parametrize(
    "two", [2, 2.0, np.float32(2), np.int8(2), np.array(2.0), np.array(2, ">i4"), decimal.Decimal(2), True + 1]
)
def test_numbers_of_all_kinds(m: ka.Model, two: Any) -> None:
    assert final(m, k=two)["k"] == 2 and m.with_values(k=two).parameters["k"].value == 2
    assert m.sweep({"k": [1, two]}, "x", stop=0.1)["k"].tolist() == [1, 2]


def test_values_of_all_types(m: ka.Model) -> None:
    assert final(m, on=np.bool_(False))["on"] == 0 and final(m, on="false")["on"] == 0
    assert final(m, e="c")["y"] == final(m, e="Kind.c")["y"] == final(m, e=3)["y"] == pytest.approx(EXACT + 3)
    assert final(m, n=np.int64(3))["z[3]"] == pytest.approx(3 * EXACT)
    assert m.with_values(s="steel").parameters["s"].value == "steel"
    assert final(m, parameters=pd.Series({"k": 2.0, "n": 3.0}))["n"] == 3


def test_vectors_and_matrices_of_parameters(m: ka.Model) -> None:
    for values in ([4, 5, 6], (4, 5, 6), np.array([4, 5, 6])):
        assert [final(m, v=values)[f"v[{i}]"] for i in (1, 2, 3)] == [4, 5, 6]
    assert final(m, parameters={"A": np.eye(2)})["A[1,2]"] == 0 and final(m, v_2=7)["v[2]"] == 7
    with pytest.raises(ka.RequestError, match=r"v\[4\]"):
        final(m, v=[1, 2, 3, 4])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"k": None}, "k is set to a number"),
        ({"k": 1j}, "k is set to a number"),
        ({"k": float("nan")}, "finite"),
        ({"k": float("inf")}, "finite"),
        ({"k": "abc"}, "not a number"),
        ({"n": 2.5}, "whole number"),
        ({"on": 3}, "0 or 1"),
        ({"e": "d"}, "one of a, b, c"),
        ({"e": 9}, "one of a, b, c"),
        ({"e": 1.5}, "one of a, b, c"),
        ({"e": 0}, "one of a, b, c"),
        ({"s": 3}, "a text"),
        ({"v": [[1], [2, 3]]}, "one length|set to a number"),
    ],
)
def test_values_that_are_none(m: ka.Model, values: dict[str, Any], said: str) -> None:
    with pytest.raises(ka.RequestError, match=said):
        final(m, parameters=values)
    with pytest.raises(ka.RequestError, match=said):
        m.with_values(values)


def test_inputs_of_all_kinds(m: ka.Model) -> None:
    exact = m.simulate(1, inputs={"u": (T, T)}).final["x"]
    for table in (
        {"u": (T.astype(">f4"), T.astype("f2"))},
        {"u": np.asfortranarray(np.column_stack([T, T]))},
        {"u": np.column_stack([T, T, T])[:, ::2]},
        {"u": (pd.to_timedelta(T, unit="s"), pd.array(T, dtype="Float64"))},
        pd.DataFrame({"u": T}, index=pd.to_timedelta(T, unit="s")),
        pd.DataFrame({"u": T.astype(object)}, index=T),
        {"u": lambda t: np.array(t)},
    ):
        assert m.simulate(1, inputs=table).final["x"] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"u": (T, T * 1j)}, "are numbers"),
        ({"u": (pd.date_range("2020", periods=5), T)}, "are numbers"),
        (pd.DataFrame({"u": T}, index=pd.date_range("2020", periods=5)), "are numbers"),
        # Rows that are only counted are no instants.
        (pd.DataFrame({"u": T}), "no index that is time"),
        ({"u": pd.Series(T)}, "needs its instants"),
        ({"u": (T, np.ma.masked_greater(T, 0.5))}, "row 3 is not a finite number"),
        ({"u": (T, [1, 2, None, 3, 4])}, "row 2 is not a finite number"),
        (pd.DataFrame({"time": T, "u": pd.array([1, 2, None, 3, 4], dtype="Float64")}), "row 2"),
        (pd.DataFrame({"time": T, "u": list("abcde")}), "are numbers"),
        ({"u": lambda t: "a"}, "the function of the input u gives 'a'"),
        ({"u": lambda t: None}, "the function of the input u gives None"),
        ({"u": lambda t: float("nan")}, "not a finite number"),
        (3, "inputs cannot be"),
    ],
)
def test_inputs_that_mean_nothing(m: ka.Model, inputs: Any, said: str) -> None:
    with pytest.raises(ka.Error, match=said):
        m.simulate(1, inputs=inputs)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.simulate(1, instants=[0.1, np.nan]), "there is no nan"),
        (lambda m: m.simulate(1, instants=[5]), "from 0 to 1: there is no 5"),
        (lambda m: m.simulate(timeout=-1), "timeout="),
        (lambda m: m.simulate(timeout=np.nan), "timeout="),
        (lambda m: m.simulate(variables=[3]), "variables= are names"),
        (lambda m: m.simulate(method=3), "method= is a word"),
        (lambda m: m.simulate(keep="no"), "keep= is True or False"),
        (lambda m: m.simulate(intervals=10**12), "intervals= is at most"),
        (lambda m: m.simulate(progress=3), "progress="),
        (lambda m: m.simulate(observer=3), "observer="),
        (lambda m: m.simulate(write=3), "write="),
        (lambda m: m.simulate(parameters=[1]), "by their names"),
        (lambda m: m.sweep({"k": [None]}, "x"), "k is set to"),
        (lambda m: m.sweep({"k": np.ones((2, 2))}, "x"), "k is set to"),
        (lambda m: m.sweep({"k": None}, "x"), "k is varied over"),
        (lambda m: m.sweep({}, "x"), "nothing is varied"),
        (lambda m: m.sweep({"k": ka.uniform(0, 1)}, "x", runs=2, seed=2**64), "seed= is at most"),
        (lambda m: ka.uniform("a", 1), "the lower bound is a number"),
        (lambda m: m.sensitivities([3], "x"), "are names"),
        (lambda m: m.linearize_over([1]), "no table of values"),
        (lambda m: m.linearize_over({"k": [None]}), "k is set to"),
        (lambda m: m.calibrate(["k"], {"time": T, "x": T}), "with their bounds"),
        (lambda m: m.calibrate({"n": (1, 3)}, {"time": T, "x": T}), "of type Integer"),
        (lambda m: m.calibrate({"k": (0, 3)}, {"time": T, "x": T}, weights={"q": 1}), "no measurements of q"),
        (lambda m: m.calibrate({"k": (0, 3)}, {"time": T, "x": T}, weights={"x": 0}), "positive"),
        (lambda m: m.calibrate({"k": (0, 3)}, {"time": T, "x": T * np.nan}), "all are missing"),
        (lambda m: m.calibrate({"k": (0, 3)}, {"time": T, "x": T}, stop=3), "follows from the measurements"),
        (lambda m: m.calibrate({"k": (0, 3)}, []), "give measurements"),
        (lambda m: m.optimize({"k": (0, 3)}, "x", constraints={"x": 3}), "the constraint of x"),
        (lambda m: ka.load(3), "a model is a file"),
    ],
)
def test_calls_that_mean_nothing(m: ka.Model, call: Callable[[ka.Model], Any], said: str) -> None:
    with pytest.raises(ka.RequestError, match=said):
        call(m)


def test_measurements_of_all_kinds(m: ka.Model) -> None:
    x = np.exp(-2 * T)
    missing = pd.array(x, dtype="Float64")
    missing[1] = pd.NA
    for data in (
        pd.DataFrame({"x": x}, index=pd.to_timedelta(T, unit="s")),
        pd.DataFrame({"time": T, "x": missing}),
        {"time": T[::-1], "x": np.ma.masked_equal(x[::-1], x[2])},
        pd.DataFrame({"time": T, "x": x}).sample(frac=1, random_state=1),
    ):
        assert m.calibrate({"k": np.array([0.1, 10])}, data).values["k"] == pytest.approx(2, rel=1e-6)


def test_parameters_of_all_types_in_a_sweep(m: ka.Model) -> None:
    s = m.sweep({"e": ["a", "c"], "on": [True, False], "n": [2, 3]}, ["y", "z[2]"], stop=0.1, tolerance=1e-9)
    assert s.runs == 8 and s.failed == 0
    assert np.allclose(s["y"], EXACT + np.repeat([1, 3], 4), atol=1e-7) and np.allclose(s["z[2]"], 2 * EXACT, atol=1e-7)
    assert dict(s.to_xarray().sizes) == {"e": 2, "on": 2, "n": 2} and s.to_polars().shape[0] == 8
    failed = m.sweep({"k": [1, np.nan]}, "x", stop=0.1)
    assert list(failed.good) == [True, False] and "finite" in failed.reasons[1]


def test_everything_travels(m: ka.Model) -> None:
    def again(thing: Any) -> Any:
        return pickle.loads(pickle.dumps(thing))

    audited = m.simulate(0.5, k=3, audit=True)
    assert audited.errors is not None and again(audited).errors == audited.errors
    r = m.simulate(0.5, k=3)
    for other in (again(r), copy.deepcopy(r)):
        assert list(other) == list(r) and all(other[name].tobytes() == r[name].tobytes() for name in r)
        assert other.time.tobytes() == r.time.tobytes() and other.end == r.end and other.statistics == r.statistics
        assert other.diagnostics == r.diagnostics and repr(other) == repr(r)
        assert other.unit("x") == r.unit("x") and other.svg("x") == r.svg("x") and "<img" in other._repr_html_()
        assert other.to_arrow().equals(r.to_arrow())
    assert again(m.with_values(k=3)).parameters["k"].value == 3
    assert again(m.sweep({"k": [1, 2]}, "x", stop=0.1))["x"].shape == (2,)
    assert again(m.linearize()).A == -1 and again(m.sensitivities("k", "x", stop=0.1))["x"].shape[1] == 1
    fit = again(m.calibrate({"k": (0.1, 10)}, {"time": T, "x": np.exp(-2 * T)}))
    assert fit.values["k"] == pytest.approx(2) and len(fit.solutions) == 1
    stopped = again(ka.Interrupted({"k": 1.0}))
    assert stopped.partial == {"k": 1.0}
    with pytest.raises(ka.RunError) as failed:
        ka.load('model F Real x = time; equation assert(x < 0.5, "far"); end F;').simulate(1)
    assert again(failed.value).partial.end == failed.value.partial.end  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes(m: ka.Model, kind: str) -> None:
    # A forked process has none of the threads that runs have gone to before.
    m.simulate(0.1)
    with ProcessPoolExecutor(2, mp_context=get_context(kind)) as pool:
        tasks = [pool.submit(ka.Model.simulate, m, 0.1, k=k) for k in (1.0, 2.0, 3.0)]
        found = [task.result(100) for task in tasks]
    assert [r.final["k"] for r in found] == [1, 2, 3]
    assert found[1]["x"].tobytes() == m.simulate(0.1, k=2)["x"].tobytes()


def test_a_loop_of_asyncio(m: ka.Model) -> None:
    async def runs() -> list[float]:
        made = await asyncio.gather(*(asyncio.to_thread(m.simulate, 0.1, k=float(k)) for k in range(1, 5)))
        return [r.final["k"] for r in made]

    assert asyncio.run(runs()) == [1, 2, 3, 4]
