"""Mutants of a module: its source with one thing changed, by the operators of mutmut.

Mutmut's own runner cannot be used: it calls mutants through a trampoline, which numba cannot compile, changes functions only
(a limit kept in a constant is what protects), and knows no package that is imported through links.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, islice

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

# What a program does not do, or does only while it is imported: annotations, decorators, imports, and words for programmers.
_NOT_MUTATED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Assert)
_OBVIOUS_CALLS = ("len", "isinstance", "TypeVar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of a module.

    Attributes:
        module: Name of the module.
        function: Class and function that it is in, ``""`` for what is in none.
        line: Line of the change, from 1.
        before: That line, or the lines in one, without indentation.
        after: The same as it is then.
        source: Source of the whole mutated module.
    """

    module: str
    function: str
    line: int
    before: str
    after: str
    source: str


def make_mutants(module: str, source: str) -> list[Mutant]:
    """Return all mutants of a module's source that differ, in the order of their lines."""
    functions = _name_functions(source)
    mutants = [_describe(module, source, mutated, functions) for mutated in _mutate(source)]
    return sorted(mutants, key=lambda mutant: (mutant.line, mutant.after))


def _mutate(source: str) -> set[str]:
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    starts = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
    mutants = set()
    for node, changed in _change(wrapper.module):
        span = positions[node]
        begin, end = (starts[at.line - 1] + at.column for at in (span.start, span.end))
        text = wrapper.module.code_for_node(changed)
        mutants.add(source[:begin] + text + source[end:])
    return mutants - {source}


def _change(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Yield every node below that can be changed, and what it is changed to."""
    if isinstance(node, _NOT_MUTATED) or _is_obvious(node):
        return
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            changes = operator(node)
            # The case of words that people read is no behaviour: only the first mutant of a text.
            yield from ((node, changed) for changed in (islice(changes, 1) if operator is operator_string else changes))
    for child in node.children:
        yield from _change(child)


def _is_obvious(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Expr):
        return isinstance(node.value, cst.BaseString)  # a docstring
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _OBVIOUS_CALLS


def _describe(module: str, source: str, mutated: str, functions: list[str]) -> Mutant:
    # Without indentation: a call that takes several lines is laid out anew.
    before, after = ([" ".join(line.split()) for line in text.splitlines()] for text in (source, mutated))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    begin, end, begin_after, end_after = next(change[1:] for change in changes if change[0] != "equal")
    return Mutant(
        module=module,
        function=functions[min(begin, len(functions) - 1)],
        line=begin + 1,
        before=" ".join(before[begin:end]),
        after=" ".join(after[begin_after:end_after]),
        source=mutated,
    )


def _name_functions(source: str) -> list[str]:
    """Return for each line which class and function it is in."""
    names = [""] * (source.count("\n") + 1)

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                names[child.lineno - 1 : child.end_lineno] = [inner] * ((child.end_lineno or child.lineno) - child.lineno + 1)
            visit(child, inner)

    visit(ast.parse(source), "")
    return names
