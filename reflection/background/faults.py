"""What is wrong with a background that a language model merged: news that it left out, news that it did not believe,
and what nobody told.

A model may put things more briefly, and in other words as far as the matter is still in them. Where that can't be seen
the answer counts as wrong: the rules have merged the same, and lose nothing but elegance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from reflection.background.builtin_merger import Clauses, drop_denied, drop_disproved, fold, settle
from reflection.background.clauses import split_clauses
from reflection.background.denials import find_denial
from reflection.background.exclusive import Values, read_values
from reflection.background.keeping import find_missing, find_untold, measure_kept, read_matter

LEAST_KEPT = 0.5  # of the words of a statement that nothing in the news takes the place of
LEAST_TOLD = 0.66  # of the words of a statement that is new: both of two, two of three
LEAST_KNOWN = 0.5  # of the words of a statement that somebody told
# Says what a value is, and is left out where that is plain: "Born in Texas, a nurse".
FRAME = read_matter(
    "born founded created native live lives living reside residing home based located moved work works working job "
    "profession occupation employed role called name named come originally turned years year old age now currently "
    "today also been since own self"
)


@dataclass(frozen=True)
class Merge:
    """`text` is what a model made of a background and of news, whose newest comes last; `name` is the agent's."""

    text: str
    background: str
    news: Sequence[str]
    name: str = ""

    @cached_property
    def clauses(self) -> Clauses:
        return split_clauses(self.text)

    @cached_property
    def matter(self) -> frozenset[str]:
        return read_matter(self.text)

    @cached_property
    def former(self) -> frozenset[str]:
        return read_matter(self.background)

    @cached_property
    def right(self) -> Clauses:
        """What should be told, by the rules."""
        return settle_all(split_clauses(self.background), self.news)

    @cached_property
    def values(self) -> Sequence[Values]:
        return list(read_values(chain.from_iterable(self.clauses)).values())


def find_fault(merge: Merge) -> str:
    """Empty where there is none."""
    if loses_background(merge):
        return "it loses what was there"
    if any(not is_told(clause, merge) for clause in list_new(merge)):
        return "it leaves news out"
    if believes_former(merge):
        return "it keeps what the news takes the place of"
    return "it tells what nobody told" if any(is_invented(clause, merge) for clause in list_all(merge.clauses)) else ""


def settle_all(clauses: Clauses, news: Sequence[str]) -> Clauses:
    """However long it becomes."""
    for text in news:
        settled = settle(clauses, text)
        clauses = settled.kept + settled.added
    return clauses


def list_all(clauses: Clauses) -> list[str]:
    return list(chain.from_iterable(clauses))


def loses_background(merge: Merge) -> bool:
    """Whether of a single statement that should stay hardly anything is left."""
    new = {fold(clause) for clause in list_all(settle_all([], merge.news))}
    kept = (read_matter(clause) for clause in list_all(merge.right) if fold(clause) not in new)
    return any(measure_kept(matter - FRAME or matter, merge.matter) < LEAST_KEPT for matter in kept)


def list_new(merge: Merge) -> list[str]:
    """Statements of the news that later ones leave. A denial that takes something away need not be told."""
    news = list_all(settle_all([], merge.news))
    before = split_clauses(merge.background)
    denials = ((clause, find_denial(clause)) for clause in news)
    return [clause for clause, denial in denials if not denial or drop_denied(before, [denial]) == before]


def is_told(statement: str, merge: Merge) -> bool:
    """By the words that are new in it, or in one sentence where none is; or as the same value of the same attribute."""
    if fold(statement) in {fold(clause) for clause in list_all(merge.clauses)}:
        return True
    matter = read_matter(statement)
    fresh = find_missing(matter - FRAME, merge.former) or find_missing(matter, merge.former)
    places = [merge.matter] if fresh else [read_matter(" ".join(sentence)) for sentence in merge.clauses]
    if any(measure_kept(fresh or matter, place) >= LEAST_TOLD for place in places):
        return True
    return any(is_valued(values, merge.values) for values in read_values([statement]).values())


def is_valued(wanted: Values, told: Sequence[Values]) -> bool:
    return bool(wanted) and all(
        any(value <= values.get(name, frozenset()) for values in told) for name, value in wanted.items()
    )


def believes_former(merge: Merge) -> bool:
    """Whether the rules would take something of it away for the same news, or it has a word of what they took away."""
    claims = [[clause for clause in sentence if find_denial(clause) is None] for sentence in merge.clauses]
    left = {fold(clause) for clause in list_all(settle_all(claims, merge.news))}
    if any(fold(clause) not in left for clause in list_all(claims)):
        return True
    if drop_disproved(merge.clauses, settle_all([], merge.news)) != merge.clauses:
        return True
    gone = merge.former - read_matter(" ".join([*list_all(merge.right), *merge.news])) - FRAME
    return not gone.isdisjoint(read_matter(" ".join(list_all(claims))))


def is_invented(clause: str, merge: Merge) -> bool:
    """Hardly a word of it, or a name or a number in it, was not told."""
    known = merge.former | read_matter(" ".join([*merge.news, merge.name])) | FRAME
    return measure_kept(read_matter(clause), known) < LEAST_KNOWN or bool(find_untold(clause, known))
