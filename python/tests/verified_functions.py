"""Twenty functions for test_verify: ten of which no run fails, ten of which some run does.

They stand in a file of their own because their lines are part of what is tested.
"""

from __future__ import annotations

import shem
from shem import assume, nondet, verify

# -- right


@verify
def double(n: int) -> int:
    assume(n >= 0)
    x = y = 0
    while x < n:
        x += 1
        y += 2
    assert y == 2 * n
    return y


@verify
def total_of_range(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    else:
        assert total >= 0
    return total


@verify
def mccarthy(n: int) -> int:
    if n > 100:
        return n - 10
    result = mccarthy(mccarthy(n + 11))
    assert result == 91
    return result


@verify
def floor_division(a: int, positive: bool) -> None:
    if positive:
        assert 0 <= a % 3 < 3 and a == 3 * (a // 3) + a % 3
    else:
        assert -3 < a % -3 <= 0 and a == -3 * (a // -3) + a % -3
    assert a >> 1 == a // 2 and ~a == -a - 1 and -7 // 2 == -4 and -7 % -2 == -1


@verify
def short_circuit(a: int, b: int) -> int:
    if b != 0 and a // b > 1 or b == 0:
        return 0 if b == 0 else a % b
    assert b != 0
    return 1


@verify
def countdown(n: int) -> None:
    assume(n > 0)
    steps = 0
    for i in range(n, 0, -1):
        assert 0 < i <= n
        i = -5
        steps += 1
    assert steps == n


@verify
def fill(n: int) -> list[int]:
    items = [0] * n
    for i in range(len(items)):
        items[i] = 7
        assert items[i] == 7 and items[i - len(items)] == 7
    return items


@verify
def lock() -> None:
    locked = False
    tries = nondet()
    while tries > 0:
        assert not locked
        locked = True
        if nondet(bool):
            tries -= 1
        locked = False
        if tries == 3:
            continue
        if nondet() == 0:
            break
    else:
        assert tries <= 0
    assert not locked


@verify
def absolute(x: int) -> int:
    return x if x >= 0 else -x


@verify
def distance(a: int, b: int) -> int:
    d = absolute(a - b)
    assert d >= 0 and (d == a - b or d == b - a)
    return max(d, abs(b - a), True)


RIGHT = [
    double, total_of_range, mccarthy, floor_division, short_circuit, countdown, fill, lock, absolute, distance,
]  # fmt: skip

# -- wrong


@verify
def off_by_one(n: int) -> int:
    assume(n >= 0)
    x = 0
    while x <= n:
        x += 1
    assert x == n
    return x


@verify
def c_division(a: int) -> None:
    # It holds in C, where the quotient is rounded to zero.
    assert a // 2 == -(-a // 2)


@verify
def remainder(a: int) -> int:
    assume(a < 0)
    assert a % -3 >= 0
    return a


@verify
def past_the_end(items: list[int]) -> int:
    total = 0
    for i in range(len(items) + 1):
        total += items[i]
    return total


@verify
def wraps(items: list[int], i: int) -> int:
    assume(len(items) == 3 and i < 3)
    return items[i]


@verify
def zero(a: int, b: int) -> int:
    while a > 0 and a // (b - a) < 5:
        a -= 1
    return a


@verify
def chosen(n: int) -> int:
    x = 0
    for _ in range(3):
        step = shem.nondet()
        assume(0 <= step <= 5)
        x += step
        if nondet(bool):
            x += 1
    assert x != 18, f"x is {x}"
    return x


@verify
def ladder(n: int) -> int:
    if n <= 0:
        return 0
    return ladder(n - 1) + 2


@verify
def climbs(n: int) -> None:
    height = ladder(n)
    assert height < 10


@verify
def inverse(x: int) -> int:
    return 100 // x


@verify
def caller(x: int) -> int:
    y = inverse(x) if x > 5 else 0
    return y + inverse(x + 3)


@verify
def endless_range(step: int) -> int:
    count = 0
    for i in range(10, 0, step):
        count += 1
        if count > 2:
            break
    return count


WRONG = {
    off_by_one: "AssertionError",
    c_division: "AssertionError",
    remainder: "AssertionError",
    past_the_end: "IndexError",
    wraps: "IndexError",
    zero: "ZeroDivisionError",
    chosen: "AssertionError",
    climbs: "AssertionError",
    caller: "ZeroDivisionError",
    endless_range: "ValueError",
}
