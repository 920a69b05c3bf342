"""Arguments as the compiled module takes them, and what is said about those that cannot be meant."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import RequestError

NUMBERS = frozenset(
    ("start", "stop", "tolerance", "interval", "step", "max_step", "timeout", "at")
)
"""Arguments that are numbers."""

COUNTS = frozenset(("intervals", "order", "iterations", "runs", "seed", "threads"))
"""Arguments that are whole numbers."""


def checked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, numbers as numbers.

    >>> checked({"stop": np.float32(2), "runs": np.int64(3), "method": "bdf", "tolerance": None})
    {'stop': 2.0, 'runs': 3, 'method': 'bdf', 'tolerance': None}
    """
    return {name: _one(name, value) for name, value in asked.items()}


def _one(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in NUMBERS:
        return number(f"{name}=", value)
    if name in COUNTS:
        try:
            count = operator.index(value)
        except TypeError:
            raise RequestError(f"{name}= is a whole number, not {value!r}") from None
        if count < 0:
            raise RequestError(f"{name}= is a whole number from 0 on, not {count}")
        return count
    return value


def number(what: str, value: Any) -> float:
    """A value as a number; a text is none."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise RequestError(f"{what} is a number, not {value!r}") from None


def instants(values: Any) -> list[float]:
    """The instants of ``instants=``."""
    return [] if values is None else numbers("instants=", values).tolist()


def numbers(what: str, values: Any) -> Any:
    """Values as an array of numbers."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise RequestError(f"{what} are numbers, not {values!r}") from None
