"""Ctrl-C in searches: what has begun comes to its end, and nothing is lost on the way.

CPython raises `KeyboardInterrupt` between any two steps of its main thread: while a lock is half taken, for which other threads then
wait forever; while a module of compiled code is loaded, which makes an `ImportError` of it; in a callback that drops it, and
the search goes on. So a search takes the signal itself. It sets one :class:`Cancel`, at which all runs of the search look without the
interpreter's lock, in whatever thread they are, and becomes an exception where the search asks for it: between two runs.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from . import _kausal
from .errors import Interrupted


@contextmanager
def nothing_kept() -> Iterator[None]:
    """What has nothing to keep says so with the same exception."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted() from None


class Stopping:
    """Takes Ctrl-C as long as it is entered. In other threads than the main one there are no signals."""

    def __init__(self, above: _kausal.Cancel | None = None) -> None:
        self.cancel = _kausal.Cancel(above)
        """What ends the runs."""
        self._raised: BaseException | None = None
        self._before: Any = None
        self._taken = False

    def __enter__(self) -> Stopping:
        self._take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None = None, trace: object = None
    ) -> None:
        self._give_back()

    @property
    def raised(self) -> BaseException | None:
        """What the signal would have raised, if there was one."""
        return self._raised

    def check(self) -> None:
        """Raises what the signal would have raised, if there was one."""
        if self._raised is not None:
            raise self._raised from None

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Functions of somebody else are interrupted as ever."""
        self.check()
        mine = self._taken
        self._give_back()
        try:
            yield
        finally:
            if mine:
                self._take()

    def _take(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        # Who ignores the signal, or leaves it to the system, does so on.
        if callable(before):
            self._before, self._taken = before, True
            signal.signal(signal.SIGINT, self._asked)

    def _give_back(self) -> None:
        if self._taken:
            self._taken = False
            # What somebody else has put there meanwhile stays.
            if signal.getsignal(signal.SIGINT) == self._asked:
                signal.signal(signal.SIGINT, self._before)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self._raised is not None:
            # Somebody asks again: at once, then.
            self._before(number, frame)
            return
        try:
            self._before(number, frame)
        except BaseException as raised:
            self._raised = raised.with_traceback(None)
            self.cancel.cancel()
