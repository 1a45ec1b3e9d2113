"""A chart parser: rules over regular expressions and over the values that other rules have found.

Rules are applied in rounds until nothing new is found, so they compose freely: "the first Monday of" and "next month"
know nothing of each other. Of two readings of the same words the first rule wins. A rule that has found some of its
parts waits where the next part must start, so no combination is tried twice.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from timewords.expressions import Value

Element = re.Pattern[str] | type[Value] | tuple[type[Value], ...]
Part = re.Match[str] | Value

MAX_ROUNDS = 6
MAX_NODES = 4000  # bounds the work on a text of nothing but time words
NODES_PER_WORD = 3  # on average; a timetable has two
_GAP = re.compile(r"\s*")
_ARTICLE = re.compile(r"\s*the\s+")  # allowed before any value


@dataclass(frozen=True, slots=True)
class Node:
    """A value found in the text. `is_latent`: it counts only as a part of a larger one, such as a bare "may" or "5"."""

    start: int
    end: int
    value: Value
    is_latent: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A sequence of patterns and values, and the function that builds a value from them.

    `build` gets a match or a value for each element, and returns None where they do not fit together. A rule that
    starts with a value has a pattern as its second element.
    """

    elements: tuple[Element, ...]
    build: Callable[..., Value | None]
    is_latent: bool = False


class Grammar:
    """Rules by the kind of their first element."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.lexical = [rule for rule in self.rules if isinstance(rule.elements[0], re.Pattern)]
        self.composed = [rule for rule in self.rules if not isinstance(rule.elements[0], re.Pattern)]
        self._by_kind: dict[type[Value], list[tuple[int, Rule]]] = {}

    def list_opened_by(self, kind: type[Value]) -> list[tuple[int, Rule]]:
        """The rules that start with a value of this kind, with their numbers."""
        if kind not in self._by_kind:
            numbered = enumerate(self.composed, start=len(self.lexical))
            self._by_kind[kind] = [(number, rule) for number, rule in numbered if _takes(rule.elements[0], kind)]
        return self._by_kind[kind]


def _takes(element: Element, kind: type[Value]) -> bool:
    return not isinstance(element, re.Pattern) and issubclass(kind, element)


def word(pattern: str) -> re.Pattern[str]:
    """A pattern that neither starts nor ends inside a word or a number."""
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")


def led_by(*words: str) -> str:
    """A lookbehind: one of these words stands before."""
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words) + ")"


def glue(pattern: str) -> re.Pattern[str]:
    """A pattern between two values; it may be empty."""
    return re.compile(pattern)


def parse(text: str, grammar: Grammar, *, most_words: int = MAX_NODES) -> list[Node]:
    """All values of a text. Only the first `most_words` matches of patterns are used."""
    chart = _Chart(text, grammar, max_nodes=min(MAX_NODES, NODES_PER_WORD * most_words))
    fresh = chart.add_all(_first_in_text(chart.read(chart.open_lexical()), most_words))
    for _ in range(MAX_ROUNDS):
        fresh = chart.add_all(chart.read([*chart.list_continued(fresh), *chart.list_opened(fresh)]))
        if not fresh:
            break
    return chart.nodes


def _first_in_text(found: list[Node], most: int) -> list[Node]:
    if len(found) <= most:
        return found
    reach = sorted(node.start for node in found)[most]
    return [node for node in found if node.start < reach]


class _Edge(NamedTuple):
    """A rule with the parts found so far, from `start` to `end`. `order` sorts the finds of a round."""

    order: tuple[int, ...]
    rule: Rule
    start: int
    end: int
    parts: tuple[Part, ...]

    @property
    def wanted(self) -> Element | None:
        """The next element; None if the rule is complete."""
        return self.rule.elements[len(self.parts)] if len(self.parts) < len(self.rule.elements) else None


class _Chart:
    """`waiting` holds unfinished rules by the place of their next value, `places` the places that follow a place."""

    def __init__(self, text: str, grammar: Grammar, *, max_nodes: int) -> None:
        self.text = text
        self.max_nodes = max_nodes
        self.grammar = grammar
        self.nodes: list[Node] = []
        self.seen: set[Node] = set()
        self.by_start: dict[int, list[int]] = {}
        self.waiting: dict[int, list[_Edge]] = {}
        self.places: dict[int, tuple[int, ...]] = {}
        self.followers: dict[tuple[int, type[Value]], list[tuple[int, Rule, re.Match[str]]]] = {}

    def add_all(self, found: list[Node]) -> range:
        """Adds the nodes that are new, and returns their numbers."""
        first = len(self.nodes)
        for node in found:
            if node in self.seen or len(self.nodes) >= self.max_nodes:
                continue
            self.seen.add(node)
            self.by_start.setdefault(node.start, []).append(len(self.nodes))
            self.nodes.append(node)
        return range(first, len(self.nodes))

    def open_lexical(self) -> list[_Edge]:
        return [
            _Edge((number, index), rule, match.start(), match.end(), (match,))
            for number, rule in enumerate(self.grammar.lexical)
            if isinstance(rule.elements[0], re.Pattern)
            for index, match in enumerate(islice(rule.elements[0].finditer(self.text), MAX_NODES))
        ]

    def list_opened(self, fresh: range) -> Iterator[_Edge]:
        """Edges of the rules that start with one of these values."""
        for index in fresh:
            node = self.nodes[index]
            for number, rule, match in self._followers(node):
                yield _Edge((number, index), rule, node.start, match.end(), (node.value, match))

    def _followers(self, node: Node) -> list[tuple[int, Rule, re.Match[str]]]:
        """The rules that a node starts, looked up once for all values of a kind that end at one place."""
        key = (node.end, type(node.value))
        if key not in self.followers:
            rules = self.grammar.list_opened_by(type(node.value))
            matches = ((number, rule, self._match(rule.elements[1], node.end)) for number, rule in rules)
            self.followers[key] = [(number, rule, match) for number, rule, match in matches if match]
        return self.followers[key]

    def list_continued(self, fresh: range) -> Iterator[_Edge]:
        """Edges of the rules that waited for one of these values."""
        for index in fresh:
            for edge in self.waiting.get(self.nodes[index].start, ()):
                yield from self._extend(edge, index)

    def read(self, edges: list[_Edge]) -> list[Node]:
        """The nodes of the rules that become complete. The other rules wait for values of later rounds."""
        found: list[tuple[tuple[int, ...], Node]] = []
        lacking: list[_Edge] = []
        while edges:
            edge = edges.pop()
            wanted = edge.wanted
            if wanted is None:
                value = edge.rule.build(*edge.parts)
                if value is not None:
                    found.append((edge.order, Node(edge.start, edge.end, value, edge.rule.is_latent)))
            elif not isinstance(wanted, re.Pattern):
                lacking.append(edge)
                edges.extend(self._with_value(edge))
            elif match := self._match(wanted, edge.end):
                edges.append(edge._replace(end=match.end(), parts=(*edge.parts, match)))
        for edge in lacking:
            for place in self._places(edge.end):
                self.waiting.setdefault(place, []).append(edge)
        return [node for _, node in sorted(found, key=lambda ordered: ordered[0])]

    def _with_value(self, edge: _Edge) -> Iterator[_Edge]:
        for place in self._places(edge.end):
            for index in self.by_start.get(place, ()):
                yield from self._extend(edge, index)

    def _extend(self, edge: _Edge, index: int) -> Iterator[_Edge]:
        """The edge with the value, if it fits. Values without an article before them come first."""
        node, wanted = self.nodes[index], edge.wanted
        if wanted is not None and not isinstance(wanted, re.Pattern) and isinstance(node.value, wanted):
            has_article = node.start != self._places(edge.end)[0]
            yield _Edge((*edge.order, has_article, index), edge.rule, edge.start, node.end, (*edge.parts, node.value))

    def _match(self, element: Element, end: int) -> re.Match[str] | None:
        return element.match(self.text, self._places(end)[0]) if isinstance(element, re.Pattern) else None

    def _places(self, end: int) -> tuple[int, ...]:
        """Where the next part may start: after the spaces, and for a value also after an article."""
        if end not in self.places:
            gap, article = _GAP.match(self.text, end), _ARTICLE.match(self.text, end)
            after_gap = gap.end() if gap else end
            self.places[end] = (after_gap, article.end()) if article else (after_gap,)
        return self.places[end]
