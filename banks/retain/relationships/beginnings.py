"""Facts that tell nothing but a relationship are so since it is."""

from dataclasses import replace

from banks.english.word_set import word_set
from banks.lifecycle.deciding.wording import weighty_words
from banks.retain.relationships.relations import Ending, TakenBack
from banks.retain.types import ExtractedFact

LONGEST = 14  # words: what is longer tells more than a relationship
HELPING = word_set("has have had been is are")  # "Ana has been living in Porto" tells no more than "Ana lives in Porto"
MOST_OTHER_WORDS = 2  # beside the speaker's name: "Ana: Ana lives in Porto now, you know."


def with_beginning(fact: ExtractedFact) -> ExtractedFact:
    """One without a time of its own that tells nothing but what has begun was not so before."""
    if fact.occurred_start or fact.valid_from:
        return fact
    begun = [one for one in fact.relationships if one.valid_from and not isinstance(one, Ending | TakenBack)]
    agree = len({one.valid_from for one in begun}) == 1
    tells_no_more = any(is_all_it_tells(fact.text, one.text) for one in begun)
    return replace(fact, valid_from=begun[0].valid_from) if agree and tells_no_more else fact


def is_all_it_tells(text: str, relationship: str) -> bool:
    words = weighty_words(text)
    others = set(words) - set(weighty_words(relationship)) - HELPING
    return len(words) <= LONGEST and len(others) <= MOST_OTHER_WORDS
