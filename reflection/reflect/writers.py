"""Who writes the answer: a language model, or the built-in engine where there is none or it wrote nothing."""

from collections.abc import Generator
from dataclasses import dataclass, field

from banks.models import Bank
from providers import tokens
from providers.llm.protocol import LLM
from reflection.profile import Profile
from reflection.reflect.asking import Asker
from reflection.reflect.context import build_context
from reflection.reflect.conversation import Conversation
from reflection.reflect.events import Cited, Delta, Said, Step
from reflection.reflect.extracting import NOT_IN_MEMORY, choose, tell_extract
from reflection.reflect.looking import Looker
from reflection.reflect.notes import WrittenOpinion
from reflection.reflect.prompt import build_prompt
from reflection.reflect.surroundings import find_shown_moment, read_surroundings
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import Engine, Labelled, ReflectQuery, StructuredOutput
from retrieval.threads import let_go_of_connection
from retrieval.types import Analysis

BUILTIN = "extractive"
NEEDS_MODEL = StructuredOutput(error="Structured output needs a language model, and none is configured.")


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
        return (yield from write_extract(work))
    draft = yield from write_with_model(work, llm, analysis)
    if draft.text:
        return draft
    work.trace.notes.append("The model wrote no answer; the built-in engine did.")
    return (yield from write_extract(work))


def write_with_model(work: Work, llm: LLM, analysis: Analysis) -> Generator[Step, None, Draft]:
    query, gathered = work.query, work.looker.gathered
    moment = find_shown_moment(query.recall.moment, analysis)
    around = read_surroundings(work.bank, gathered.memories, analysis.entity_ids, moment)
    context = build_context(gathered.memories, around, query.recall.asked_at.tzinfo)
    prompt = build_prompt(Profile.of(work.bank), query, context, may_look_again=query.bounds.calls > 1)
    work.trace.parts = prompt.count_parts()
    asker = Asker(llm, work.trace, streams=work.streams)
    conversation = Conversation(work.bank, query, asker, work.looker, work.trace)
    answer = yield from conversation.hold(prompt, moment)
    reply, notes = answer.reply, answer.notes
    if notes is not None and notes.opinions.unreadable:
        work.trace.notes.append(f"{notes.opinions.unreadable} opinions could not be read.")
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
        opinions=notes.opinions.read if notes is not None and query.forms_opinions else (),
    )


def write_extract(work: Work) -> Generator[Said, None, Draft]:
    query, tools = work.query, work.tools.recall
    let_go_of_connection()
    with work.trace.away():
        chosen = choose(query.recall.text, work.looker.gathered.memories, tools.reranker, tools.embedder)
    lines = tell_extract(query.recall.text, chosen, query.recall.asked_at.tzinfo)
    shown = [f"{line.text} {line.memory.mark}" if line.memory else line.text for line in lines] or [NOT_IN_MEMORY]
    for number, text in enumerate(shown):
        yield Delta(text if number == 0 else f"\n{text}")
    cited = tuple(line.memory for line in lines if line.memory)
    yield from (Cited(memory) for memory in cited)
    text = "\n".join(shown)
    structured = NEEDS_MODEL if query.response_schema is not None else StructuredOutput()
    return Draft(text, "builtin", BUILTIN, cited, not_in_memory=not lines, structured=structured)
