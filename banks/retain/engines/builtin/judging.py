"""What the agent believes. A recommendation is no belief but something it did for somebody: an experience."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from banks.english.parsed import Parsed
from banks.retain.engines.builtin.changed_minds import find_changed_mind
from banks.retain.engines.builtin.pronouns import OTHER_VOICES

DENIED = r"(?:(?:really |honestly |personally )?(?:don't|do not)|no longer)(?: really| actually| still)?"
# not "so", and not what was said before: "I don't believe it"
SOMETHING = r"(?!(?:so|about|of|twice|anything)\b|(?:it|this|that)(?: any ?more| any longer| either| now)?\W*$)(?=\w)"
# cue -> confidence of a plain sentence with it: taste is known to its owner, a guess is half a belief
CUES: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), confidence)
    for pattern, confidence in (
        (
            r"\bI(?:'m| am) (?:(?:quite|very|pretty) )?(?:sure|certain|convinced|confident)\b(?! if| whether)",
            0.9,
        ),
        (r"\bI (?:firmly|strongly|truly|honestly) (?:believe|think|feel|prefer)\b", 0.9),
        (r"\bI (?:much |really |always |generally |usually |personally )?(?:prefer|favou?r)\b", 0.85),
        (r"\bI(?:'d| would) (?:much )?rather\b", 0.8),
        (r"\bI (?:really |absolutely |personally )?(?:love|adore|hate|dislike|admire)\b", 0.85),
        (r"\bmy favou?rite\b", 0.85),
        (r"\bI (?:personally |really |also |still |do )?believe\b", 0.8),
        (r"\b(?:in my (?:opinion|view|experience|eyes)|to my mind|if you ask me|imo|imho)\b", 0.75),
        (r"\bI (?:personally |really |also |still |do )?(?:think|reckon)\b", 0.7),
        (rf"\bI {DENIED} (?:think|believe) {SOMETHING}", 0.7),
        (r"\bI (?:find|consider) (?:\w+ ){1,6}?(?:\w+ing|more|less|most|very|too|quite|to be)\b", 0.75),
        (r"\bI (?:personally |really )?feel (?:that|like)\b", 0.65),
        (r"\bI (?:agree|disagree)\b", 0.75),
        (r"\bI doubt\b", 0.6),
        (r"\bI (?:suspect|suppose|guess|imagine|assume)\b", 0.5),
        (r"\bI(?:'m| am) not (?:so |really )?(?:sure|certain|convinced)\b", 0.35),
        (r"\bit seems to me\b", 0.55),
    )
)
HEDGES = re.compile(
    r"\b(?:may|might|could|perhaps|maybe|possibly|probably|presumably|likely|somewhat|kind of|sort of|seems?|a bit|"
    r"I guess)\b",
    re.IGNORECASE,
)
BOOSTS = re.compile(
    r"\b(?:definitely|certainly|clearly|undoubtedly|without a doubt|by far|absolutely|no doubt)\b", re.IGNORECASE
)
OPENING = 60  # characters of a sentence in which its cue stands
PER_HEDGE, PER_BOOST = 0.12, 0.08
FLOOR, CEILING = 0.1, 0.98
# about the talk itself, or the disclaimer of a model: no judgement of the world
NO_JUDGEMENT = re.compile(
    r"\bas an? (?:ai|language model|assistant)\b"
    r"|\bI (?:think|believe|guess|suppose|assume) (?:you|I|we|there (?:was|is|may))\b"
    rf"|\bI {DENIED} (?:think|believe)(?: that)? (?:you|your|I|we|there)\b"
    r"|\bI (?:don't|do not|can't|cannot) have\b"
    r"|\bI(?:'d| would) love to\b|\bI (?:love|hate) (?:to|you)\b|\b(?:love|appreciate) (?:your|that you|how you)\b"
    r"|\bI(?:'m| am) (?:sure|confident|certain|not sure) (?:you|I|we|how|what|which|where)\b"
    r"|^(?:\w+,? ){0,2}I(?:'m| am) (?:not |un)(?:so |really |quite |entirely |too |very )?(?:sure|certain|convinced)"
    r"(?: (?:about|of) (?:it|that|this)| any ?more| yet| though| either| now)*\W*$"
    r"|^(?:\w+,? ){0,2}I (?:\w+ )?(?:think|believe|guess|suppose|assume|reckon) (?:so|not)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Judgement:
    """A sentence of the agent that holds a belief: its characters in the piece, and how firmly it is held.

    A change of mind may be two sentences, and has a `text` that tells it in one.
    """

    start: int
    end: int
    confidence: float
    text: str = ""


def find_judgements(parsed: Parsed) -> Iterator[Judgement]:
    done = 0
    for place, sentence in enumerate(parsed.sentences):
        if place < done:
            continue
        text, start = parsed.sentence_text(sentence), parsed.words[sentence[0]].start
        changed = find_change(parsed, place)
        confidence = judge_confidence(text)
        if changed is not None:
            done, judgement = changed
            yield judgement
        elif confidence is not None:
            yield Judgement(start, start + len(text.rstrip()), confidence)


def find_change(parsed: Parsed, place: int) -> tuple[int, Judgement] | None:
    """A change of mind that begins with this sentence, and the place of the sentence after it."""
    for count in (1, 2):
        sentences = parsed.sentences[place : place + count]
        said, *following = (parsed.sentence_text(sentence).strip() for sentence in sentences)
        mind = find_changed_mind(said, "".join(following)) if len(sentences) == count else None
        confidence = judge_confidence(mind.belief) if mind else None
        if mind is not None and confidence is not None:
            start, end = parsed.words[sentences[0][0]].start, parsed.words[sentences[-1][-1]].end
            return place + count, Judgement(start, end, confidence, mind.text)
    return None


def judge_confidence(sentence: str) -> float | None:
    """None where the sentence is no opinion. Several cues: the most cautious counts.

    A cue that comes late is an aside, and one in quotation marks is another's.
    """
    own = OTHER_VOICES.sub("", sentence.replace("\u2019", "'")).strip()
    if own.endswith("?") or NO_JUDGEMENT.search(own):
        return None
    found = [confidence for cue, confidence in CUES if cue.search(own[:OPENING])]
    if not found:
        return None
    hedged = min(found) - PER_HEDGE * len(HEDGES.findall(own)) + PER_BOOST * len(BOOSTS.findall(own))
    return round(min(CEILING, max(FLOOR, hedged)), 2)
