"""What a judgement is about: its words without those that judge, frame, deny or merely stress it."""

import re
from functools import lru_cache

from banks.english.content_words import content_words
from banks.english.detection import FUNCTION_WORDS
from banks.english.word_set import word_set
from banks.lifecycle.deciding.decide import NAME
from banks.lifecycle.deciding.wording import plain, weighty_words
from reflection.opinions.wording.polarity import DENIALS

FRAMES = word_set("i think believe feel find consider reckon now still personally really that my opinion view in")
FRAME_STEMS = content_words(" ".join(sorted(FRAMES)))
# With and without them it is the same matter. Not here: how often, since when, for whom, more and less.
STRESSING = word_set(
    "very really quite so truly absolutely definitely certainly clearly simply actually indeed overall generally",
    "pretty extremely highly incredibly particularly especially thoroughly utterly just also still even again always",
    "both such person one guy anymore longer because since as been being become becomes became seem seems get gets got",
)
# Who is meant, and which way it goes: function words that are as good as names.
MEANT = {
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs"), "they"),
    **dict.fromkeys(("we", "us", "our", "ours"), "we"),
    **dict.fromkeys(("you", "your", "yours"), "you"),
    "from": "from",
}
SAYS_NOTHING = (FUNCTION_WORDS - MEANT.keys()) | FRAMES | STRESSING | DENIALS
# The frames are no FRAMES: in the midst of a sentence these words say something.
BESIDES = re.compile(
    r"\bat all\b|\bany (?:more|longer)\b(?=\W*$)|^I(?:'m| am) (?:\w+ )?(?:convinced|sure|certain|confident) (?=\w)"
    r"|^I (?:(?:really|still|very much|strongly) )?doubt (?=\w)",
    re.IGNORECASE,
)
LEAST_STEM = 3  # letters before the s of "cars": "bus" and "gas" keep theirs


@lru_cache(maxsize=2_000)  # a fact is held against each opinion near it
def list_words(text: str) -> tuple[str, ...]:
    """All of them, in their order, of nouns and verbs the form without the s."""
    return tuple(MEANT.get(word, singular(word)) for word in weighty_words(text))


def list_matter(text: str, *, judging: frozenset[str]) -> tuple[str, ...]:
    """In their order, each once. `judging` are the words that judge."""
    own = BESIDES.sub("", text.replace("\u2019", "'"))
    words = (word for word in weighty_words(own) if word not in SAYS_NOTHING and word not in judging)
    return tuple(dict.fromkeys(MEANT.get(word, singular(word)) for word in words))


def list_names(text: str) -> tuple[str, ...]:
    """Words with a capital inside a sentence, in their order, each once."""
    names = (plain(name) for name in NAME.findall(text))
    return tuple(dict.fromkeys(name for name in names if name not in FRAMES))


def singular(word: str) -> str:
    if word.endswith("ies") and len(word) > LEAST_STEM + 2:
        return f"{word[:-3]}y"
    is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > LEAST_STEM
    return word[:-1] if is_plural else word
