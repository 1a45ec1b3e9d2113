"""Which way of choosing suits a question to the built-in engine: most are answered by what is nearest to them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from providers.embedding.protocol import Embedder
from providers.reranking.protocol import Reranker
from reflection.reflect.builtin.asker import find_asker
from reflection.reflect.builtin.coming import put_present_first
from reflection.reflect.builtin.elapsed import ask_when
from reflection.reflect.builtin.extracting import Chosen, asks_for_count, choose_near
from reflection.reflect.builtin.former import Former, leave_out_present, read_former
from reflection.reflect.builtin.introductions import find_own_name
from reflection.reflect.builtin.kin import find_who
from reflection.reflect.builtin.liking import asks_for_taste, find_likes, find_whom, is_taste_of_another
from reflection.reflect.builtin.meant import find_meant
from reflection.reflect.builtin.repeats import leave_out_repeats
from reflection.reflect.builtin.scoring import Scorer
from reflection.reflect.builtin.tastes import ask_what_is_liked, choose_likes, leave_out_opposite, leave_out_parts
from reflection.reflect.builtin.whose import mentions
from reflection.reflect.builtin.windowed import Windowed, read_windowed
from reflection.reflect.types import Labelled


def choose(
    question: str,
    memories: Sequence[Labelled],
    reranker: Reranker,
    embedder: Embedder,
    *,
    asked_at: datetime | None = None,
    moment: datetime | None = None,
) -> Chosen:
    """The best piece of each memory that comes near enough. Without `asked_at` no time of the question is read.

    `moment` is the point in time that is asked about, where it is another.
    """
    scorer = Scorer(reranker, embedder, counts=asks_for_count(question))
    chosen = choose_fitting(question, memories, scorer, asked_at)
    present_first = put_present_first(question, chosen.evidence, chosen.nearness, moment or asked_at)
    return replace(chosen, evidence=present_first)


def choose_fitting(question: str, memories: Sequence[Labelled], scorer: Scorer, asked_at: datetime | None) -> Chosen:
    if named := find_own_name(question, memories):
        return Chosen(tuple(named))
    if relative := find_who(question, memories):
        return Chosen(tuple(relative))
    if asks_for_taste(question):
        return choose_tastes(question, memories, scorer)
    windowed = read_windowed(question, asked_at) if asked_at and not scorer.counts else None
    if windowed:
        return choose_in_window(question, windowed, memories, scorer)
    if former := read_former(question):
        return choose_former(question, former, memories, scorer)
    return choose_as_asked(question, memories, scorer)


def choose_as_asked(question: str, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    return choose_near(find_asker(ask_when(question), memories), memories, scorer)


def choose_tastes(question: str, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    """What is liked comes first. Nothing that is told of others stands beside it."""
    likes = find_likes(question, memories)
    first = [piece.memory for piece in likes]  # so that they are read, wherever recall found them
    read = [*first, *(memory for memory in memories if memory not in first)]
    near = leave_out_liked(question, choose_near(ask_what_is_liked(question, memories), read, scorer))
    near = leave_out_tastes_of_others(question, memories, near)
    liked = choose_likes(question, likes, near.nearness)
    if not liked:
        return near
    told = {piece.memory.label for piece in liked}
    others = () if near.is_unsure else (one for one in near.evidence if one.memory.label not in told)
    evidence = tuple(leave_out_parts(leave_out_repeats([*liked, *others])))
    return replace(near, evidence=evidence, is_unsure=False)


def leave_out_tastes_of_others(question: str, memories: Sequence[Labelled], near: Chosen) -> Chosen:
    """What is asked of somebody by name is told by nothing that does not name him."""
    meant, whom = find_meant(question, memories), find_whom(question, memories)
    named = [one for one in near.evidence if not meant.is_sure or mentions(one, meant.names)]
    evidence = tuple(piece for piece in named if not is_taste_of_another(piece, whom))
    return replace(near, evidence=evidence, is_unsure=near.is_unsure and bool(evidence))


def leave_out_liked(question: str, near: Chosen) -> Chosen:
    evidence = tuple(leave_out_opposite(question, near.evidence))
    return replace(near, evidence=evidence, is_unsure=near.is_unsure and bool(evidence))


def choose_former(question: str, former: Former, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    """What was so before something else: of all that was ever so, without what is so now."""
    others = [memory for memory in memories if not former.is_of_later(memory)]
    found = choose_as_asked(former.question, others, scorer)
    if not found.is_sure:
        return choose_as_asked(question, others, scorer)
    return replace(found, evidence=tuple(leave_out_present(former, found.evidence)))


def choose_in_window(question: str, windowed: Windowed, memories: Sequence[Labelled], scorer: Scorer) -> Chosen:
    """Where a question asks for nothing but a time, all of that time. What was so then is looked for without the words
    that tell the time, which no memory of it has; so is anything that nothing is near to as it is asked.
    """
    if told := windowed.list_told(memories, find_asker(question, memories)):
        return Chosen(tuple(told))
    as_asked = Chosen() if windowed.is_of_state else choose_as_asked(question, memories, scorer)
    if as_asked.is_sure:
        return as_asked
    of_then = [memory for memory in memories if windowed.is_of_then(memory)]
    found = choose_as_asked(windowed.question, of_then, scorer)
    if found.is_sure:
        return found
    return choose_as_asked(question, memories, scorer) if windowed.is_of_state else as_asked
