"""The cell magic."""

from __future__ import annotations

from typing import Any

import pytest

import kausal as ka
from kausal.magic import modelica

from models import MOTOR


def test_a_cell_becomes_a_model() -> None:
    names: dict[str, Any] = {}
    assert modelica("", MOTOR, names) is names["Motor"]
    modelica("fast", MOTOR, names)
    assert isinstance(names["fast"], ka.Model)
    with pytest.raises(ka.ModelError):
        modelica("", "model M Real x = y; end M;", names)
    with pytest.raises(ka.RequestError):
        modelica("--what", MOTOR, names)


def test_the_extension_knows_the_cell() -> None:
    class Shell:
        user_ns: dict[str, Any] = {}

        def register_magic_function(self, function: Any, kind: str, name: str) -> None:
            assert (kind, name) == ("cell", "modelica")
            function("m", MOTOR)

    ka.load_ipython_extension(Shell())
    assert Shell.user_ns["m"].name == "Motor"
