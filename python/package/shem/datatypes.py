"""Datatypes: sorts whose values are made by constructors."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from .sexpr import quote
from .terms import BOOL, ArraysSort, Expr, Function, Sort, applied_functions, walk


class Constructor(Function):
    """A constructor of a datatype; :attr:`selectors` give the fields back."""

    __slots__ = ("selectors",)

    def __init__(self, name: str, *sorts: Sort) -> None:
        super().__init__(name, *sorts)
        self.selectors: Tuple["Selector", ...] = ()


class Selector(Function):
    """A field of what a constructor makes."""

    __slots__ = ("constructor",)

    def __init__(self, name: str, constructor: Constructor, sort: Sort) -> None:
        super().__init__(name, constructor.range, sort)
        self.constructor = constructor


class Tester(Function):
    """Whether a value was made by a constructor."""

    __slots__ = ("constructor",)

    def __init__(self, constructor: Constructor) -> None:
        super().__init__(f"is_{constructor.name}", constructor.range, BOOL)
        self.constructor = constructor

    @property
    def smtlib_name(self) -> str:
        return f"(_ is {quote(self.constructor.name)})"


class RecursiveFunction(Function):
    """A function that is defined by recursion over a datatype: the size of a list, in models."""

    __slots__ = ("parameters", "body")

    def __init__(self, name: str, parameters: Sequence[Expr], range: Sort) -> None:
        super().__init__(name, *[parameter.sort or BOOL for parameter in parameters], range)
        self.parameters: Tuple[Expr, ...] = tuple(parameters)
        self.body: Optional[Expr] = None


class DatatypeSort(Sort):
    """A datatype. Constructors, selectors and testers are attributes: ``List.cons``, ``List.head``, ``List.is_cons``.

    A constructor without fields, ``List.nil``, is an expression; the others are functions.
    """

    __slots__ = ("constructors",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.constructors: Tuple[Constructor, ...] = ()

    def constructor_named(self, name: str) -> Constructor:
        """The constructor of this name."""
        for constructor in self.constructors:
            if constructor.name == name:
                return constructor
        raise KeyError(name)

    def functions(self) -> List[Function]:
        """Constructors, selectors and testers."""
        found: List[Function] = []
        for constructor in self.constructors:
            found += [constructor, *constructor.selectors, Tester(constructor)]
        return found

    def __getattr__(self, name: str) -> Any:
        # Pickle asks for attributes of sorts whose slots are not filled yet.
        for function in () if name.startswith("__") or name in ("name", "constructors") else self.functions():
            if function.name == name:
                return function() if isinstance(function, Constructor) and not function.sorts else function
        raise AttributeError(f"{object.__getattribute__(self, '__class__').__name__} has no {name}")

    def declaration(self) -> str:
        """The constructors, as SMT-LIB declares them."""
        parts = []
        for constructor in self.constructors:
            fields = "".join(f" ({quote(field.name)} {field.range.name})" for field in constructor.selectors)
            parts.append(f"({quote(constructor.name)}{fields})")
        return f"({' '.join(parts)})"


class Datatype:
    """Declares a datatype, as z3's class of this name does.

    >>> List = Datatype('List')
    >>> List.declare('nil')
    >>> List.declare('cons', ('head', IntSort()), ('tail', List))
    >>> List = List.create()
    >>> List.cons(1, List.nil)
    cons(1, nil)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._constructors: List[Tuple[str, Tuple[Tuple[str, Union[Sort, "Datatype"]], ...]]] = []

    def declare(self, name: str, *fields: Tuple[str, Union[Sort, "Datatype"]]) -> None:
        """Adds a constructor with fields, each a name and a sort."""
        self._constructors.append((name, fields))

    def create(self) -> DatatypeSort:
        """The datatype."""
        return CreateDatatypes(self)[0]


def CreateDatatypes(*declared: Any) -> List[DatatypeSort]:
    """Datatypes that refer to each other."""
    given: List[Datatype] = (
        list(declared[0]) if len(declared) == 1 and isinstance(declared[0], (list, tuple)) else list(declared)
    )
    sorts = {datatype.name: DatatypeSort(datatype.name) for datatype in given}
    if len(sorts) != len(given):
        raise ValueError("two of the datatypes have one name")
    for datatype in given:
        if not datatype._constructors:
            raise ValueError(f"{datatype.name} has no constructor")
        own = []
        for name, fields in datatype._constructors:
            field_sorts: List[Sort] = []
            for field, sort in fields:
                if isinstance(sort, Datatype):
                    if sort.name not in sorts:
                        raise ValueError(f"{sort.name} is not among the datatypes: create them together")
                    sort = sorts[sort.name]
                elif not isinstance(sort, Sort):
                    raise TypeError(f"{field}: {sort!r} is not a sort")
                field_sorts.append(sorts.get(sort.name, sort))
            constructor = Constructor(name, *field_sorts, sorts[datatype.name])
            constructor.selectors = tuple(
                Selector(field, constructor, sort) for (field, _), sort in zip(fields, field_sorts)
            )
            own.append(constructor)
        sorts[datatype.name].constructors = tuple(own)
    return [sorts[datatype.name] for datatype in given]


def EnumSort(name: str, values: Sequence[str]) -> Tuple[DatatypeSort, List[Expr]]:
    """A datatype of named values, and these values."""
    declared = Datatype(name)
    for value in values:
        declared.declare(value)
    sort = declared.create()
    return sort, [constructor() for constructor in sort.constructors]


def TupleSort(name: str, sorts: Sequence[Sort]) -> Tuple[DatatypeSort, Constructor, List[Selector]]:
    """A datatype of tuples, its constructor and its fields."""
    declared = Datatype(name)
    declared.declare(name, *[(f"project{number}", sort) for number, sort in enumerate(sorts)])
    sort = declared.create()
    return sort, sort.constructors[0], list(sort.constructors[0].selectors)


def datatypes_of(roots: Iterable[Expr], functions: Iterable[Function] = ()) -> List[DatatypeSort]:
    """The datatypes that expressions and functions are about, with those of their fields; a datatype whose fields
    need another one comes after it or together with it."""
    roots = list(roots)
    found: Dict[str, DatatypeSort] = {}
    stack: List[Optional[Sort]] = [term.sort for term in walk(roots)]
    stack += [variable.sort for term in walk(roots) if term.op in ("forall", "exists") for variable in term.value]
    for function in [*applied_functions(roots), *functions]:
        stack += [*function.sorts, function.range]
    while stack:
        sort = stack.pop()
        if isinstance(sort, ArraysSort):
            stack += [sort.index, sort.element]
        elif isinstance(sort, DatatypeSort) and sort.name not in found:
            found[sort.name] = sort
            for constructor in sort.constructors:
                stack += constructor.sorts
    return sorted(found.values(), key=lambda sort: sort.name)


def declare_datatypes(sorts: Sequence[DatatypeSort]) -> str:
    """The command of SMT-LIB that declares datatypes, all together; empty if there are none."""
    if not sorts:
        return ""
    names = " ".join(f"({quote(sort.name)} 0)" for sort in sorts)
    return f"(declare-datatypes ({names}) ({' '.join(sort.declaration() for sort in sorts)}))"


class DatatypeValue:
    """A value of a datatype: a constructor and the values of its fields.

    Fields are read by their numbers, ``value[0]``, and, where the datatype is known, by their names, ``value.head``.

    Attributes:
        constructor: the name of the constructor
        fields: the values of its fields
    """

    __slots__ = ("constructor", "fields", "_names", "_hash")

    def __init__(self, constructor: str, fields: Iterable[Any] = (), names: Sequence[str] = ()) -> None:
        self.constructor = constructor
        self.fields: Tuple[Any, ...] = tuple(fields)
        self._names: Tuple[str, ...] = tuple(names)
        self._hash = hash((constructor, self.fields))

    def __reduce__(self) -> Any:
        order: List[Any] = []
        numbers: Dict[int, int] = {}
        for value in reversed(list(_parts(self))):
            if id(value) not in numbers:
                fields = [
                    (True, numbers[id(field)]) if isinstance(field, DatatypeValue) else (False, field)
                    for field in value.fields
                ]
                numbers[id(value)] = len(order)
                order.append((value.constructor, fields, value._names))
        return _restored, (order,)

    def __getitem__(self, index: int) -> Any:
        return self.fields[index]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._names:
            return self.fields[self._names.index(name)]
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self.fields)

    def __eq__(self, other: object) -> bool:
        stack: List[Tuple[Any, Any]] = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if not isinstance(a, DatatypeValue) or not isinstance(b, DatatypeValue):
                if a != b:
                    return False
            elif a._hash != b._hash or a.constructor != b.constructor or len(a.fields) != len(b.fields):
                return False
            else:
                stack.extend(zip(a.fields, b.fields))
        return True

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        pieces: List[str] = []
        stack: List[Any] = [(self,)]
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                pieces.append(part)
                continue
            (value,) = part
            if not isinstance(value, DatatypeValue):
                pieces.append(str(value))
                continue
            pieces.append(value.constructor)
            if value.fields:
                stack.append(")")
                for number in range(len(value.fields) - 1, -1, -1):
                    stack.extend([(value.fields[number],), ", " if number else "("])
        return "".join(pieces)

    def to_expr(self, sort: Optional[Sort]) -> Expr:
        """The value as an expression of a datatype."""
        if not isinstance(sort, DatatypeSort):
            raise TypeError(f"{self} is a value of a datatype, not of sort {sort}")
        order: List[Tuple[DatatypeValue, DatatypeSort]] = []
        stack: List[Tuple[DatatypeValue, DatatypeSort]] = [(self, sort)]
        while stack:
            value, of = stack.pop()
            order.append((value, of))
            for field, field_sort in zip(value.fields, of.constructor_named(value.constructor).sorts):
                if isinstance(field, DatatypeValue) and isinstance(field_sort, DatatypeSort):
                    stack.append((field, field_sort))
        made: Dict[int, Expr] = {}
        for value, of in reversed(order):
            made[id(value)] = of.constructor_named(value.constructor)(*[made.get(id(f), f) for f in value.fields])
        return made[id(self)]


def _parts(root: DatatypeValue) -> Iterable[DatatypeValue]:
    """The datatype values in a value, each before its fields, as often as it occurs."""
    stack = [root]
    while stack:
        value = stack.pop()
        yield value
        stack.extend(field for field in value.fields if isinstance(field, DatatypeValue))


def _restored(order: List[Any]) -> DatatypeValue:
    made: List[DatatypeValue] = []
    for constructor, fields, names in order:
        made.append(DatatypeValue(constructor, [made[field] if is_part else field for is_part, field in fields], names))
    return made[-1]
