"""Filters of memories, for lists and deletions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Literal
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from banks.errors import EntityNotFound, EpisodeNotFound
from banks.folding import fold_case, fold_characters
from banks.models import (
    Bank,
    Corpus,
    Entity,
    Episode,
    MemoryUnit,
    Mention,
    PostingBlock,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from banks.models.unit import UnitQuerySet
from banks.text_index.lexemes import EXACT, extract_lexemes
from banks.text_index.read import CorpusView, choose_postings, read_views
from retrieval.filters.types import TagMatch

MOST_FOUND = 10_000  # texts that a search by words looks at
MOST_TYPED = 2_000  # the same while somebody types, who waits for every letter
MOST_BEGINNINGS = 50  # words that a word which is being typed stands for
SHORTEST_BEGINNING = 2  # characters
MOST_READ = 100_000  # texts that a search by letters reads through

State = Literal["current", "superseded", "all"]


@dataclass(frozen=True)
class Span:
    """[start, end) of one time column, open where None."""

    field: str
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True)
class MemoryFilter:
    """Every condition must hold; an empty one lets all pass."""

    words: str = ""  # a unit must have each of them, in whichever form
    is_typed: bool = False  # the last word may be the beginning of a longer one
    letters: str = ""  # that its text or context holds, in capitals or not
    network: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"
    metadata: tuple[tuple[str, str], ...] = ()  # each key with its value
    entity_id: UUID | None = None
    document_id: str = ""
    chunk_id: UUID | None = None
    episode_id: UUID | None = None
    thread: str = ""
    spans: tuple[Span, ...] = field(default_factory=tuple)
    state: State = "current"
    as_of: datetime | None = None
    known_at: datetime | None = None


def find_units(bank: Bank, wanted: MemoryFilter) -> UnitQuerySet:
    """Call inside a tenant transaction."""
    units = select_state(MemoryUnit.objects.of_bank(bank), wanted)
    if wanted.network:
        units = units.filter(network=wanted.network)
    if wanted.kind:
        units = units.filter(kind=wanted.kind)
    if wanted.words:
        units = units.filter(number__in=find_numbers(bank, wanted.words, is_typed=wanted.is_typed))
    if wanted.letters:
        units = select_containing(bank, units, wanted.letters)
    for span in wanted.spans:
        units = select_span(units, span)
    if wanted.tags or wanted.tags_match == "exact":
        units = select_tagged(bank, units, wanted)
    for key, value in wanted.metadata:
        rows = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, key=key, value=value)
        units = units.filter(id__in=rows.values("unit_id"))
    if wanted.entity_id:
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=wanted.entity_id)
        units = units.filter(id__in=mentions.values("unit_id"))
    if wanted.document_id or wanted.chunk_id or wanted.episode_id or wanted.thread:
        units = units.filter(id__in=find_filtered_sources(bank, wanted).values("unit_id"))
    return units


def find_numbers(bank: Bank, words: str, *, corpus: Corpus = Corpus.UNIT, is_typed: bool = False) -> list[int]:
    """The texts that have every word, by the index; the newest of them where they are very many."""
    begun = find_beginnings(bank, corpus, words) if is_typed else frozenset()
    *whole, last = words.split() if begun else (words, "")
    lexemes = {lexeme for lexeme in extract_lexemes(" ".join(whole).casefold()) if not lexeme.startswith(EXACT)}
    begun |= frozenset(extract_lexemes(last.casefold()))
    if not lexemes | begun:
        return []
    view = read_views(bank, [corpus], sorted(lexemes | begun)).get(corpus, CorpusView())
    found = {
        lexeme: set(choose_postings(view.holders[lexeme], with_retired=True)["number"].tolist())
        for lexeme in lexemes | begun
    }
    held = [found[lexeme] for lexeme in lexemes] + ([set().union(*(found[one] for one in begun))] if begun else [])
    return sorted(set.intersection(*held), reverse=True)[: MOST_TYPED if is_typed else MOST_FOUND]


def find_beginnings(bank: Bank, corpus: Corpus, words: str) -> frozenset[str]:
    """Indexed words that begin with the last word. Empty if that word is finished by a space, or short."""
    typed = "" if words[-1:].isspace() else words.rpartition(" ")[2]
    last = fold_case(fold_characters(typed))
    if len(last) < SHORTEST_BEGINNING:
        return frozenset()
    rows = PostingBlock.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus, lexeme__gte=last)
    following = rows.order_by("lexeme").values_list("lexeme", flat=True).distinct()[:MOST_BEGINNINGS]
    return frozenset(takewhile(lambda lexeme: lexeme.startswith(last), following))


def select_containing(bank: Bank, units: UnitQuerySet, letters: str) -> UnitQuerySet:
    """No index knows them, so only the newest texts are read through."""
    newest = MemoryUnit.objects.of_bank(bank).aggregate(newest=Max("number"))["newest"] or 0
    held = Q(text__icontains=letters) | Q(context__icontains=letters)
    return units.filter(held, number__gt=newest - MOST_READ)


def select_state(units: UnitQuerySet, wanted: MemoryFilter) -> UnitQuerySet:
    """A moment that is asked for decides by itself what was held then."""
    if wanted.as_of is not None:
        return select_true_at(units, wanted.as_of, known_at=wanted.known_at)
    if wanted.known_at is not None:
        return units.known_at(wanted.known_at)
    if wanted.state == "all":
        return units
    return units.current() if wanted.state == "current" else units.exclude(expired_at=None)


def select_true_at(units: UnitQuerySet, moment: datetime, *, known_at: datetime | None) -> UnitQuerySet:
    """Units that were true at `moment`. A closing after `known_at` was not known then."""
    if known_at is None:
        return units.true_at(moment)
    begun = Q(valid_from=None) | Q(valid_from__lte=moment)
    closed_later = Q(expired_at__gt=known_at)
    not_over = Q(valid_until=None) | Q(valid_until__gt=moment)
    was_true = not_over & ~Q(close_reason=MemoryUnit.CloseReason.CORRECTION)
    return units.filter(begun, closed_later | was_true, recorded_at__lte=known_at)


def select_span(units: UnitQuerySet, span: Span) -> UnitQuerySet:
    if span.start is not None:
        units = units.filter(**{f"{span.field}__gte": span.start})
    if span.end is not None:
        units = units.filter(**{f"{span.field}__lt": span.end})
    return units


def select_tagged(bank: Bank, units: UnitQuerySet, wanted: MemoryFilter) -> UnitQuerySet:
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    every = set(wanted.tags)
    if wanted.tags_match in {"any", "any_strict"}:
        matching = Q(id__in=rows.filter(tag__in=every).values("unit_id"))
    else:
        matching = Q()
        for tag in sorted(every):
            matching &= Q(id__in=rows.filter(tag=tag).values("unit_id"))
    if wanted.tags_match == "exact":
        units = units.exclude(id__in=rows.exclude(tag__in=every).values("unit_id"))
    if wanted.tags_match in {"any", "all"}:
        matching |= ~Q(id__in=rows.values("unit_id"))
    return units.filter(matching)


def find_filtered_sources(bank: Bank, wanted: MemoryFilter) -> QuerySet[UnitSource]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    if wanted.document_id:
        sources = sources.filter(chunk__document__bank=bank, chunk__document__document_id=wanted.document_id)
    if wanted.chunk_id:
        sources = sources.filter(chunk_id=wanted.chunk_id)
    if wanted.episode_id:
        sources = sources.filter(message__bank=bank, message__episode_id=wanted.episode_id)
    if wanted.thread:
        sources = sources.filter(message__bank=bank, message__thread=wanted.thread)
    return sources


def check_entities(bank: Bank, ids: Iterable[UUID | None]) -> None:
    """Raises EntityNotFound for the first that the bank has not. Call inside a tenant transaction, as the next."""
    for entity_id in filter(None, ids):
        if not Entity.objects.of_bank(bank).filter(id=entity_id).exists():
            raise EntityNotFound(entity_id)


def check_episode(bank: Bank, episode_id: UUID | None) -> None:
    if episode_id and not Episode.objects.for_tenant(bank.tenant_id).filter(bank=bank, id=episode_id).exists():
        raise EpisodeNotFound(episode_id)
