"""Arguments as the compiled module takes them, and what is said about those that cannot be meant."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .errors import RequestError

NUMBERS = frozenset(
    ("start", "stop", "tolerance", "interval", "step", "max_step", "timeout", "at")
)
"""Arguments that are numbers."""

COUNTS = frozenset(("intervals", "order", "iterations", "runs", "seed", "threads"))
"""Arguments that are whole numbers."""


WORDS = frozenset(("method", "jacobian", "sampling", "device"))
"""Arguments that are words."""

SWITCHES = frozenset(("events_at_steps", "keep", "audit", "steady", "resume"))
"""Arguments that are truth values."""

LARGEST = {"intervals": 2**32 - 1, "iterations": 2**32 - 1, "order": 2**8 - 1}
"""The largest whole numbers there are; 64 bits for others."""


def checked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, numbers as numbers.

    >>> checked({"stop": np.float32(2), "runs": np.int64(3), "method": "bdf", "tolerance": None})
    {'stop': 2.0, 'runs': 3, 'method': 'bdf', 'tolerance': None}
    """
    return {name: _one(name, value) for name, value in asked.items()}


def _one(name: str, value: Any) -> Any:
    if value is None:
        if name in SWITCHES and name != "keep":
            raise RequestError(f"{name}= is True or False, not None")
        return None
    if name in NUMBERS:
        found = number(f"{name}=", value)
        if name == "timeout" and not found >= 0:
            raise RequestError(f"timeout= is a number of seconds, not {value!r}")
        return found
    if name in WORDS and not isinstance(value, str):
        raise RequestError(f"{name}= is a word, not {value!r}")
    if name in SWITCHES and not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"{name}= is True or False, not {value!r}")
    if name in SWITCHES:
        return bool(value)
    if name in COUNTS:
        try:
            count = operator.index(value)
        except TypeError:
            raise RequestError(f"{name}= is a whole number, not {value!r}") from None
        if count < 0:
            raise RequestError(f"{name}= is a whole number from 0 on, not {count}")
        if count > LARGEST.get(name, 2**64 - 1):
            raise RequestError(f"{name}= is at most {LARGEST.get(name, 2**64 - 1)}, not {count}")
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


def setting(name: str, value: Any) -> Any:
    """What a variable is set to: a number, a truth value or a text."""
    if value is None or isinstance(value, (bool, str)):
        plain = value
    elif isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        plain = value.item()
    else:
        plain = value
    if isinstance(plain, (bool, str)):
        return plain
    if plain is None or isinstance(plain, (bytes, complex)):
        raise RequestError(f"{name} is set to a number, a truth value or a text, not to {value!r}")
    try:
        return float(plain)
    except (TypeError, ValueError, OverflowError):
        raise RequestError(f"{name} is set to a number, a truth value or a text, not to {value!r}") from None


def elements(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value with its name; of an array each element with its own.

    >>> list(elements("a", [1, 2])), list(elements("b", np.eye(2)))[1]
    ([('a[1]', 1.0), ('a[2]', 2.0)], ('b[1,2]', 0.0))
    """
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        try:
            array = np.asarray(value)
        except ValueError:
            raise RequestError(f"the rows of {name} are not of one length") from None
        for place in np.ndindex(array.shape):
            yield f"{name}[{','.join(str(i + 1) for i in place)}]", setting(name, array[place])
        return
    yield name, setting(name, value)


def instants(values: Any, within: tuple[float, float] | None = None) -> list[float]:
    """The instants of ``instants=``, which lie in the run."""
    if values is None:
        return []
    found = np.atleast_1d(numbers("instants=", values)).ravel()
    low, high = within or (-np.inf, np.inf)
    wrong = found[~((found >= low) & (found <= high))]
    if len(wrong):
        where = f" in the run, which is from {low:g} to {high:g}" if within and low <= high else ""
        raise RequestError(f"instants= are instants{where}: there is no {wrong[0]:g}")
    return list(found.tolist())


def names(what: str, given: Any) -> list[str]:
    """One name or several."""
    try:
        found = [given] if isinstance(given, str) else list(given)
    except TypeError:
        found = [given]
    for name in found:
        if not isinstance(name, str):
            raise RequestError(f"{what} are names, not {name!r}")
    return found


def files(given: Any) -> list[str]:
    """One file or several."""
    try:
        return [os.fspath(path) for path in ([given] if isinstance(given, (str, os.PathLike)) else given)]
    except TypeError:
        raise RequestError(f"write= is a file or several, not {given!r}") from None


def numbers(what: str, values: Any) -> Any:
    """Values as an array of numbers; what is missing is not a number (NaN), spans of time are seconds.

    >>> numbers("these", np.ma.masked_equal([1, 2], 2)), numbers("these", np.array([1500], "m8[ms]"))
    (array([ 1., nan]), array([1.5]))
    """
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.ma.filled(values.astype(float), np.nan)
        array = np.asarray(values)
        if array.dtype.kind == "m":
            return array / np.timedelta64(1, "s")
        if array.dtype.kind == "O":
            missing = np.array([value is None or type(value).__name__ == "NAType" for value in array.ravel()], dtype=bool)
            array = np.where(missing.reshape(array.shape), np.nan, array)
        # Dates, texts and complex numbers would be converted to something that nobody has meant.
        if array.dtype.kind in "McSU" or any(isinstance(value, (str, bytes)) for value in array.ravel()[:1]):
            raise TypeError
        return array.astype(float, copy=False)
    except (TypeError, ValueError):
        shown = repr(values) if np.size(values) < 10 else f"a {type(values).__name__} of {getattr(values, 'dtype', 'other things')}"
        raise RequestError(f"{what} are numbers, not {shown}") from None
