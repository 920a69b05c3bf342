"""What a run is given from outside: functions, points, columns of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .asked import numbers
from .errors import RequestError

TimeFunction = Callable[[float], float]
Points = tuple[bytes, bytes]
Functions = tuple[list[TimeFunction], list[float]]


class Signal:
    """A function of time for an input, with what a run can know about it.

    ``derivatives`` are functions, too: models that need the derivative of an input ask for it. ``breaks`` are the instants at which
    it has kinks or jumps: the run stops there instead of stepping over them.

    >>> import math
    >>> import kausal as ka
    >>> m = ka.load("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;")
    >>> r = m.simulate(stop=2, inputs={"u": ka.Signal(lambda t: 1.0 if t >= 1 else 0.0, breaks=[1])})
    >>> round(float(r["x"][-1]), 6)
    1.0
    """

    def __init__(
        self, value: TimeFunction, *derivatives: TimeFunction, breaks: Iterable[float] = ()
    ) -> None:
        self.functions = [value, *derivatives]
        self.breaks = [float(t) for t in breaks]


def given(inputs: Any) -> list[tuple[str, Points | Functions]]:
    """The inputs of a run, whatever they come as."""
    if inputs is None:
        return []
    if hasattr(inputs, "columns") and not isinstance(inputs, Mapping):
        times, columns = _table(inputs)
        return [(name, _points(name, times, column)) for name, column in columns.items()]
    if not isinstance(inputs, Mapping):
        raise RequestError(
            f"inputs cannot be a {type(inputs).__name__}: it is a table with a column of time, "
            'or a dictionary such as {"u": lambda t: 2*t}'
        )
    base = inputs.get("time")
    return [(name, _one(name, value, base)) for name, value in inputs.items() if name != "time"]


def _one(name: str, value: Any, base: Any) -> Points | Functions:
    if isinstance(value, Signal):
        return value.functions, value.breaks
    if callable(value):
        return [value], []
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return _points(name, [0.0], [float(value)])
    if hasattr(value, "columns"):
        times, columns = _table(value)
        if name in columns:
            return _points(name, times, columns[name])
        if len(columns) == 1:
            return _points(name, times, next(iter(columns.values())))
        raise RequestError(f"the table for the input {name} has several columns, and none is called {name}")
    if isinstance(value, tuple) and len(value) == 2:
        return _points(name, *value)
    # A Series of pandas: its index is time.
    if base is None and hasattr(value, "index") and hasattr(value, "to_numpy") and not _is_count(value.index):
        return _points(name, np.asarray(value.index), value)
    values = numbers(f"the values of the input {name}", value)
    if values.ndim == 2 and values.shape[1] == 2:
        return _points(name, values[:, 0], values[:, 1])
    if base is None:
        raise RequestError(
            f'the input {name} needs its instants: give a pair (time, values), or one for all inputs as inputs["time"]'
        )
    return _points(name, base, values)


def _points(name: str, times: Sequence[float] | Any, values: Sequence[float] | Any) -> Points:
    t = np.ascontiguousarray(numbers(f"the instants of the input {name}", times))
    v = np.ascontiguousarray(numbers(f"the values of the input {name}", values))
    if t.ndim != 1 or t.shape != v.shape:
        raise RequestError(f"the input {name} has {v.shape} values at {t.shape} instants: there is one for each")
    return t.tobytes(), v.tobytes()


def _is_count(index: Any) -> bool:
    """Does an index only count rows, because nobody has said anything else?"""
    return type(index).__name__ == "RangeIndex" and index.name is None


def _table(table: Any) -> tuple[Any, dict[str, Any]]:
    """The instants and the other columns of a table; pandas may have time as its index. A dictionary of columns is a table, too."""
    if isinstance(table, Mapping):
        if "time" not in table:
            raise RequestError(f"the table has no column time; its columns are {', '.join(map(str, table))}")
        return np.asarray(table["time"]), {str(n): np.asarray(column) for n, column in table.items() if n != "time"}
    if not hasattr(table, "columns"):
        raise RequestError(f"a {type(table).__name__} is no table: give one of pandas or polars, or a dictionary of columns")
    names = [str(name) for name in table.columns]
    if "time" in names:
        times = np.asarray(table["time"])
        names.remove("time")
    elif hasattr(table, "index") and not callable(table.index) and not _is_count(table.index):
        times = np.asarray(table.index)
    else:
        raise RequestError(f"the table has no column time, and no index that is time; its columns are {', '.join(names)}")
    return times, {name: np.asarray(table[name]) for name in names}
