"""Many problems at once, on whatever runs tasks."""

from __future__ import annotations

import functools
import os
import queue
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from .horn import Problem, name_of, solve, text_of
from .result import Result

#: Is told how many problems are done, of how many.
Progress = Callable[[int, int], None]


def solve_many(
    problems: Iterable[Problem],
    *,
    executor: Optional[Executor] = None,
    progress: Union[bool, Progress, None] = None,
    return_exceptions: bool = False,
    **options: Any,
) -> List[Any]:
    """Decides problems, each like :func:`solve` does with the options, and gives their results in the same order.

    ``executor`` is any executor with the interface of ``concurrent.futures``: one of threads, one of processes, or those of
    Dask (``client.get_executor()``) and Ray, which have this interface. Without one, threads run as many problems as there
    are cores, each with ``jobs=1`` unless the options say otherwise.

    ``progress`` shows a bar on standard error, by default if that is a terminal; or it is a function that is told how many
    are done, of how many. The first exception, a :class:`ParseError` mostly, is raised and what has not begun is cancelled;
    with ``return_exceptions`` it stands in the place of the result.
    """
    given: Sequence[Problem] = list(problems)
    tell = (
        progress if callable(progress) else _Bar() if progress or (progress is None and sys.stderr.isatty()) else None
    )
    if executor is not None:
        return _run(executor, given, options, tell, return_exceptions)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        return _run(threads, given, {"jobs": 1, **options}, tell, return_exceptions)


def _run(
    executor: Executor, given: Sequence[Problem], options: Dict[str, Any], tell: Optional[Progress], keep: bool
) -> List[Any]:
    results: List[Any] = [None] * len(given)
    # The number of a problem, and the future that is done, or why the problem cannot be read.
    done: "queue.SimpleQueue[Tuple[int, Any]]" = queue.SimpleQueue()
    futures: List[Any] = []
    try:
        for number, problem in enumerate(given):
            # What cannot be read on this machine is an exception like those of solving.
            try:
                text = text_of(problem)
            except OSError as unreadable:
                done.put((number, unreadable))
                continue
            future = executor.submit(_solve_one, text, name_of(problem), options)
            futures.append(future)
            future.add_done_callback(functools.partial(_put, done, number))
        for count in range(1, len(given) + 1):
            number, ended = done.get()
            error = ended if isinstance(ended, OSError) else ended.exception()
            if error is not None and not keep:
                raise error
            results[number] = ended.result() if error is None and not isinstance(ended, OSError) else error
            if tell is not None:
                tell(count, len(given))
        return results
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _put(done: "queue.SimpleQueue[Tuple[int, Any]]", number: int, future: Any) -> None:
    done.put((number, future))


def _solve_one(text: str, name: str, options: Dict[str, Any]) -> Result:
    result = solve(text if "(" in text else text + "\n", **options)
    result._name = name
    return result


class _Bar:
    """A bar that grows, with the time that has passed and the time that is left if the rest takes as long."""

    def __init__(self, width: int = 30) -> None:
        self._width = width
        self._since = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        passed = time.monotonic() - self._since
        left = passed / done * (total - done)
        filled = self._width * done // total
        bar = "█" * filled + "·" * (self._width - filled)
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r{bar} {done}/{total}  {passed:.0f} s, about {left:.0f} s left {end}")
        sys.stderr.flush()
