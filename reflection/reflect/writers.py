"""Who writes the answer: a language model, or the built-in engine where there is none or it wrote nothing."""

from collections.abc import Generator
from dataclasses import dataclass, field

from banks.models import Bank
from providers import tokens
from providers.llm.protocol import LLM
from reflection.profile import Profile
from reflection.reflect.builtin.choosing import choose
from reflection.reflect.builtin.telling import NOT_IN_MEMORY, list_shortcomings, tell_extract
from reflection.reflect.events import Cited, Delta, Said, Step
from reflection.reflect.llm.asking import ModelCaller
from reflection.reflect.llm.context import build_context
from reflection.reflect.llm.conversation import Answer, Conversation, count_output
from reflection.reflect.llm.delimiter import draw_delimiter
from reflection.reflect.llm.notes import WrittenOpinion
from reflection.reflect.llm.prompt import Prompt, build_prompt
from reflection.reflect.llm.room import Room
from reflection.reflect.lookups.looking import Looker
from reflection.reflect.lookups.surroundings import Surroundings, find_shown_moment, read_surroundings
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import Engine, Labelled, ReflectQuery, StructuredOutput
from retrieval.types import Analysis
from tenants.transactions import let_go_of_connection

BUILTIN = "extractive"
NEEDS_MODEL = StructuredOutput(error="Structured output needs a language model, and none is configured.")
NO_MODEL_WROTE = StructuredOutput(error="Structured output needs a language model, and it wrote no answer.")


@dataclass(frozen=True)
class Draft:
    """An answer whose opinions are not formed yet."""

    text: str
    engine: Engine
    model: str
    cited: tuple[Labelled, ...]
    not_in_memory: bool
    dropped: int = 0
    truncated: bool = False
    structured: StructuredOutput = field(default_factory=StructuredOutput)
    opinions: tuple[WrittenOpinion, ...] = ()


@dataclass(frozen=True)
class Work:
    """All that a writer works with."""

    bank: Bank
    query: ReflectQuery
    tools: ReflectTools
    looker: Looker
    trace: Trace
    streams: bool


def write_answer(work: Work, analysis: Analysis) -> Generator[Step, None, Draft]:
    llm = work.tools.llm
    if llm is None:
        return (yield from write_extract(work, NEEDS_MODEL))
    draft = yield from write_with_model(work, llm, analysis)
    if draft is not None and draft.text:
        return draft
    work.trace.notes.append(
        "The model wrote no answer; the built-in engine did."
        if draft is not None
        else "The prompt has more tokens than the bound leaves: the model was not asked, the built-in engine answered."
    )
    return (yield from write_extract(work, NO_MODEL_WROTE))


def write_with_model(work: Work, llm: LLM, analysis: Analysis) -> Generator[Step, None, Draft | None]:
    """None where the bound on tokens leaves no room to ask."""
    query, gathered = work.query, work.looker.gathered
    moment = find_shown_moment(query.recall.moment, analysis)
    around = read_surroundings(work.bank, gathered.memories, analysis.entity_ids, moment, query.recall.filters)
    delimiter, room = draw_delimiter(), Room(query.bounds, work.trace)
    prompt = build_fitting_prompt(work, around, room, delimiter)
    gathered.note_read(tie.id for tie in around.ties)
    work.trace.parts = prompt.count_parts()
    caller = ModelCaller(llm, work.trace, delimiter=delimiter, streams=work.streams)
    conversation = Conversation(work.bank, query, caller, work.looker, room, work.trace)
    answer = yield from conversation.hold(prompt, moment)
    return None if answer is None else build_draft(work, llm, answer)


def build_fitting_prompt(work: Work, around: Surroundings, room: Room, delimiter: str) -> Prompt:
    """With as many of the memories, the best first, as the bound on tokens leaves room for."""
    query, memories = work.query, list(work.looker.gathered.memories)
    kept_free = room.kept_for_output(count_output(query))
    while True:
        context = build_context(memories, around, query.recall.asked_at.tzinfo)
        prompt = build_prompt(Profile.of(work.bank), query, context, delimiter=delimiter)
        over = room.count(prompt.messages) + kept_free - room.left
        if over <= 0 or not memories:
            break
        while over > 0 and memories:
            over -= memories.pop().item.tokens
    work.looker.gathered.show(memories)
    if left_out := len(work.looker.gathered) - len(memories):
        work.trace.notes.append(f"{left_out} memories were left out of the prompt: the bound on tokens holds no more.")
    return prompt


def build_draft(work: Work, llm: LLM, answer: Answer) -> Draft:
    query, gathered, reply, notes = work.query, work.looker.gathered, answer.reply, answer.notes
    if notes is not None and notes.opinions.unreadable:
        work.trace.notes.append(f"{notes.opinions.unreadable} opinions could not be read.")
    if reply.was_filtered:
        work.trace.notes.append("The answer was cut by the endpoint's content filter: it forms no opinion.")
    may_form = query.forms_opinions and not reply.was_filtered
    text = tokens.truncate(reply.text, query.answer_tokens)
    return Draft(
        text,
        "llm",
        llm.model_id,
        tuple(memory for memory in reply.cited if memory.mark in text),
        not_in_memory=not len(gathered) if notes is None or notes.in_memory is None else not notes.in_memory,
        dropped=reply.dropped,
        truncated=reply.truncated or len(text) < len(reply.text),
        structured=answer.structured,
        opinions=notes.opinions.read if notes is not None and may_form else (),
    )


def write_extract(work: Work, missing: StructuredOutput) -> Generator[Said, None, Draft]:
    """`missing` says why there is no structured output where it was asked for."""
    query, tools = work.query, work.tools.recall
    let_go_of_connection()
    with work.trace.away():
        chosen = choose(
            query.recall.text,
            work.looker.gathered.memories,
            tools.reranker,
            tools.embedder,
            asked_at=query.recall.asked_at,
            moment=query.recall.moment.as_of,
        )
    work.trace.notes += list_shortcomings(query.recall.text, chosen)
    lines = tell_extract(query.recall.text, chosen, query.recall.asked_at)
    shown = [f"{line.text} {line.memory.mark}" if line.memory else line.text for line in lines] or [NOT_IN_MEMORY]
    for number, text in enumerate(shown):
        yield Delta(text if number == 0 else f"\n{text}")
    cited = tuple(line.memory for line in lines if line.memory)
    yield from (Cited(memory) for memory in cited)
    text = "\n".join(shown)
    structured = missing if query.response_schema is not None else StructuredOutput()
    return Draft(text, "builtin", BUILTIN, cited, not_in_memory=not lines, structured=structured)
