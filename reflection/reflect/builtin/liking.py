"""What somebody likes, where a question asks what would please them: no sentence of memory is near to that."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from banks.dates.fold import fold
from banks.words import Network
from reflection.reflect.builtin.asker import list_users
from reflection.reflect.builtin.meant import find_meant
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.referring import list_told
from reflection.reflect.builtin.repeats import leave_out_repeats
from reflection.reflect.builtin.whose import NOT_A_VERB, is_of, names_another
from reflection.reflect.types import Labelled
from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

MOST_READ = 12  # tastes that are put in the order of their nearness
ASKS = re.compile(
    r"\b(?:gifts?|presents?|hobb(?:y|ies)|interests|tastes?|fond of|favou?rites?|(?:would|might|could) please"
    r"|(?:does|do) (?!not\b)\w+(?: \w+){0,2} (?:like|love|enjoy|prefer)"
    r"|gefallen|geschenke?|schenken|hobbys?|vorlieben?|lieblings\w+"
    r"|plairait|cadeaux?|passe-temps|gustar\u00eda|regalos?|regalar|aficiones|piacerebbe|regali|regalare|presentes?)\b",
    re.IGNORECASE,
)
# Whether to do a thing is not asked for its taste; and whether a thing is liked, what tells of that thing answers.
WHETHER = re.compile(
    r"^\W*(?:should i|soll(?:te)? ich|devrais-je|dovrei|moet ik|devo"
    r"|(?:do|does|did|don['\u2019]t|doesn['\u2019]t) \w+(?: \w+){0,2}"
    r" (?:like|love|enjoy|prefer|hate|dislike) (?!to\b)\w+)\b",
    re.IGNORECASE,
)
RECOMMENDS = re.compile(
    r"\b(?:recommend|suggest|propose|pick|choose|should|(?:can|could|shall) (?:i|we))\b", re.IGNORECASE
)
ASKS_FOR_AVERSION = re.compile(
    r"\b(?:do|does|did)(?:n['\u2019]t)? \w+(?: \w+){0,2} (?:dislike|hate|detest|loathe|avoid)\b"
    r"|\b(?:(?:do|does|did|can|could|should|must) \w+(?: \w+){0,2} (?:not|never)|(?:do|does|ca|should|must)n['\u2019]t"
    r" \w+(?: \w+){0,2}|can ?not \w+(?: \w+){0,2}) (?:like|love|enjoy|stand|bear|eat|drink|have)\b",
    re.IGNORECASE,
)
NOT_TAKEN = re.compile(r"\b(?:eat|drink|avoid)\b(?<!like to eat)(?<!like to drink)", re.IGNORECASE)
OF_THE_ASKER = re.compile(r"\b(?:i|me|my|ich|mir|mich|moi|mon|ma|mes|yo|m\u00ed|mi|io|mio|mia)\b", re.IGNORECASE)
# A verb of taste in its own sense: not "looks like", "would like to ask", "like this".
LIKES = re.compile(
    r"(?<!would )(?<!'d )(?<!\u2019d )\b(?:like[sd]?(?! (?:this|that|so)\b)|love[sd]?|enjoy(?:s|ed)?|adore[sd]?"
    r"|prefer(?:s|red)?)\b"
    r"|\b(?:is|am|are|was|'s|'m|\u2019s|\u2019m) (?:\w+ )?(?:into|fond of|keen on|(?:crazy|mad|passionate) about)\b"
    r"|\b(?:fan of|favou?rite|hobby|hobbies|passion|(?:always|really) wanted|dreams? of)\b"
    r"|\b(?:liebe|liebt|mag|m\u00f6gen|bevorzugt?|schw\u00e4rmt? f\u00fcr|lieblings\w+|hobbys?)\b"
    r"|\b(?:aime|adore|pr\u00e9f\u00e8re|gusta|encanta|prefiere|prefiero|piace|piacciono|adora|adoro|preferisc[eo])\b",
    re.IGNORECASE,
)
# What somebody lives by: nothing that is recommended may go against it.
NEEDS = re.compile(
    r"\b(?:vegetarian|vegan|pescatarian|allergic to|allergy|intolerant|intolerance|diabetic|coeliac|celiac|kosher|halal"
    r"|gluten|(?:does not|doesn['\u2019]t|do not|don['\u2019]t|cannot|can['\u2019]t|never) (?:eat|drink)s?"
    r"|vegetarier(?:in)?|veganer(?:in)?|v\u00e9g\u00e9tarien(?:ne)?|vegetarian[oa])\b",
    re.IGNORECASE,
)
AVERSION = re.compile(
    r"\b(?:dislikes?|hates?|hated|detests?|loathes?|(?:can['\u2019]t|cannot) (?:stand|bear)"
    r"|(?:does not|doesn['\u2019]t|do not|don['\u2019]t|did not|didn['\u2019]t) (?:like|enjoy))\b",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"\b(?:not|never|no longer|hardly|dislikes?|hates?|nicht|kein\w*|nie|pas|jamais|nunca|non|mai)\b|n['\u2019]t\b"
    r"|\bno (?:me|le|les|te) ",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sought:
    """What a question wants to know of somebody: what he likes, can't stand, and lives by."""

    likes: bool = True
    aversions: bool = False
    needs: bool = False


def asks_for_taste(question: str) -> bool:
    if WHETHER.match(question):
        return False
    is_of_type = find_type(question, has_window=False) is QuestionType.PREFERENCE
    return is_of_type or ASKS.search(question) is not None or asks_for_aversion(question)


def asks_for_aversion(question: str) -> bool:
    """What is liked is the opposite of an answer."""
    return not WHETHER.match(question) and ASKS_FOR_AVERSION.search(question) is not None


def read_sought(question: str) -> Sought:
    """Who is to be recommended something is spared what he can't stand."""
    if asks_for_aversion(question):
        return Sought(likes=False, aversions=True, needs=NOT_TAKEN.search(question) is not None)
    recommends = RECOMMENDS.search(question) is not None
    return Sought(aversions=recommends, needs=recommends)


def find_likes(question: str, memories: Sequence[Labelled]) -> list[Piece]:
    """Of those whom the question names, in the order of the memories; of the asker where it names nobody, with what he
    lives by.

    Nobody is taken for another: "What should I give Caroline?" asks for nothing that the asker likes.
    """
    meant, sought = find_meant(question, memories), read_sought(question)
    facts = [memory for memory in memories if memory.item.candidate.network is not Network.OPINION]
    found = take_first(piece for memory in facts for piece in list_known(memory, meant.names, sought))
    if found or meant.is_sure or not OF_THE_ASKER.search(question):
        return found
    users = list_users(memories)
    if len(users) > 1:
        return []
    own = replace(sought, needs=sought.needs or sought.likes)
    return take_first(piece for memory in facts for piece in list_known_of_asker(memory, users, own))


def take_first(found: Iterator[Piece]) -> list[Piece]:
    return leave_out_repeats(list(islice(found, MOST_READ)))


def list_known(memory: Labelled, names: frozenset[str], sought: Sought, *, is_written: bool = False) -> Iterator[Piece]:
    """The first sentence that tells something of it, if any."""
    told = list_told(memory)
    known = (piece for piece, read in told if is_known_of(read, names, sought, is_written=is_written))
    yield from islice(known, 1)


def list_known_of_asker(memory: Labelled, users: frozenset[str], sought: Sought) -> Iterator[Piece]:
    """Where nobody speaks as a user, whoever wrote "I" in a text is taken for him; the agent's own doings are not."""
    candidate = memory.item.candidate
    is_written = not users and not candidate.voices and candidate.network is not Network.EXPERIENCE
    names = frozenset(fold(name).text for name in users)
    yield from list_known(memory, names, sought, is_written=is_written)


def is_known_of(piece: Piece, names: frozenset[str], sought: Sought, *, is_written: bool) -> bool:
    if piece.shown.rstrip().endswith("?"):
        return False
    wanted = (
        (sought.needs and tells_need(piece), NEEDS),
        (sought.aversions and is_aversion(piece), AVERSION),
        (sought.likes and is_liking(piece.shown), LIKES),
    )
    return any(is_told and is_of(piece, names, how, is_written=is_written) for is_told, how in wanted)


def find_whom(question: str, memories: Sequence[Labelled]) -> frozenset[str]:
    """Whose taste is asked for, folded: those whom it names, or else the asker. Empty where nobody knows."""
    meant = find_meant(question, memories)
    if meant.is_sure:
        return meant.names
    users = list_users(memories) if OF_THE_ASKER.search(question) else frozenset()
    return frozenset(fold(name).text for name in users) if len(users) == 1 else frozenset()


def is_taste_of_another(piece: Piece, whom: frozenset[str]) -> bool:
    """Somebody else is named as the one who likes it, can't stand it or lives by it."""
    told = [how for how in (AVERSION, LIKES, NEEDS) if how.search(piece.shown)]
    return (
        bool(whom and told) and not any(is_of(piece, whom, how) for how in told) and names_another(piece, whom, told[0])
    )


def is_aversion(piece: Piece) -> bool:
    return AVERSION.search(piece.shown) is not None


def tells_need(piece: Piece) -> bool:
    return NEEDS.search(piece.shown) is not None


def is_liking(sentence: str) -> bool:
    bare = NOT_A_VERB.sub(" ", sentence)
    return LIKES.search(bare) is not None and not DENIED.search(bare) and not sentence.rstrip().endswith("?")
