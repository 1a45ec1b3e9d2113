"""The extractive answer: the best memories, quoted with their dates and cited. It needs no language model.

    No language model is configured. These memories match the question best:
    - “Caroline: I picked up my new bike yesterday.” (said Monday, May 4, 2026; event: Sunday, May 3, 2026) [1]

The writer reads no meaning out of the question: recall has found and ordered the memories.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from itertools import islice

from banks.enums import Network
from providers import tokens
from reflection.reflect.dates import describe_day, describe_edge, describe_occurrence
from reflection.reflect.tools import ExtractiveAnswer, Quote
from reflection.reflect.types import LabelledMemory, ReflectQuery
from retrieval.types import Candidate

NO_MODEL = "No language model is configured. These memories match the question best:"
NO_MODEL_ANSWER = "The language model wrote no answer. These memories match the question best:"
NOTHING_FOUND = "No memory matches the question."
CUT = " …"
MOST_QUOTE_TOKENS = 400  # about one chunk of the archive
LEAST_QUOTE_TOKENS = 8  # a shorter quotation says nothing
LEAST_REPEATED = 20  # characters; a shorter text stands in many chunks by chance
TIME_LABELS: Mapping[Network | None, str] = {
    None: "written",  # a chunk of the archive
    Network.OPINION: "opinion of",
    Network.OBSERVATION: "summary of",
}


def write_extractive_answer(
    memories: Sequence[LabelledMemory], query: ReflectQuery, *, model_failed: bool
) -> ExtractiveAnswer:
    """An `AnswerWriter`. The text has at most `query.answer_tokens` tokens; the first quotation is cut to fit."""
    chosen = list(islice(drop_repeats(memories), query.bounds.quotes))
    if not chosen:
        return ExtractiveAnswer(tokens.truncate(NOTHING_FOUND, query.answer_tokens), nothing_found=True)
    heading = NO_MODEL_ANSWER if model_failed else NO_MODEL
    zone = query.recall.asked_at.tzinfo
    answer = ExtractiveAnswer(heading)
    for memory in chosen:
        quote = Quote(write_quote(memory, shorten(memory.item.text.strip(), MOST_QUOTE_TOKENS), zone), memory)
        longer = ExtractiveAnswer(heading, (*answer.quotes, quote))
        if tokens.count(longer.text) > query.answer_tokens:
            fitting = replace(answer, truncated=True)
            return fitting if fitting.quotes else cut_to_fit(heading, memory, zone, query.answer_tokens)
        answer = longer
    return answer


def drop_repeats(memories: Iterable[LabelledMemory]) -> Iterator[LabelledMemory]:
    """Each text once, and no chunk that contains a memory which is quoted before it."""
    texts: set[str] = set()
    words: list[str] = []
    for memory in memories:
        text = fold(memory.item.text)
        is_chunk = memory.item.candidate.kind == "chunk"
        if text in texts or (is_chunk and any(one in text for one in words)):
            continue
        texts.add(text)
        if len(said := fold(drop_speaker(memory))) >= LEAST_REPEATED:
            words.append(said)
        yield memory


def drop_speaker(memory: LabelledMemory) -> str:
    text = memory.item.text
    prefixes = (f"{voice.name}: " for voice in memory.item.candidate.voices)
    return next((text.removeprefix(prefix) for prefix in prefixes if text.startswith(prefix)), text)


def fold(text: str) -> str:
    return " ".join(text.casefold().split())


def shorten(words: str, most: int) -> str:
    """The beginning that has at most `most` tokens, the sign of the cut included."""
    if tokens.count(words) <= most:
        return words
    kept = tokens.truncate(words, most - tokens.count(CUT))
    return kept.rstrip() + CUT


def write_quote(memory: LabelledMemory, words: str, zone: tzinfo | None) -> str:
    """One item of a list; further lines of the words are indented."""
    indented = "\n  ".join(words.splitlines())
    return f"- “{indented}” ({'; '.join(describe_times(memory.item.candidate, zone))}) {memory.mark}"


def describe_times(candidate: Candidate, zone: tzinfo | None) -> Iterator[str]:
    day = describe_day(candidate.mentioned_at, zone)
    yield f"{TIME_LABELS.get(candidate.network, 'said')} {day}"
    if (event := describe_occurrence(candidate, zone)) and event != day:
        yield f"event: {event}"
    if candidate.confidence is not None:
        yield f"confidence {candidate.confidence:.2f}"
    if candidate.valid_until:
        yield f"valid until {describe_edge(candidate.valid_until, candidate, zone)}"
    elif candidate.expired_at:
        yield f"expired {describe_day(candidate.expired_at, zone)}"


def cut_to_fit(heading: str, memory: LabelledMemory, zone: tzinfo | None, most: int) -> ExtractiveAnswer:
    """The heading and the beginning of one memory; the heading alone where a quotation has no room."""
    words = memory.item.text.strip()
    room = most - tokens.count(ExtractiveAnswer(heading, (Quote(write_quote(memory, "", zone), memory),)).text)
    while room >= LEAST_QUOTE_TOKENS:
        quote = Quote(write_quote(memory, shorten(words, room), zone), memory)
        answer = ExtractiveAnswer(heading, (quote,), truncated=True)
        if (over := tokens.count(answer.text) - most) <= 0:
            return answer
        room -= over
    return ExtractiveAnswer(tokens.truncate(heading, most), truncated=True)
