"""The pipeline of reflect: look up, build the prompt, answer, check the citations, form opinions."""

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils import timezone

from banks.enums import Network
from banks.models import Bank
from providers import tokens
from providers.llm.protocol import LLM
from reflection.disposition import Profile
from reflection.observations.dossiers import read_sources
from reflection.opinions.claims import CandidateOpinion, FormedOpinion, Refusal, describe_refused
from reflection.opinions.forming import Claims, FormingTools, form_opinions
from reflection.opinions.matching import OpinionMatcher
from reflection.reflect.citations import drop_marks
from reflection.reflect.context import build_context
from reflection.reflect.conversation import Conversation, ModelAnswer, ModelCaller
from reflection.reflect.delimiter import draw_delimiter
from reflection.reflect.found_memories import FoundMemories, list_references
from reflection.reflect.lookups import MemoryLookups
from reflection.reflect.notes import WrittenOpinion
from reflection.reflect.prompt import Prompt, TokenBudget, build_prompt
from reflection.reflect.standing_answers import find_standing_answers, write_standing_answers
from reflection.reflect.surroundings import Surroundings, find_shown_moment, read_surroundings
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import (
    LEAST_MEMORY_TOKENS,
    AnswerEvent,
    Cited,
    Delta,
    Done,
    Event,
    Formed,
    LabelledMemory,
    Pause,
    ReflectQuery,
    ReflectResult,
    Retrieved,
    StandingAnswer,
    Started,
    StructuredOutput,
    TextEvent,
)
from retrieval.types import Analysis
from tenants.transactions import tenant_transaction


def form_noted_opinions(
    bank: Bank, tools: ReflectTools, written: Sequence[WrittenOpinion], lookups: MemoryLookups, trace: Trace
) -> tuple[FormedOpinion, ...]:
    """Call outside of transactions."""
    if not written or tools.llm is None:
        return ()
    found, asked = lookups.found, lookups.query.recall
    named = [[memory for one in opinion.evidence for memory in find_evidence(one, found)] for opinion in written]
    if unknown := sum(memories.count(None) for memories in named):
        trace.notes.append(f"{unknown} references of opinions name no memory that the model was shown.")
    candidates = list(map(build_candidate, written, named))
    formation = form_opinions(
        bank,
        Claims(candidates, found.read_texts, asked.text, by_tags=asked.filters.are_by_tags),
        FormingTools(OpinionMatcher(tools.llm), tools.recall.embedder, tools.write),
        actor=tools.actor,
        now=timezone.now(),
    )
    trace.spent += formation.usage
    if Refusal.DELETED in formation.refused:
        trace.notes.append("A memory that the model had read was deleted or reworded meanwhile: no opinion is formed.")
    if formation.refused:
        trace.notes.append(describe_refused(formation.refused))
    return formation.opinions


def build_candidate(written: WrittenOpinion, evidence: Iterable[LabelledMemory | None]) -> CandidateOpinion:
    """The opinion without citation marks, with the ids of its evidence. Forming decides which evidence counts."""
    return CandidateOpinion(
        text=drop_marks(written.text),
        confidence=written.confidence,
        reasoning=drop_marks(written.reasoning),
        evidence_ids=tuple(dict.fromkeys(memory.id for memory in evidence if memory is not None)),
        entities=tuple(written.entities),
    )


def find_evidence(reference: int | str, found: FoundMemories) -> list[LabelledMemory | None]:
    """One memory, or several for a text such as "1-3"; None for each that was not shown."""
    text = str(reference).strip("[]\u3010\u3011 ")
    return [found.find_shown(one) for one in list_references(text) or [text]]


SHARE_OF_A_STANDING_ANSWER = 8  # an eighth of the prompt's tokens
EXTRACTIVE = "extractive"  # the built-in engine's name in place of a model's
NEEDS_MODEL = StructuredOutput(error="Structured output needs a language model, and none is configured.")
NO_MODEL_ANSWER = StructuredOutput(error="Structured output needs a language model, and it wrote no answer.")


@dataclass(frozen=True)
class Draft:
    """An answer, and the opinions that the model noted with it."""

    result: ReflectResult
    opinions: tuple[WrittenOpinion, ...] = ()


@dataclass(frozen=True)
class ReflectTask:
    """One question with the tools, the look-ups and the trace of its answer."""

    bank: Bank
    query: ReflectQuery
    tools: ReflectTools
    lookups: MemoryLookups
    trace: Trace
    streams: bool


def reflect(bank: Bank, query: ReflectQuery, tools: ReflectTools, trace: Trace | None = None) -> ReflectResult:
    """The whole answer at once."""
    *_, last = reflect_in_steps(bank, query, tools, trace or Trace(), streams=False)
    if not isinstance(last, Done):
        raise TypeError("A reflect ends with its result.")
    return last.result


def reflect_in_steps(
    bank: Bank, query: ReflectQuery, tools: ReflectTools, trace: Trace, *, streams: bool = True
) -> Generator[Event, None, None]:
    """The events of an answer, as they happen. Call outside transactions: none stays open while a model works.

    Opinions are formed after the whole answer. A caller that closes the generator earlier, and a model that breaks
    off, leave nothing stored. Pauses let the caller close it while there is no text to show.
    """
    yield Started("llm", tools.llm.model_id) if tools.llm else Started("builtin", EXTRACTIVE)
    if query.is_shortened:
        trace.notes.append(
            f"The question is very long: {len(query.recall.text)} characters of it, from its two ends, were read."
        )
    lookups = MemoryLookups(bank, query, tools, trace)
    question = lookups.recall_question()
    yield Retrieved(lookups.found.memories)
    draft = yield from write_answer(ReflectTask(bank, query, tools, lookups, trace, streams), question.analysis)
    result = draft.result
    if query.directives and result.engine == "builtin":
        trace.notes.append("The built-in engine can't follow directives: it quotes memories.")
    if draft.opinions:
        yield Pause()
    formed = form_noted_opinions(bank, tools, draft.opinions, lookups, trace)
    yield Formed(formed)
    whole = replace(result, opinions=formed, query_shortened=query.is_shortened, retrieved=len(lookups.found))
    trace.read = tuple(memory.label for memory in lookups.found.shown)
    trace.close()
    yield Done(replace(whole, usage=trace.spent, trace=trace))


def write_answer(task: ReflectTask, analysis: Analysis) -> Generator[AnswerEvent, None, Draft]:
    """By the model. Without one, or if it wrote nothing, the answer is extractive."""
    llm = task.tools.llm
    if llm is None:
        return (yield from stream_extractive_answer(task, NEEDS_MODEL))
    draft = yield from write_with_model(task, llm, analysis)
    if draft is not None and draft.result.text:
        return draft
    task.trace.notes.append(
        "The model wrote no answer; the built-in engine did."
        if draft is not None
        else "The prompt has more tokens than the bound leaves: the model was not asked, the built-in engine answered."
    )
    return (yield from stream_extractive_answer(task, NO_MODEL_ANSWER))


def write_with_model(task: ReflectTask, llm: LLM, analysis: Analysis) -> Generator[AnswerEvent, None, Draft | None]:
    """None if the bound on tokens leaves no room for a call."""
    query, found = task.query, task.lookups.found
    moment = find_shown_moment(query.recall.moment, analysis)
    around = read_surroundings(task.bank, found.memories, analysis.entity_ids, moment, query.recall.filters)
    standing = find_standing_answers(task.bank, query, analysis.vector, task.tools.recall.embedder)
    delimiter, budget = draw_delimiter(), TokenBudget(query.bounds, task.trace)
    prompt = build_fitting_prompt(task, around, standing, budget, delimiter)
    found.note_read(one.id for one in around.relationships)
    found.note_read(source_id for one in standing for source_id in one.source_ids)
    task.trace.parts, task.trace.prompt = prompt.count_parts(), tuple(prompt.messages)
    caller = ModelCaller(llm, task.trace, delimiter=delimiter, streams=task.streams)
    conversation = Conversation(task.bank, query, caller, task.lookups, budget, task.trace)
    answer = yield from conversation.run(prompt, moment)
    if answer is None:
        return None
    draft = build_draft(task, llm, answer)
    return replace(draft, result=replace(draft.result, mental_models=standing))


def build_fitting_prompt(
    task: ReflectTask,
    around: Surroundings,
    standing: Sequence[StandingAnswer],
    budget: TokenBudget,
    delimiter: str,
) -> Prompt:
    """With as many memories, the best first, as the bound on tokens has room for."""
    query, found = task.query, task.lookups.found
    memories = drop_covered_observations(task.bank, found.memories)
    reserved = budget.reserve_output(query.output_tokens)
    profile = query.profile or Profile.of(task.bank)
    empty = budget.count(build_prompt(profile, query, {}, delimiter=delimiter).messages)
    longest = query.bounds.prompt_tokens and max(query.bounds.prompt_tokens, empty + LEAST_MEMORY_TOKENS)
    zone = query.recall.asked_at.tzinfo
    most = (longest or query.bounds.tokens) // SHARE_OF_A_STANDING_ANSWER
    first = {"mental_models": write_standing_answers(standing, zone, max_tokens=most)} if standing else {}

    def build(count: int) -> tuple[Prompt, bool]:
        """The prompt with the first memories, and whether it fits."""
        context = first | build_context(memories[:count], around, zone)
        prompt = build_prompt(profile, query, context, delimiter=delimiter)
        asked = budget.count(prompt.messages)
        return prompt, asked + reserved <= budget.left and (not longest or asked <= longest)

    prompt, fits = build(len(memories))
    if not fits:
        del memories[find_most(len(memories), lambda count: build(count)[1]) :]
        prompt, _ = build(len(memories))
    found.note_shown(memories)
    if left_out := len(found) - len(memories):
        task.trace.notes.append(
            f"{left_out} memories were left out of the prompt: they repeat others, or have no room."
        )
    return prompt


def find_most(count: int, fits: Callable[[int], bool]) -> int:
    """The largest number below `count` that fits, or 0. If a number fits, each smaller one does."""
    return max(0, bisect_left(range(count), True, key=lambda one: not fits(one)) - 1)


def drop_covered_observations(bank: Bank, memories: Sequence[LabelledMemory]) -> list[LabelledMemory]:
    """Without the observations whose facts are all among the memories: they would say the same a second time."""
    observations = [one.id for one in memories if one.item.candidate.network is Network.OBSERVATION]
    if not observations:
        return list(memories)
    with tenant_transaction(bank.tenant_id):
        sources = read_sources(bank, observations)
    found = {memory.id for memory in memories}
    covered = {one for one in observations if sources[one] and found.issuperset(sources[one])}
    return [memory for memory in memories if memory.id not in covered]


def build_draft(task: ReflectTask, llm: LLM, answer: ModelAnswer) -> Draft:
    reply, checked = answer
    query, notes = task.query, checked.notes
    if notes is not None and notes.opinions.unreadable:
        task.trace.notes.append(f"{notes.opinions.unreadable} opinions could not be read.")
    if reply.was_filtered:
        task.trace.notes.append("The answer was cut by the endpoint's content filter: it forms no opinion.")
    may_form = query.forms_opinions and not reply.was_filtered
    in_memory = None if notes is None else notes.in_memory
    text = tokens.truncate(reply.text, query.answer_tokens)
    result = ReflectResult(
        text,
        "llm",
        llm.model_id,
        tuple(memory for memory in reply.cited if memory.mark in text),
        not_in_memory=not len(task.lookups.found) if in_memory is None else not in_memory,
        dropped_citations=reply.dropped,
        truncated=reply.truncated or len(text) < len(reply.text),
        structured=checked.structured,
        directives=query.directives,
    )
    return Draft(result, notes.opinions.items if notes is not None and may_form else ())


def stream_extractive_answer(task: ReflectTask, missing: StructuredOutput) -> Generator[TextEvent, None, Draft]:
    """`missing` gives the reason for the missing structured output, if the caller asked for one."""
    query, tools = task.query, task.tools
    answer = tools.answer_writer(task.lookups.found.memories, query, model_failed=tools.llm is not None)
    unsent = answer.heading
    for quote in answer.quotes:
        yield Delta(f"{unsent}\n{quote.text}")
        yield Cited(quote.memory)
        unsent = ""
    if unsent:
        yield Delta(unsent)
    result = ReflectResult(
        answer.text,
        "builtin",
        EXTRACTIVE,
        tuple(quote.memory for quote in answer.quotes),
        not_in_memory=answer.nothing_found,
        truncated=answer.truncated,
        structured=missing if query.response_schema is not None else StructuredOutput(),
    )
    return Draft(result)
