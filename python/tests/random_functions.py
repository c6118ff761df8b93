"""Random functions for @verify: small ones that always end, over everything that is supported."""

from __future__ import annotations

import random
from typing import List


class Generator:
    """Writes functions. All variables have a value from the beginning, so that every statement may use them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fuel = 0
        self.has_list = False
        self.callees: List[str] = []

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def integer(self, depth: int = 2) -> str:
        kind = self.random.randrange(14) if depth > 0 else self.random.randrange(3)
        if kind == 0:
            return str(self.random.randint(-4, 4))
        if kind < 3:
            return self.pick("a", "b", "x", "y", "a", "b", "x", "y", "c", "d")
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        if kind < 7:
            return f"({left} {self.pick('+', '-', '+', '-')} {right})"
        if kind == 7:
            return f"({self.random.randint(-3, 3)} * {left})"
        if kind == 8:
            return f"({left} {self.pick('//', '%')} {self.pick('2', '3', '-2', '-3')})"
        if kind == 9 and self.random.random() < 0.3:
            return f"({left} {self.pick('//', '%')} {right})"
        if kind == 10:
            return f"({left} if {self.boolean(depth - 1)} else {right})"
        if kind == 11:
            return self.pick(f"abs({left})", f"min({left}, {right})", f"max({left}, {right})", f"({left} or {right})")
        if kind == 12 and self.has_list:
            return self.pick("len(items)", f"items[{left}]", "items[-1]", "items[0]")
        if kind == 13 and self.callees:
            if self.has_list and "h" in self.callees and self.random.random() < 0.5:
                return self.pick(f"h(items, {left})", f"h(v={left}, items=items)")
            return f"g({left}, {right})" if "g" in self.callees else left
        return self.pick(f"-{left}", f"~({left} + 0)", f"+{left}")

    def boolean(self, depth: int = 2) -> str:
        kind = self.random.randrange(8) if depth > 0 else 0
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        compare = lambda: self.pick("<", "<=", ">", ">=", "==", "!=")  # noqa: E731
        if kind < 3:
            return f"({left} {compare()} {right})"
        if kind == 3:
            return f"({left} {compare()} {right} {compare()} {self.integer(depth - 1)})"
        if kind == 4:
            return f"(not {self.boolean(depth - 1)})"
        if kind == 5:
            return self.pick("c", "(x == y)", "bool(x)", f"({self.boolean(depth - 1)} ^ c)", "d == c", "d < 1")
        return f"({self.boolean(depth - 1)} {self.pick('and', 'or')} {self.boolean(depth - 1)})"

    def block(self, depth: int, indent: str, in_loop: bool) -> List[str]:
        lines: List[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, indent, in_loop)
        return lines

    def statement(self, depth: int, indent: str, in_loop: bool) -> List[str]:
        kind = self.random.randrange(20)
        deeper = indent + "    "
        if kind < 4:
            return [f"{indent}{self.pick('x', 'y')} = {self.integer()}"]
        if kind == 4:
            return [f"{indent}{self.pick('x', 'y', 'a')} {self.pick('+=', '-=')} {self.integer(1)}"]
        if kind == 5:
            return [f"{indent}x, y = {self.integer(1)}, {self.integer(1)}"]
        if kind == 6:
            return [f"{indent}x = {self.pick('nondet()', 'y + nondet()', 'nondet() - nondet()')}"]
        if kind == 7:
            return [f"{indent}c = {self.pick(self.boolean(), 'nondet(bool)')}"]
        if kind == 8:
            return [f"{indent}assert {self.pick(self.boolean(), 'x >= y or x <= y', 'x == y or x != y or c')}"]
        if kind == 9:
            return [f"{indent}assume({self.boolean(1)})"]
        if kind == 10 and self.has_list:
            index = self.integer(1)
            return [
                f"{indent}"
                + self.pick(
                    f"items[{index}] = {self.integer(1)}",
                    f"items.append({self.integer(1)})",
                    f"items[{index}] += {self.integer(1)}",
                    "x = items.pop()",
                    "items[0], items[-1] = items[-1], items[0]",
                )
            ]
        if kind == 11 and in_loop:
            return [f"{indent}if {self.boolean(1)}:", f"{deeper}{self.pick('break', 'continue')}"]
        if kind == 12 and self.random.random() < 0.3:
            return [f"{indent}if {self.boolean(1)}:", f"{deeper}return {self.integer(1)}"]
        if kind == 18:
            return [f"{indent}{self.pick('d = d + c', 'd = c', 'x = c', 'd = x > y and c', 'c = not d', 'x = d or y')}"]
        if depth == 0:
            return [f"{indent}x += 1"]
        if kind == 19 and self.has_list:
            shorter = f"{deeper}if len(items) > 5:", f"{deeper}    break"
            return [f"{indent}for y in items:", *shorter, *self.block(depth - 1, deeper, True)]
        if kind < 15:
            lines = [f"{indent}if {self.boolean()}:", *self.block(depth - 1, deeper, in_loop)]
            if self.random.random() < 0.5:
                lines += [f"{indent}else:", *self.block(depth - 1, deeper, in_loop)]
            return lines
        if kind == 15:
            # A counter of its own ends the loop.
            self.fuel += 1
            counter = f"k{self.fuel}"
            lines = [
                f"{indent}{counter} = 0",
                f"{indent}while {counter} < {self.random.randint(1, 3)} and {self.boolean(1)}:",
            ]
            lines += [f"{deeper}{counter} += 1", *self.block(depth - 1, deeper, True)]
        else:
            self.fuel += 1
            start, stop = self.random.randint(-2, 2), self.random.randint(-2, 3)
            step = self.pick("", "", ", 2", ", -1", ", -2")
            over = self.pick(f"range({start}, {stop}{step})", f"range(min(x, 3), {stop}{step or ', 1'})")
            if "x" in over:
                over = f"range(max(min(x, 3), -3), {stop}{step or ', 1'})"
            lines = [f"{indent}for {self.pick(f'i{self.fuel}', 'x')} in {over}:", *self.block(depth - 1, deeper, True)]
        if self.random.random() < 0.3:
            lines += [f"{indent}else:", *self.block(depth - 1, deeper, in_loop)]
        return lines

    def function(self, name: str) -> str:
        parameters = "a: int, b: int" + (", c: bool" if name == "f" else "")
        parameters += ", items: list[int]" if self.has_list else ""
        lines = ["@verify", f"def {name}({parameters}) -> int:", "    x = 0", "    y = a", "    d = False"]
        if name == "g":
            lines.append("    c = a > b")
            if self.random.random() < 0.4:
                lines += ["    if 0 < a < 4:", f"        x = {name}(a - 1, b) + 1"]
        lines += self.block(2, "    ", False)
        lines += [f"    assert {self.boolean()}" for _ in range(self.random.randint(0, 1))]
        return "\n".join([*lines, f"    return {self.pick('x', 'y', 'x + y')}"]) + "\n"

    def module(self) -> str:
        """A module with a function ``f``, and perhaps functions ``g`` and ``h`` that it calls."""
        parts = ["from __future__ import annotations\n\nfrom shem import assume, nondet, verify\n"]
        callees = []
        if self.random.random() < 0.4:
            parts.append(self.function("g"))
            callees.append("g")
        self.has_list = self.random.random() < 0.3
        if self.has_list and self.random.random() < 0.5:
            change = self.pick(
                "items.append(v)", "items[0] = v", "x = items.pop() - v", "items[-1] -= v", "v += len(items)"
            )
            body = [
                "    x = v",
                f"    if {self.pick('v > 1', 'len(items) > 2', 'nondet(bool)', 'items')}:",
                f"        {change}",
            ]
            parts.append(
                "\n".join(["@verify", "def h(items: list[int], v: int) -> int:", *body, "    return x + v"]) + "\n"
            )
            callees.append("h")
        self.callees = callees
        parts.append(self.function("f"))
        return "\n\n".join(parts)
