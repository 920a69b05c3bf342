"""Loading models, and looking at them."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import pytest

import kausal as ka

from models import MOTOR


def test_a_model_comes_from_a_file_a_library_or_a_text(tmp_path: Path) -> None:
    file = tmp_path / "Motor.mo"
    file.write_text(MOTOR)
    assert ka.load(file).name == ka.load(str(file)).name == ka.load(MOTOR).name == "Motor"
    assert ka.load("Kausal.Examples.RC").name == "Kausal.Examples.RC"
    package = "package P model A Real x = time; end A; model B Real x = 2*time; end B; end P;"
    assert ka.load(package, model="P.A").name == "P.A"


def test_libraries_are_folders(tmp_path: Path) -> None:
    (tmp_path / "Parts").mkdir()
    (tmp_path / "Parts" / "package.mo").write_text("within; package Parts model A Real x = time; end A; end Parts;")
    assert ka.load("Parts.A", library=tmp_path).name == "Parts.A"
    with pytest.raises(ka.ModelError, match=r"K0901"):
        ka.load("Parts.A", library=[tmp_path / "none"])


def test_tables_of_variables(motor: ka.Model) -> None:
    inertia = motor.parameters["J"]
    assert (inertia.value, inertia.unit, inertia.description, inertia.min) == (0.5, "kg.m2", "inertia", 0.0)
    assert motor.parameters["n"].structural and motor.parameters["n"].value == 2
    assert list(motor.states) == ["w"] and list(motor.inputs) == ["u"] and list(motor.outputs) == ["y"]
    assert list(motor.variables.find("x[?]")) == ["x[1]", "x[2]"]
    assert list(motor.variables.find("inert")) == ["J"]
    with pytest.raises(ka.RequestError, match="did you mean J"):
        motor.parameters["j"]
    table = motor.parameters.to_pandas()
    assert table.loc["J", "unit"] == "kg.m2" and table.loc["J", "value"] == 0.5


def test_what_is_set_is_seen_where_it_follows() -> None:
    m = ka.load("model M parameter Real a = 1; parameter Real b = 2*a; Real x = b*time; end M;")
    other = m.with_values(a=4)
    assert (m.parameters["b"].value, other.parameters["b"].value) == (2.0, 8.0)
    m.parameters["a"] = 3
    assert m.parameters["b"].value == 6.0 and m.settings == {"a": 3}
    m.parameters["a"].value = 5
    assert m.parameters["b"].value == 10.0
    # The structure depends on it: another translation.
    motor = ka.load(MOTOR)
    motor.set(n=3)
    assert "x[3]" in motor.variables


def test_flat_listing_equations_explain(motor: ka.Model, tmp_path: Path) -> None:
    assert motor.flat.startswith("model Motor") or "Motor" in motor.flat
    assert repr(motor.flat) == str(motor.flat)
    assert "der(w)" in motor.listing
    assert any("der(w)" in equation for equation in motor.equations)
    why = motor.explain()
    assert "w" in repr(why) and why.html.lower().startswith("<!doctype html>")
    why.save(tmp_path / "why.html")
    assert (tmp_path / "why.html").read_text(encoding="utf-8") == why.html


def test_warnings_of_a_model_are_warnings() -> None:
    text = "model M parameter Real p; Real x(start = 1, fixed = true); equation der(x) = -p*x; end M;"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model = ka.load(text)
        except ka.ModelError:
            return
    assert len(said) == sum(d.severity == "warning" for d in model.diagnostics)


def test_reprs_say_what_there_is(motor: ka.Model) -> None:
    assert repr(motor) == "<Model Motor: 1 state, 3 parameters, 1 input, 1 output, 8 variables>"
    assert repr(motor.parameters["J"]) == "<parameter J = 0.5 kg.m2 “inertia”>"
    assert repr(motor.parameters).splitlines()[1].split() == ["J", "0.5", "kg.m2", "inertia"]
    page = motor._repr_html_()
    assert "a motor with a winding" in page and "<table>" in page
    assert "&lt;" in ka.load('model M parameter Real p = 1 "a < b"; end M;')._repr_html_()


def test_options_of_the_translation() -> None:
    assert ka.load("Kausal.Examples.RC", inline="implicit_euler").simulate(step=0.01).end > 0
    with pytest.raises(ka.RequestError, match="one of newton, jacobi, gauss-seidel"):
        ka.load("Kausal.Examples.RC", loops="secant")


def test_examples() -> None:
    assert "Kausal.Examples.RC" in ka.examples()


def test_models_are_stored_and_travel(motor: ka.Model, tmp_path: Path) -> None:
    slow = motor.with_values(J=2)
    slow.save(tmp_path / "motor.kausal")
    for same in (ka.load(tmp_path / "motor.kausal"), pickle.loads(pickle.dumps(slow))):
        assert same.parameters["J"].value == 2
        assert list(same.simulate(2)["w"]) == list(slow.simulate(2)["w"])
        assert list(same.simulate(2, J=1)["w"]) == list(motor.simulate(2, J=1)["w"])
    (tmp_path / "wrong.kausal").write_bytes(b"no model")
    with pytest.raises(ka.ModelError, match="K0917"):
        ka.load(tmp_path / "wrong.kausal")
