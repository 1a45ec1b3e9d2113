"""A small chart parser: rules over regular expressions and over what other rules have found.

Every rule is tried on every position until nothing new is found, so rules need no order and compose freely:
"the first Monday of" meets "next month" without either knowing the other. Where two readings cover the same words,
the one that was found first stands, so a rule for a whole beats one that puts it together.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from banks.dates.expressions.when import Value

Element = re.Pattern[str] | type[Value] | tuple[type[Value], ...]
Part = re.Match[str] | Value

MAX_ROUNDS = 6
MAX_NODES = 4000  # a text of nothing but time words stays bounded
_GAP = re.compile(r"\s*")
_ARTICLE = re.compile(r"\s*the\s+")  # may stand before any value


@dataclass(frozen=True, slots=True)
class Node:
    """`is_latent`: means time only as a part of something larger, such as a bare "may" or "5"."""

    start: int
    end: int
    value: Value
    is_latent: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """`build` gets a match or a value for each element, and says None where they do not fit together."""

    elements: tuple[Element, ...]
    build: Callable[..., Value | None]
    is_latent: bool = False


class Grammar:
    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.lexical = [rule for rule in self.rules if isinstance(rule.elements[0], re.Pattern)]
        self.composed = [rule for rule in self.rules if not isinstance(rule.elements[0], re.Pattern)]


@dataclass(slots=True)
class Chart:
    """`frontier`: nodes from this index on are of the last round; a round looks for what they bring."""

    text: str
    nodes: list[Node] = field(default_factory=list)
    by_start: dict[int, list[tuple[int, Node]]] = field(default_factory=dict)
    seen: set[Node] = field(default_factory=set)
    frontier: int = 0

    def add_all(self, found: list[Node]) -> bool:
        """Whether any was new."""
        self.frontier = len(self.nodes)
        for node in found:
            if node in self.seen or len(self.nodes) >= MAX_NODES:
                continue
            self.seen.add(node)
            self.by_start.setdefault(node.start, []).append((len(self.nodes), node))
            self.nodes.append(node)
        return len(self.nodes) > self.frontier


def word(pattern: str) -> re.Pattern[str]:
    """A pattern that neither starts nor ends inside a word or a number."""
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")


def led_by(*words: str) -> str:
    """A look behind: one of these words stands before."""
    return f"(?:{'|'.join(f'(?<={word} )' for word in words)})"


def glue(pattern: str) -> re.Pattern[str]:
    """A pattern between two values; it may be empty."""
    return re.compile(pattern)


def parse(text: str, grammar: Grammar) -> list[Node]:
    chart = Chart(text)
    openings = [(rule, list(_openings(rule, text))) for rule in grammar.lexical]
    openings = [(rule, matches) for rule, matches in openings if matches]
    chart.add_all([node for rule, matches in openings for node in _lexical(rule, chart, matches, is_first=True)])
    composable = [(rule, matches) for rule, matches in openings if _holds_value(rule)]
    for _ in range(MAX_ROUNDS):
        found = [node for rule, matches in composable for node in _lexical(rule, chart, matches, is_first=False)]
        found += [node for rule in grammar.composed for node in _composed(rule, chart)]
        if not chart.add_all(found):
            break
    return chart.nodes


def _openings(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    first = rule.elements[0]
    if isinstance(first, re.Pattern):
        yield from islice(first.finditer(text), MAX_NODES)


def _holds_value(rule: Rule) -> bool:
    return any(not isinstance(element, re.Pattern) for element in rule.elements)


def _lexical(rule: Rule, chart: Chart, matches: list[re.Match[str]], *, is_first: bool) -> Iterator[Node]:
    for match in matches:
        yield from _complete(rule, chart, match.start(), match.end(), match, is_fresh=is_first)


def _composed(rule: Rule, chart: Chart) -> Iterator[Node]:
    kind = rule.elements[0]
    for index, node in enumerate(chart.nodes):
        if not isinstance(kind, re.Pattern) and isinstance(node.value, kind):
            yield from _complete(rule, chart, node.start, node.end, node.value, is_fresh=index >= chart.frontier)


def _complete(rule: Rule, chart: Chart, start: int, end: int, head: Part, *, is_fresh: bool) -> Iterator[Node]:
    for stop, parts in _continue(rule.elements[1:], chart, end, (head,), is_fresh=is_fresh):
        value = rule.build(*parts)
        if value is not None:
            yield Node(start, stop, value, rule.is_latent)


def _continue(
    elements: tuple[Element, ...], chart: Chart, position: int, parts: tuple[Part, ...], *, is_fresh: bool
) -> Iterator[tuple[int, tuple[Part, ...]]]:
    if not elements:
        if is_fresh:
            yield position, parts
        return
    for end, part, is_new in _candidates(elements[0], chart, position):
        yield from _continue(elements[1:], chart, end, (*parts, part), is_fresh=is_fresh or is_new)


def _candidates(element: Element, chart: Chart, position: int) -> Iterator[tuple[int, Part, bool]]:
    gap = _GAP.match(chart.text, position)
    after_gap = gap.end() if gap else position
    if isinstance(element, re.Pattern):
        match = element.match(chart.text, after_gap)
        if match:
            yield match.end(), match, False
        return
    article = _ARTICLE.match(chart.text, position)
    for start in (after_gap, article.end() if article else -1):
        for index, node in chart.by_start.get(start, ()):
            if isinstance(node.value, element):
                yield node.end, node.value, index >= chart.frontier
