"""Texts in SMT-LIB, in pieces: no code is shared with Shem."""
import re

TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||\(|\)|[^\s()|";]+')
SORTS = ("define-sort", "declare-sort", "declare-datatype", "declare-datatypes")
DEFINITIONS = (*SORTS, "define-fun", "define-fun-rec", "define-funs-rec", "define-const")


def expressions(text):
    """The expressions at the top of a text, each as a piece of the text."""
    depth, start, found = 0, None, []
    for match in TOKEN.finditer(text):
        piece = match.group()
        if piece.startswith(";"):
            continue
        if depth == 0:
            start = match.start()
        depth += (piece == "(") - (piece == ")")
        if depth == 0:
            found.append(text[start:match.end()])
    if depth:
        raise ValueError("parentheses do not match")
    return found


def parts(expression):
    """The expressions inside the parentheses of another one."""
    return expressions(expression.strip()[1:-1])


def head(command):
    """The first word of a command, or nothing."""
    found = re.match(r"\(\s*([\w-]+)", command)
    return found.group(1) if found else ""


def name(command):
    """The symbol that a declaration or definition is about."""
    return re.match(r"\(\s*[\w-]+\s+(\|[^|]*\||[^\s()]+)", command).group(1).strip("|")


def is_horn(text):
    return re.search(r"\(\s*set-logic\s+HORN\s*\)", text) is not None


def statuses(text):
    """The answers that a script says it has."""
    return re.findall(r"\(\s*set-info\s+:status\s+(sat|unsat)\s*\)", text)


def model_question(script, model):
    """A text that has no model if the printed model is right: its definitions, and the negation of all clauses.

    That is what the judges of the model track of CHC-COMP do.
    """
    definitions = expressions(model)
    if len(definitions) == 1 and not head(definitions[0]):
        definitions = parts(definitions[0])
    # Functions that the definitions of predicates use.
    helpers = [definition for definition in definitions if head(definition).endswith("-rec")]
    defined = {name(definition): definition for definition in definitions if definition not in helpers}
    lines, clauses = [], []
    for command in expressions(script):
        if head(command) == "declare-fun":
            lines += helpers
            helpers = []
            if name(command) in defined:
                lines.append(defined.pop(name(command)))
            elif re.search(r"\bBool\s*\)\s*$", command):
                raise ValueError(f"there is no definition of {name(command)}")
            else:
                # A function or constant that no clause may use.
                lines.append(command)
        elif head(command) == "assert":
            clauses.append(re.match(r"\(\s*assert\s+(.*)\)\s*$", command, re.S).group(1))
        elif head(command) in DEFINITIONS:
            lines.append(command)
    if defined:
        raise ValueError(f"definitions of what nobody declared: {sorted(defined)}")
    return "\n".join([*lines, "(assert (not (and true " + "\n".join(clauses) + ")))\n(check-sat)\n"])
