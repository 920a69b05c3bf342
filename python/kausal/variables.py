"""The variables of a model as a table to look at, to search and to set."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import show
from .errors import UnknownName

Value = float | int | bool | str | None

Given = Value | Sequence[Any] | np.ndarray[Any, Any]
"""What a variable is set to; an array to an array."""


class Variable:
    """A variable of a model, with what its declaration says."""

    __slots__ = (
        "_set",
        "_value",
        "description",
        "display_unit",
        "kind",
        "literals",
        "max",
        "min",
        "name",
        "nominal",
        "protected",
        "structural",
        "type",
        "unit",
    )

    name: str
    """Its path: ``robot.axis[2].motor.i``."""
    kind: str
    """``constant``, ``parameter``, ``input``, ``state``, ``discrete`` or ``algebraic``."""
    type: str
    """``Real``, ``Integer``, ``Boolean``, ``String``, ``enumeration`` or ``other``."""
    unit: str
    """Its unit; may be empty."""
    display_unit: str
    """The unit it is shown in; may be empty."""
    description: str
    """What its declaration says about itself."""
    min: float | None
    """``min``, where the model says it."""
    max: float | None
    """``max``, where the model says it."""
    nominal: float | None
    """``nominal``, where the model says it."""
    structural: bool
    """The structure of the model depends on it: another value means another translation."""
    protected: bool
    """Declared ``protected``, or inside of what is."""
    literals: list[str]
    """The literals of its enumeration."""

    def __init__(self, set_value: Callable[[str, Any], None], /, **said: Any) -> None:
        self._set = set_value
        self._value: Value = said.pop("value")
        for name, value in said.items():
            setattr(self, name, value)

    @property
    def value(self) -> Value:
        """The value of a constant or parameter, the start value of others, where the model says it. It can be set."""
        return self._value

    @value.setter
    def value(self, value: Value) -> None:
        self._set(self.name, value)
        self._value = value

    def __repr__(self) -> str:
        value = "" if self.value is None else f" = {show.number(self.value)}"
        unit = f" {self.unit}" if self.unit else ""
        words = f" “{self.description}”" if self.description else ""
        return f"<{self.kind} {self.name}{value}{unit}{words}>"


def near(name: str, names: Iterable[str]) -> str:
    """What may be meant by a name that is none, as the end of a message.

    >>> near("j.j", ["J.J", "J.w"])
    '; did you mean J.J?'
    """
    by_letters = {known.casefold(): known for known in names}
    found = difflib.get_close_matches(str(name).casefold(), by_letters, n=1)
    return f"; did you mean {by_letters[found[0]]}?" if found else ""


class Variables(Mapping[str, Variable]):
    """Variables by their names.

    >>> import kausal as ka
    >>> m = ka.load("Kausal.Examples.RC")
    >>> print(m.parameters.find("*.R"))
    name        value  unit  description
    resistor.R  1000   Ohm   Resistance
    >>> m.parameters["resistor.R"].unit
    'Ohm'
    """

    def __init__(self, variables: dict[str, Variable]) -> None:
        self._variables = variables

    def __getitem__(self, name: str) -> Variable:
        try:
            return self._variables[name]
        except KeyError:
            raise UnknownName(f"there is no {name}{near(name, self)}") from None

    def __setitem__(self, name: str, value: Value) -> None:
        self[name].value = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def find(self, pattern: str) -> Variables:
        """Those whose names a pattern with ``*`` and ``?`` stands for, or whose names or descriptions contain it."""
        if any(c in pattern for c in "*?"):
            # Brackets are subscripts here.
            literal = re.sub(r"\[", "[[]", pattern)
            keep = re.compile(fnmatch.translate(literal)).match
            return Variables({n: v for n, v in self._variables.items() if keep(n)})
        word = pattern.lower()
        return Variables(
            {n: v for n, v in self._variables.items() if word in n.lower() or word in v.description.lower()}
        )

    def to_pandas(self) -> Any:
        """A table of pandas."""
        import pandas as pd

        columns = ("value", "unit", "kind", "type", "min", "max", "nominal", "structural", "description")
        rows = [[getattr(v, column) for column in columns] for v in self._variables.values()]
        return pd.DataFrame(rows, index=pd.Index(list(self._variables), name="name"), columns=list(columns))

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [(v.name, show.number(v.value), v.unit, v.description) for v in self._variables.values()]

    def __repr__(self) -> str:
        return show.text_table(("name", "value", "unit", "description"), self._rows())

    def _repr_html_(self) -> str:
        return show.html_table(("name", "value", "unit", "description"), self._rows())
