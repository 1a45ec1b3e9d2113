"""What somebody likes, where a question asks what would please them: no sentence of memory is near to that."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from banks.dates.fold import fold
from banks.words import Network
from reflection.reflect.asker import list_users
from reflection.reflect.pieces import Piece, cut_sentences
from reflection.reflect.relatives import ANIMALS, CHILDREN, RELATIVES
from reflection.reflect.repeats import leave_out_repeats
from reflection.reflect.types import Labelled
from retrieval.query.names import is_capitalised, list_phrases
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
    r"|(?:do|does|did) \w+(?: \w+){0,2} (?:like|love|enjoy|prefer) (?!to\b)\w+)\b",
    re.IGNORECASE,
)
RECOMMENDS = re.compile(r"\b(?:recommend|suggest|propose|pick|choose|should)\b", re.IGNORECASE)
# A request begins with a verb, whose capital makes no name of it.
REQUEST = re.compile(
    r"^\W*(?:please )?(?:advise|choose|find|give|help|list|name|pick|plan|propose|recommend|show|suggest|tell"
    r"|empfiehl|nenne?|schlage?|recommande[sz]?|propose[sz]?|recomi\u00e9nda(?:me)?|sugi\u00e9re(?:me)?|consiglia(?:mi)?)\b",
    re.IGNORECASE,
)
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
NOT_A_VERB = re.compile(
    r"\bwould have (?:loved|liked|enjoyed|preferred)\b"
    r"|\b(?:looks?|sounds?|feels?|seems?|smells?|tastes?|is|was|are|were|just|more|much|something|anything|nothing|things)"
    r" like\b|\bin love\b",
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
# As the subject: before the verb, or in it.
FIRST_PERSON = re.compile(
    r"(?<!\w)(?:i|my|ich|mein\w*|mir|je|j|mon|ma|mes|io|mio|mia)(?!\w)|\bm[ei]\s*\Z", re.IGNORECASE
)
FIRST_PERSON_VERB = re.compile(r"^\W*(?:adoro|prefiero|preferisco|amo)\b", re.IGNORECASE)
NAME = re.compile(r"(?<!\w)[A-Z\u00c0-\u00de]\w+")
PRONOUN = re.compile(r"\b(?:s?he|they|sie|er|elle|il|ella|\u00e9l)\b", re.IGNORECASE)
COMPANION = re.compile(r"\A (?:and|und|et|y|e) [A-Z\u00c0-\u00de]\w*")  # of whom the same is said
THEIRS = re.compile(rf"\A(?:['\u2019]s?)? (?:\w+ ){{0,2}}(?:{RELATIVES}|{CHILDREN}|{ANIMALS})s?\b", re.IGNORECASE)
OTHER_SUBJECT = re.compile(rf"{PRONOUN.pattern}|(?<!\w)(?-i:[A-Z\u00c0-\u00de])\w*|[;:]", re.IGNORECASE)


def asks_for_taste(question: str) -> bool:
    if WHETHER.match(question):
        return False
    return find_type(question, has_window=False) is QuestionType.PREFERENCE or ASKS.search(question) is not None


def find_likes(question: str, memories: Sequence[Labelled]) -> list[Piece]:
    """Of those whom the question names, in the order of the memories; of the asker where it names nobody, with what he
    lives by. Who is to be recommended something is spared what he can't stand.

    Nobody is taken for another: "What should I give Caroline?" asks for nothing that the asker likes.
    """
    phrases = list(list_phrases(REQUEST.sub("", question)))
    capitalised = [phrase for phrase in phrases if is_capitalised(phrase)]
    spares = RECOMMENDS.search(question) is not None
    names = frozenset(fold(phrase).text for phrase in capitalised or phrases)
    facts = [memory for memory in memories if memory.item.candidate.network is not Network.OPINION]
    found = take_first(piece for memory in facts for piece in list_likes(memory, names, spares=spares))
    if found or capitalised or not OF_THE_ASKER.search(question):
        return found
    users = list_users(memories)
    if len(users) > 1:
        return []
    return take_first(piece for memory in facts for piece in list_known_of_asker(memory, users, spares=spares))


def take_first(found: Iterator[Piece]) -> list[Piece]:
    return leave_out_repeats(list(islice(found, MOST_READ)))


def list_likes(memory: Labelled, names: frozenset[str], *, spares: bool) -> Iterator[Piece]:
    """The first sentence that tells a liking, if any."""
    told = cut_sentences(memory, memory.item.text.strip())
    yield from islice((piece for piece in told if is_taste_of(piece, names, spares=spares)), 1)


def list_known_of_asker(memory: Labelled, users: frozenset[str], *, spares: bool) -> Iterator[Piece]:
    """The first sentence by which something can be recommended, if any. Where nobody speaks as a user, whoever wrote
    "I" in a text is taken for him; the agent's own doings are not.
    """
    names = frozenset(fold(name).text for name in users)
    candidate = memory.item.candidate
    is_written = not users and not candidate.voices and candidate.network is not Network.EXPERIENCE
    told = cut_sentences(memory, memory.item.text.strip())
    known = (piece for piece in told if is_known_of(piece, names, is_written=is_written, spares=spares))
    yield from islice(known, 1)


def is_known_of(piece: Piece, names: frozenset[str], *, is_written: bool, spares: bool) -> bool:
    needs = tells_need(piece) and is_of(piece, names, NEEDS, is_written=is_written)
    return needs or is_taste_of(piece, names, is_written=is_written, spares=spares)


def is_taste_of(piece: Piece, names: frozenset[str], *, is_written: bool = False, spares: bool) -> bool:
    if spares and is_aversion(piece) and is_of(piece, names, AVERSION, is_written=is_written):
        return not piece.shown.rstrip().endswith("?")
    return is_liking(piece.shown) and is_of(piece, names, LIKES, is_written=is_written)


def is_aversion(piece: Piece) -> bool:
    return AVERSION.search(piece.shown) is not None


def tells_need(piece: Piece) -> bool:
    return NEEDS.search(piece.shown) is not None


def is_liking(sentence: str) -> bool:
    bare = NOT_A_VERB.sub(" ", sentence)
    return LIKES.search(bare) is not None and not DENIED.search(bare) and not sentence.rstrip().endswith("?")


def is_of(piece: Piece, names: frozenset[str], told: re.Pattern[str], *, is_written: bool = False) -> bool:
    """Somebody named is its subject, or says it of himself. `told` is what is said of him."""
    voices = piece.memory.item.candidate.voices
    said = next((f"{one.name}: " for one in voices if piece.shown.startswith(f"{one.name}: ")), "")
    sentence = NOT_A_VERB.sub(" ", piece.shown.removeprefix(said))
    before = told.split(sentence, maxsplit=1)[0]
    if any(is_subject(name, before) for name in names):
        return True
    return is_of_speaker(sentence, before) and (is_written or any(is_named(voice.name, names) for voice in voices))


def is_of_speaker(sentence: str, before: str) -> bool:
    found = list(FIRST_PERSON.finditer(before))
    if not found:
        return FIRST_PERSON_VERB.match(sentence) is not None
    after = before[found[-1].end() :]
    return OTHER_SUBJECT.search(after) is None and THEIRS.match(after) is None


def is_subject(name: str, before: str) -> bool:
    """Whether the words before the verb are about the one of that name, with nobody else between."""
    folded = fold(before)
    found = list(re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded.text))
    if not found:
        return False
    between = before[folded.span(*found[-1].span())[1] :]
    if found[-1].start() == 0:
        between = COMPANION.sub("", between)
    if THEIRS.match(between):
        return False
    others = [word for word in NAME.findall(before) if fold(word).text not in name]
    return OTHER_SUBJECT.search(between) is None or (PRONOUN.search(between) is not None and not others)


def is_named(voice: str, names: frozenset[str]) -> bool:
    own = fold(voice).text
    return own in names or not names.isdisjoint(own.split())
