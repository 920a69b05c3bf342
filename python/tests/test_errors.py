"""Exceptions say what, where and what to do."""

from __future__ import annotations

import pickle

import pytest

import kausal as ka


def test_a_wrong_model_has_a_place() -> None:
    with pytest.raises(ka.ModelError) as wrong:
        ka.load("model M\n  Real speed;\nequation\n  der(sped) = 1;\nend M;")
    error = wrong.value
    assert error.code == "K0202" and error.place is not None
    assert (error.place.line, error.place.column) == (4, 7)
    assert "der(sped) = 1" in str(error)


def test_several_errors_in_one() -> None:
    with pytest.raises(ka.ModelError) as wrong:
        ka.load("model M Real x = a; Real y = b; end M;")
    assert sum(d.severity == "error" for d in wrong.value.diagnostics) == 2


def test_a_missing_model() -> None:
    with pytest.raises(ka.ModelError, match="Kausal.Examples.RC"):
        ka.load("Kausal.Examples.RCC")
    with pytest.raises(ka.ModelError):
        ka.load("nowhere/Motor.mo")
    with pytest.raises(ka.ModelError, match="K0130"):
        ka.load("// nothing\n")


def test_kinds() -> None:
    assert issubclass(ka.RequestError, ValueError) and issubclass(ka.Interrupted, KeyboardInterrupt)
    assert issubclass(ka.TimedOut, ka.RunError) and issubclass(ka.RunError, ka.Error)


def test_exceptions_travel_between_processes() -> None:
    with pytest.raises(ka.ModelError) as wrong:
        ka.load("model M Real x = a; end M;")
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert str(copy) == str(wrong.value) and copy.diagnostics == wrong.value.diagnostics


def test_options_are_named_as_arguments_here() -> None:
    with pytest.raises(ka.RequestError) as refused:
        ka.load("model M Real x = time; end M;").simulate(method="euler")
    assert "step=" in str(refused.value) and "--step" not in str(refused.value)
