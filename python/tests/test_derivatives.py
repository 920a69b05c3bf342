"""Matrices near a point."""

from __future__ import annotations

import numpy as np
import pytest

import kausal as ka

SPRING = """
model Spring
  parameter Real m = 2;
  parameter Real c = 8;
  input Real F;
  output Real s(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(s) = v;
  m*der(v) = F - c*s;
end Spring;
"""


def test_matrices_of_a_spring() -> None:
    lin = ka.load(SPRING).linearize()
    assert lin.states == ["s", "v"] and lin.inputs == ["F"] and lin.outputs == ["s"]
    assert np.array_equal(lin.A, [[0, 1], [-4, 0]]) and np.array_equal(lin.B, [[0], [0.5]])
    assert np.array_equal(lin.C, [[1, 0]]) and np.array_equal(lin.D, [[0]])
    assert np.allclose(sorted(lin.poles.imag), [-2, 2])
    assert "der(v)" in repr(lin) and "<table>" in lin._repr_html_()


def test_python_control_reads_them() -> None:
    control = pytest.importorskip("control")
    system = ka.load(SPRING).linearize().to_control()
    assert np.allclose(control.dcgain(system), 1 / 8) and system.state_labels == ["s", "v"]


def test_many_points() -> None:
    m = ka.load(SPRING)
    many = m.linearize_over({"c": np.linspace(1, 10, 200)})
    for c, lin in zip(np.linspace(1, 10, 200), many, strict=True):
        assert not isinstance(lin, str) and abs(lin.A[1, 0] + c / 2) < 1e-12
