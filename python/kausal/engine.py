"""Sweeps on engines that exist: Dask, Ray, executors of ``concurrent.futures``.

The stored program travels to each worker once; after that a task is two numbers, the first run of a chunk and the one behind its
last. Chunks grow until they take about :data:`CHUNK` seconds, as measured on the workers. A chunk counts when its result arrives,
once: what the engine repeats because a worker has died is the same run, for a run depends on its number only.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import _kausal
from .errors import Cancelled, Error, Interrupted, RequestError, Warning
from .stopping import Stopping

CHUNK = 1.0
"""Seconds a chunk shall take: beside that the way to a worker and back is short, and what a dying worker loses is little."""

ATTEMPTS = 5
"""How often a chunk is given to an engine whose workers die with it, before it is made here."""

TICK = 0.1
"""Seconds it is waited before it is looked whether somebody wants the end."""

AHEAD = 2
"""Chunks for each worker, so that none waits for the next one."""

Part = dict[str, Any]

_models: dict[str, _kausal.Model] = {}
_lock = threading.Lock()


def model_of(digest: str, program: bytes | str) -> _kausal.Model:
    """The model of a stored program, or of the file with it: read once in each process."""
    with _lock:
        found = _models.get(digest)
        if found is None:
            data = program if isinstance(program, bytes) else Path(program).read_bytes()
            # A worker that makes many sweeps keeps the last models only.
            while len(_models) >= 8:
                del _models[next(iter(_models))]
            found = _models[digest] = _kausal.Model.from_stored(data, False)
        return found


def part(
    digest: str,
    program: bytes | str,
    asked: Mapping[str, Any],
    first: int,
    last: int,
    cancel: _kausal.Cancel | None = None,
) -> Part:
    """Makes some runs of a sweep, in a worker."""
    begin = time.perf_counter()
    made, failure = model_of(digest, program).sweep({**asked, "threads": 1}, (first, last), False, None, cancel)
    if failure is not None:
        raise failure
    # Plain arrays travel.
    found = {name: np.array(value) if name in ("ends", "traces", "grid") else value for name, value in made.items()}
    for name in ("settings", "numbers"):
        found[name] = [np.array(column) for column in made[name]]
    found["took"] = time.perf_counter() - begin
    return found


class Engine(Protocol):
    """What a sweep needs of an engine."""

    workers: int

    def submit(self, first: int, last: int) -> Any:
        """Gives a chunk to the engine."""

    def some(self, pending: Iterable[Any]) -> list[Any]:
        """Waits until one of the tasks is over, at most for :data:`TICK`, and gives those that are."""

    def result(self, task: Any) -> Part:
        """What came of it; an exception that :meth:`is_loss` knows is the end of a worker."""

    def is_loss(self, failure: BaseException) -> bool:
        """Has a worker died?"""

    def cancel(self, tasks: Iterable[Any]) -> None:
        """Nobody wants these any more."""

    def close(self) -> None:
        """Lets go of what was made for the sweep."""


class _Dask:
    """A ``dask.distributed`` Client."""

    def __init__(self, client: Any, digest: str, program: bytes, asked: Mapping[str, Any]) -> None:
        self._client, self._digest, self._asked = client, digest, dict(asked)
        self.workers = max(1, sum(client.nthreads().values()))
        # As the result of a task it is made again should the worker that has it die; scattered data would be gone.
        self._program = client.submit(_same, program, key=f"kausal-{digest}")
        self._count = 0

    def submit(self, first: int, last: int) -> Any:
        self._count += 1
        key = f"kausal-runs-{self._digest[:8]}-{id(self)}-{self._count}-{first}-{last}"
        return self._client.submit(part, self._digest, self._program, self._asked, first, last, key=key, pure=False)

    def some(self, pending: Iterable[Any]) -> list[Any]:
        from distributed import TimeoutError, wait

        try:
            return list(wait(list(pending), timeout=TICK, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return []

    def result(self, task: Any) -> Part:
        found: Part = task.result()
        return found

    def is_loss(self, failure: BaseException) -> bool:
        from distributed.scheduler import KilledWorker

        return isinstance(failure, KilledWorker) or type(failure).__name__ in ("CancelledError", "FutureCancelledError")

    def cancel(self, tasks: Iterable[Any]) -> None:
        self._client.cancel(list(tasks))

    def close(self) -> None:
        self._program.release()


class _Ray:
    """Ray, which is running."""

    def __init__(self, ray: Any, digest: str, program: bytes, asked: Mapping[str, Any]) -> None:
        self._ray, self._digest = ray, digest
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._program, self._asked = ray.put(program), ray.put(dict(asked))
        self._task = ray.remote(part).options(num_cpus=1, max_retries=ATTEMPTS)

    def submit(self, first: int, last: int) -> Any:
        return self._task.remote(self._digest, self._program, self._asked, first, last)

    def some(self, pending: Iterable[Any]) -> list[Any]:
        done, _ = self._ray.wait(list(pending), num_returns=1, timeout=TICK)
        return list(done)

    def result(self, task: Any) -> Part:
        try:
            found: Part = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            # What the run raised, not how it got here.
            raise error.cause if isinstance(getattr(error, "cause", None), Error) else error from None
        return found

    def is_loss(self, failure: BaseException) -> bool:
        lost = self._ray.exceptions
        names = ("WorkerCrashedError", "NodeDiedError", "ObjectLostError", "OutOfMemoryError")
        return isinstance(failure, tuple(getattr(lost, name) for name in names if hasattr(lost, name)))

    def cancel(self, tasks: Iterable[Any]) -> None:
        for task in tasks:
            self._ray.cancel(task, force=False)

    def close(self) -> None:
        del self._program


class _Executor:
    """An executor of ``concurrent.futures``, or one that behaves like it."""

    def __init__(
        self, executor: Any, digest: str, program: bytes, asked: Mapping[str, Any], cancel: _kausal.Cancel
    ) -> None:
        import os
        from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

        self._executor, self._digest, self._asked, self._broken = executor, digest, dict(asked), BrokenExecutor
        self._program: bytes | str
        self.workers = int(getattr(executor, "_max_workers", 0) or os.cpu_count() or 1)
        # Executors have no data that stays at the workers: they read it, once each, from a file.
        self._folder = tempfile.TemporaryDirectory(prefix="kausal-")
        file = Path(self._folder.name) / "program.kausal"
        file.write_bytes(program)
        self._bytes, self._program = program, str(file)
        # A thread of this process can be told in the middle of a run that nobody wants it any more.
        self._ending = (cancel,) if isinstance(executor, ThreadPoolExecutor) else ()

    def submit(self, first: int, last: int) -> Any:
        return self._executor.submit(part, self._digest, self._program, self._asked, first, last, *self._ending)

    def some(self, pending: Iterable[Any]) -> list[Any]:
        from concurrent.futures import FIRST_COMPLETED, wait

        return list(wait(list(pending), timeout=TICK, return_when=FIRST_COMPLETED).done)

    def result(self, task: Any) -> Part:
        try:
            found: Part = task.result()
        except FileNotFoundError:
            # Workers on other machines do not see the file: the program travels with what they shall do.
            self._program = self._bytes
            raise
        return found

    def is_loss(self, failure: BaseException) -> bool:
        return isinstance(failure, (self._broken, FileNotFoundError))

    def cancel(self, tasks: Iterable[Any]) -> None:
        for task in tasks:
            task.cancel()

    def close(self) -> None:
        self._folder.cleanup()


def _same(data: bytes) -> bytes:
    return data


def engine_of(engine: Any, digest: str, program: bytes, asked: Mapping[str, Any], cancel: _kausal.Cancel) -> Engine:
    """The engine that is meant."""
    if getattr(engine, "__name__", engine) == "ray":
        import ray

        if not ray.is_initialized():
            ray.init()
        return _Ray(ray, digest, program, asked)
    if hasattr(engine, "nthreads") and hasattr(engine, "submit"):
        return _Dask(engine, digest, program, asked)
    if hasattr(engine, "submit"):
        return _Executor(engine, digest, program, asked, cancel)
    raise RequestError(
        f"{engine!r} is no engine for a sweep: it is a dask.distributed.Client, the module ray, or an executor of concurrent.futures"
    )


def distributed(
    program: bytes,
    asked: Mapping[str, Any],
    total: int,
    engine: Any,
    tick: Callable[[int, int], None],
    cancel: _kausal.Cancel | None = None,
) -> list[Part]:
    """Makes the runs of a sweep on an engine: their parts, in order, each run once."""
    with Stopping(cancel) as stopping:
        return _distributed(program, asked, total, engine, tick, stopping)


def _distributed(
    program: bytes,
    asked: Mapping[str, Any],
    total: int,
    engine: Any,
    tick: Callable[[int, int], None],
    stopping: Stopping,
) -> list[Part]:
    digest = hashlib.sha256(program).hexdigest()
    used = engine_of(engine, digest, program, asked, stopping.cancel)
    chunks = _Chunks(total, used.workers)
    done: dict[int, tuple[int, Part]] = {}
    pending: dict[Any, tuple[int, int]] = {}
    attempts: dict[tuple[int, int], int] = {}
    failed = 0
    try:
        while True:
            while len(pending) < AHEAD * used.workers and (chunk := chunks.next()) is not None:
                try:
                    pending[used.submit(*chunk)] = chunk
                except BaseException as failure:
                    # An executor that is broken takes no more.
                    if not used.is_loss(failure):
                        raise
                    _here(digest, program, asked, chunk, done, stopping)
            if not pending:
                break
            over = used.some(pending)
            stopping.check()
            if stopping.cancel.cancelled:
                stopped = Cancelled("the sweep was stopped")
                stopped.partial = _first(done)
                raise stopped
            for task in over:
                chunk = pending.pop(task)
                try:
                    found = used.result(task)
                except BaseException as failure:
                    if not used.is_loss(failure):
                        raise
                    attempts[chunk] = attempts.get(chunk, 0) + 1
                    if attempts[chunk] < ATTEMPTS:
                        chunks.again(chunk)
                    else:
                        _here(digest, program, asked, chunk, done, stopping)
                    continue
                done[chunk[0]] = (chunk[1], found)
                chunks.measure(chunk[1] - chunk[0], found["took"])
                failed += sum(status not in ("complete", "terminated") for status in found["status"])
                with stopping.outside():
                    tick(sum(last - first for first, (last, _) in done.items()), failed)
    except KeyboardInterrupt:
        raise Interrupted(_first(done)) from None
    finally:
        stopping.cancel.cancel()
        used.cancel(pending)
        used.close()
    parts: list[Part] = []
    reached = 0
    for first in sorted(done):
        last, found = done[first]
        if first != reached or len(found["status"]) != last - first:
            raise RuntimeError(f"the runs from {reached} to {first} are missing: please report this")
        parts.append(found)
        reached = last
    if reached != total:
        raise RuntimeError(f"the runs from {reached} to {total} are missing: please report this")
    return parts


def _first(done: Mapping[int, tuple[int, Part]]) -> list[Part]:
    """The parts from the first run on without a gap."""
    parts: list[Part] = []
    reached = 0
    while reached in done:
        reached, found = done[reached]
        parts.append(found)
    return parts


def _here(
    digest: str,
    program: bytes,
    asked: Mapping[str, Any],
    chunk: tuple[int, int],
    done: dict[int, tuple[int, Part]],
    stopping: Stopping,
) -> None:
    warnings.warn(
        f"the workers of the engine died with the runs from {chunk[0]} to {chunk[1]}: they are made here", Warning, stacklevel=6
    )
    made = part(digest, program, asked, *chunk, stopping.cancel)
    stopping.check()
    done[chunk[0]] = (chunk[1], made)


class _Chunks:
    """Which runs are next: few at first, then as many as take about :data:`CHUNK` seconds.

    >>> chunks = _Chunks(1000, 2)
    >>> chunks.next(), chunks.next()
    ((0, 1), (1, 2))
    >>> chunks.measure(1, 0.01)
    >>> chunks.next()
    (2, 6)
    """

    def __init__(self, total: int, workers: int) -> None:
        self._next, self._total, self._workers = 0, total, workers
        self._size = 1
        self._again: list[tuple[int, int]] = []

    def measure(self, runs: int, seconds: float) -> None:
        """A chunk has come back."""
        fits = CHUNK * runs / seconds if seconds > 0 else float("inf")
        # Runs differ, and the first ones load the program: it grows by steps.
        self._size = max(1, int(min(fits, 4 * self._size, 1e6)))

    def next(self) -> tuple[int, int] | None:
        """The first run and the one behind the last."""
        if self._again:
            return self._again.pop()
        if self._next >= self._total:
            return None
        # At the end smaller ones, so that all workers are done at the same time.
        rest = self._total - self._next
        size = max(1, min(self._size, rest // self._workers))
        chunk = (self._next, self._next + size)
        self._next = chunk[1]
        return chunk

    def again(self, chunk: tuple[int, int]) -> None:
        """A chunk has not come back."""
        self._again.append(chunk)
