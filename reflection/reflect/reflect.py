"""Reflect: look up, build the prompt, answer, check the citations, form opinions."""

from collections.abc import Generator

from django.utils import timezone

from banks.models import Bank
from reflection.opinions.forming.cleaning import Refusal, describe_refused
from reflection.opinions.forming.form import Claims, form_opinions
from reflection.opinions.types import FormedOpinion
from reflection.reflect.events import Done, Event, Formed, Pause, Retrieved, Started
from reflection.reflect.llm.candidates import build_candidates, count_unknown
from reflection.reflect.lookups.looking import Looker
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import ReflectQuery, ReflectResult
from reflection.reflect.writers import BUILTIN, Draft, Work, write_answer


def reflect(bank: Bank, query: ReflectQuery, tools: ReflectTools, trace: Trace | None = None) -> ReflectResult:
    """The whole answer at once."""
    *_, last = reflect_in_steps(bank, query, tools, trace or Trace(), streams=False)
    if not isinstance(last, Done):
        raise TypeError("A reflect ends with its result.")
    return last.result


def reflect_in_steps(
    bank: Bank, query: ReflectQuery, tools: ReflectTools, trace: Trace, *, streams: bool = True
) -> Generator[Event, None, None]:
    """What happens, as it happens. Call outside transactions: none stays open while a model works.

    Opinions are formed after the whole answer was taken: who closes this earlier, or whose model breaks off, leaves
    nothing behind. Pauses let him close it while nothing is shown.
    """
    yield Started("llm", tools.llm.model_id) if tools.llm else Started("builtin", BUILTIN)
    if query.is_shortened:
        trace.notes.append(
            f"The question is very long: {len(query.recall.text)} characters of it, from its two ends, were read."
        )
    looker = Looker(bank, query, tools, trace)
    question = looker.look_first()
    yield Retrieved(looker.gathered.memories)
    draft = yield from write_answer(Work(bank, query, tools, looker, trace, streams), question.analysis)
    if query.directives and draft.engine == "builtin":
        trace.notes.append("The built-in engine can't follow directives: it repeats what memory says.")
    if draft.opinions:
        yield Pause()
    formed = form(bank, tools, draft, looker, trace)
    yield Formed(formed)
    yield Done(build_result(query, draft, formed, looker, trace))


def form(bank: Bank, tools: ReflectTools, draft: Draft, looker: Looker, trace: Trace) -> tuple[FormedOpinion, ...]:
    candidates = build_candidates(draft.opinions, looker.gathered)
    if not candidates:
        return ()
    if unknown := count_unknown(draft.opinions, looker.gathered):
        trace.notes.append(f"{unknown} references of opinions name no memory that the model was shown.")
    formation = form_opinions(
        bank,
        Claims(candidates, looker.gathered.shown, looker.question, by_tags=looker.is_by_tags),
        embedder=tools.recall.embedder,
        write=tools.write,
        actor=tools.actor,
        now=timezone.now(),
    )
    if Refusal.DELETED in formation.refused:
        trace.notes.append("Something that the model had read was deleted or reworded meanwhile: it forms no opinion.")
    if formation.refused:
        trace.notes.append(describe_refused(formation.refused))
    return formation.opinions


def build_result(
    query: ReflectQuery, draft: Draft, formed: tuple[FormedOpinion, ...], looker: Looker, trace: Trace
) -> ReflectResult:
    return ReflectResult(
        text=draft.text,
        engine=draft.engine,
        model=draft.model,
        cited=draft.cited,
        retrieved=len(looker.gathered),
        dropped_citations=draft.dropped,
        not_in_memory=draft.not_in_memory,
        truncated=draft.truncated,
        usage=trace.spent,
        trace=trace.close(),
        query_shortened=query.is_shortened,
        opinions=formed,
        structured=draft.structured,
        directives=query.directives if draft.engine == "llm" else (),
    )
