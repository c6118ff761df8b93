"""What verified functions call: :func:`assume` and :func:`nondet`, and how a run is repeated with given choices."""

from __future__ import annotations

import contextlib
import random
import threading
from typing import Any, Iterable, Iterator, Optional, Type, TypeVar, cast

Choice = TypeVar("Choice", int, bool)

_local = threading.local()


class AssumptionViolated(Exception):
    """An assumption does not hold, so that this run does not count."""


class NoMoreChoices(Exception):
    """A run asks for more choices than the counterexample has."""


def assume(condition: Any) -> None:
    """Runs in which the condition does not hold do not count: they raise :class:`AssumptionViolated`."""
    if not condition:
        raise AssumptionViolated("an assumption does not hold")


def nondet(kind: Type[Choice] = cast(Any, int)) -> Choice:
    """Any integer, or with ``nondet(bool)`` any truth value. :func:`verify` considers them all; in an ordinary run it is a
    small random one."""
    choices: Optional[Iterator[Any]] = getattr(_local, "choices", None)
    if choices is None:
        return kind(random.randint(0, 1) if kind is bool else random.randint(-10, 10))
    try:
        return cast(Choice, next(choices))
    except StopIteration:
        raise NoMoreChoices("the counterexample has no further choice") from None


@contextlib.contextmanager
def choosing(choices: Iterable[Any]) -> Iterator[None]:
    """Within it, :func:`nondet` gives these values one after another."""
    before = getattr(_local, "choices", None)
    _local.choices = iter(choices)
    try:
        yield
    finally:
        _local.choices = before
