"""What goes wrong, as exceptions that say where and what to do.

Every exception has ``diagnostics``; one of a run has ``partial``, the results up to where it failed:

>>> import kausal as ka
>>> try:
...     ka.load("model M Real x = y; end M;")
... except ka.ModelError as error:
...     print(error.code, error.diagnostics[0].place.line)
K0202 1
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .solution import Solution
    from .sweep import Sweep

__all__ = [
    "Cancelled",
    "Diagnostic",
    "Error",
    "InternalError",
    "Interrupted",
    "ModelError",
    "OutputError",
    "Place",
    "RequestError",
    "RunError",
    "TimedOut",
    "UnknownName",
    "Warning",
]


@dataclass(frozen=True)
class Place:
    """A place in a text; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """Something to say about a model or a run."""

    severity: str
    code: str
    message: str
    help: str | None = None
    places: tuple[Place, ...] = ()

    @property
    def place(self) -> Place | None:
        """Where it is, above all."""
        return self.places[0] if self.places else None

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        help = f"; {self.help}" if self.help else ""
        return f"{self.severity}[{self.code}]: {self.message}{where}{help}"


class Error(Exception):
    """What goes wrong with a model; its text is what the command line tool prints."""

    diagnostics: tuple[Diagnostic, ...] = ()
    partial: Solution | None = None
    """What there is of a run that failed."""

    def __init__(
        self, text: str, diagnostics: tuple[Diagnostic, ...] = (), partial: Solution | None = None
    ) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics
        self.partial = partial

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.diagnostics, self.partial))

    def _first(self) -> Diagnostic | None:
        return next((d for d in self.diagnostics if d.severity == "error"), None)

    @property
    def code(self) -> str:
        """The code of the first error."""
        first = self._first()
        return first.code if first else ""

    @property
    def help(self) -> str | None:
        """What to do about the first error."""
        first = self._first()
        return first.help if first else None

    @property
    def place(self) -> Place | None:
        """Where the first error is."""
        first = self._first()
        return first.place if first else None


class ModelError(Error):
    """The text of the model is wrong, or what it leads to, such as equations without a unique solution."""


class RequestError(Error, ValueError):
    """What was asked for is wrong: options that contradict each other, names and values that there are not."""

    _code = "K0908"

    def __init__(
        self, text: str, diagnostics: tuple[Diagnostic, ...] = (), partial: Solution | None = None
    ) -> None:
        if not diagnostics:
            # What this package finds itself has a code, too; behind a semicolon it says what to do.
            message, _, help = text.partition("; ")
            diagnostics = (Diagnostic("error", self._code, message, help or None),)
        super().__init__(text, diagnostics, partial)


class UnknownName(RequestError, KeyError):
    """There is no variable of this name."""

    _code = "K0910"


class RunError(Error):
    """The run failed: ``partial`` has the results up to there."""


class TimedOut(RunError):
    """The run took longer than it may: ``partial`` has the results up to there."""


class Cancelled(RunError):
    """Somebody asked for the end of a run with a :class:`Cancel`: ``partial`` has the results up to there."""

    partial: Any = None


class OutputError(Error):
    """A file cannot be written."""


class InternalError(Error):
    """A fault of Kausal: please report it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run or a sweep: ``partial`` has the results up to there."""

    partial: Any = None
    """A :class:`Solution`, a :class:`Sweep` with the runs that are over, or the best values a calibration has come to."""

    def __init__(self, partial: Solution | Sweep | dict[str, float] | list[Any] | None = None) -> None:
        super().__init__("it was stopped")
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.partial,))


class Warning(UserWarning):
    """A warning about a model or a run."""


_KINDS: dict[str, type[Error]] = {
    "model": ModelError,
    "request": RequestError,
    "run": RunError,
    "cancelled": Cancelled,
    "timeout": TimedOut,
    "output": OutputError,
    "internal": InternalError,
}

# Options of the command line are named arguments here.
_WORDS = {
    "--output-interval": "interval=",
    "--number-of-intervals": "intervals=",
    "--set": "parameters=",
    "--input": "inputs=",
    "--events at-steps": "events_at_steps=True",
    "--allow-external": "allow_external=True",
    "`kausal translate --listing`": "`model.listing`",
    "kausal flatten prints all variables": "`model.variables` has all variables",
}


def _spoken(text: str) -> str:
    for word, here in _WORDS.items():
        text = text.replace(word, here)
    return re.sub(r"--([a-z][a-z-]*[a-z])", lambda m: m[1].replace("-", "_") + "=", text)


def read(text: str) -> tuple[Diagnostic, ...]:
    """Diagnostics as the compiled module passes them on."""
    return tuple(
        Diagnostic(
            d["severity"],
            d["code"],
            d["message"],
            _spoken(d["help"]) if "help" in d else None,
            tuple(Place(**label) for label in d["labels"]),
        )
        for d in json.loads(text)
    )


def made(kind: str, text: str, diagnostics: str, partial: Any) -> Error:
    """The exception for an error of the compiled module."""
    from .solution import Solution

    solution = None if partial is None else Solution(partial)
    return _KINDS[kind](_spoken(text), read(diagnostics), solution)


def ended(failure: BaseException, partial: Any) -> BaseException:
    """The exception for a run that an exception of Python ended."""
    from .solution import Solution

    solution = None if partial is None else Solution(partial)
    if isinstance(failure, KeyboardInterrupt):
        return Interrupted(solution)
    try:
        failure.partial = solution  # type: ignore[attr-defined]
    except AttributeError:
        pass
    return failure
