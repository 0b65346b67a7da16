"""Makes one-line faults in C sources that clang-format has formatted: lists those that a text can have, and applies one.

Only bodies of functions are changed: tables are data, which have tests of their own.
"""
import hashlib
import re
from collections import namedtuple

# kind: a row of KINDS; line: from 1; start, end: offsets in the text; new: the replacement; what: a text for people
Fault = namedtuple("Fault", "kind line edits what key")

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OTHERS = {"&&": "||", "||": "&&", "+": "-", "-": "+", "+=": "-=", "-=": "+="}
DECLARES = re.compile(r"\s*(static |const |struct |enum |union |unsigned |char |bool |double |float |int |size_t |u?int\w*_t )")
# Without these calls a program behaves the same and only keeps more memory.
RELEASES = re.compile(r"\s*\w*(free|close|clear|unmap|release|unlock|destroy)\w*\(")


def masked(text):
    """The text with comments, strings, characters and preprocessor lines blanked, of the same length."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*'
    blank = lambda m: re.sub(r"[^\n]", "_" if m.group()[0] in "\"'" else " ", m.group())
    return re.sub(pattern, blank, text, flags=re.S | re.M)


def bodies(code):
    """(start, end) of each function's body: clang-format puts its braces at the line's beginning."""
    for m in re.finditer(r"^\{\n.*?^\}", code, re.S | re.M):
        yield m.span()


def closing(code, at):
    """The offset behind the parenthesis that closes the one at `at`; -1 none."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i + 1
    return -1


# Two that differ, as the line before has found: their order is the same with the bound and without.
ORDERS = re.compile(r" *if \((?P<a>.+) != (?P<b>.+)\)\n *return (?:(?P=a) [<>] (?P=b)|(?P=b) [<>] (?P=a))(?: \? |;)")


def relations(code):
    known = {i for m in ORDERS.finditer(code) for i in range(code.index("return", m.start()), m.end())}
    for m in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?=[ \n])", code):
        if m.start() in known:
            continue
        yield [(*m.span(), RELATIONS[m.group()])], f"{m.group()} -> {RELATIONS[m.group()]}"


def logic(code):
    for m in re.finditer(r"(?<= )(&&|\|\|)(?=[ \n])", code):
        yield [(*m.span(), OTHERS[m.group()])], f"{m.group()} -> {OTHERS[m.group()]}"
    for m in re.finditer(r"!(?=[\w(*])", code):
        yield [(*m.span(), "")], "! dropped"


def signs(code):
    for m in re.finditer(r"(?<= )(\+=|-=|\+|-)(?=[ \n])", code):
        yield [(*m.span(), OTHERS[m.group()])], f"{m.group()} -> {OTHERS[m.group()]}"
    for m in re.finditer(r"(?<=[=(,?:\[] )-(?=[\w(])|(?<=[(\[])-(?=[\w(])|(?<=return )-(?=[\w(])", code):
        yield [(*m.span(), "")], "- dropped"


def constants(code):
    for m in re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)(?=[uUlL]*\b)(?![\w]*\.)", code):
        line = code[code.rfind("\n", 0, m.start()) + 1 : m.start()]
        if re.search(r"\w\[[^][=]*$", line) and DECLARES.match(line):
            continue  # room, not a bound
        error = code[: m.start()].endswith("-") and m.group() == "1"  # any other negative number says the same
        number = int(m.group(), 0) if not re.match(r"0\d", m.group()) else int(m.group(), 8)
        for other in (0,) if error else (number + 1, number - 1) if number else (1,):
            yield [(*m.span(), str(other))], f"{m.group()} -> {other}"


def guards(code):
    """`if (...) statement;` without braces and else: as if the condition never held."""
    for m in re.finditer(r"^[ \t]+(?:for \([^\n]*\) )?if (\()", code, re.M):
        end = closing(code, m.start(1))
        rest = code[end:] if end > 0 else "{"
        statement = re.match(r"\s+(?!if |for |while |do |switch )[^{};]*;\n(?!\s*else\b)", rest)
        if statement:
            yield [(m.start(1), m.end(1), "(0 && ("), (end - 1, end, "))")], "guard dropped"


def statements(code):
    for m in re.finditer(r"^[ \t]+(?!return|goto|break|continue|case|else)([\w>.*()\[\]-]+(?:\+\+|--)|[\w>.*\[\]-]+ [+|&-]= [^;{}]*|\w+\([^;{}]*\));$",
                         code, re.M):
        if not RELEASES.match(m.group()) and not DECLARES.match(m.group()):
            kept = re.sub(r"[^\n]", "", m.group(1))  # lines keep their numbers
            yield [(*m.span(1), kept)], "statement dropped"


def arguments(code):
    """Neighbours in a call, swapped. What the compiler refuses by their types is no fault."""
    for m in re.finditer(r"\b(?!if|for|while|switch|sizeof|return)\w+(\()", code):
        end = closing(code, m.start(1))
        if end < 0 or end - m.end(1) > 300:
            continue
        if re.match(r"\w*(mem|str|strn|strcase)cmp\(", m.group()) and re.match(r" [!=]= 0\b", code[end:]):
            continue  # whether two are the same does not depend on which comes first
        parts, depth, at = [], 0, m.end(1)
        for i in range(m.end(1), end):
            depth += (code[i] in "([{") - (code[i] in ")]}")
            if (code[i] == "," and depth == 0) or i == end - 1:
                parts.append((at + len(code[at:i]) - len(code[at:i].lstrip()), i))
                at = i + 1
        for (a, b), (c, d) in zip(parts, parts[1:]):
            if "\n" not in code[a:d] and code[a:b] != code[c:d] and "_" not in (code[a], code[c]):
                yield [(a, b, (c, d)), (c, d, (a, b))], "arguments swapped"


KINDS = {"relation": relations, "logic": logic, "sign": signs, "constant": constants, "guard": guards,
         "statement": statements, "arguments": arguments}


def faults(text, path="", seed=0):
    """Every fault of a text. Its key depends on the seed and the line's text, not on where the line stands: a sample stays the
    same when something else in the file changes."""
    code, seen = masked(text), {}
    for kind, find in KINDS.items():
        for begin, end in bodies(code):
            for edits, what in find(code[begin:end]):
                edits = [(a + begin, b + begin, text[new[0] + begin : new[1] + begin] if isinstance(new, tuple) else new)
                         for a, b, new in edits]
                at = edits[0][0]
                head = text.rfind("\n", 0, at) + 1
                line = text[head : text.find("\n", at)]
                if re.match(r"\s*(assert|static_assert|_Static_assert)\b", line):
                    continue
                name = f"{seed}|{path}|{kind}|{line}|{at - head}|{edits[0][2]}"
                seen[name] = seen.get(name, 0) + 1
                key = hashlib.sha1(f"{name}|{seen[name]}".encode()).hexdigest()
                yield Fault(kind, text.count("\n", 0, at) + 1, edits, what, key)


def with_fault(text, fault):
    for start, end, new in sorted(fault.edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
