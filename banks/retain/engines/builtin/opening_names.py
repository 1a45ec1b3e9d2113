"""First names that open a sentence and that the tagger took for a common word, as it does with "Caroline"."""

from collections.abc import Iterator

from banks.english.parsed import Parsed
from banks.english.word_set import word_set
from banks.kinship import RELATIVES
from banks.retain.engines.builtin.relationships.patterns import OF_PEOPLE, PATTERNS

SUBJECTS = ("nsubj", "nsubjpass")
PERSONAL_VERBS = frozenset().union(*(pattern.words for pattern in PATTERNS if pattern.relation in OF_PEOPLE))
NO_NAMES = RELATIVES | word_set(
    "everyone everybody someone somebody anyone anybody noone nobody none nothing everything something anything half",
    "family people staff management personnel crew folks kids parents mommy daddy nan nana one neither either",
)
ADVERBS = word_set(
    "currently presently recently formerly previously originally actually really apparently usually mostly mainly",
    "primarily probably possibly temporarily permanently officially happily remotely finally eventually occasionally",
    "initially basically supposedly reportedly allegedly clearly obviously certainly simply suddenly early only",
    "generally normally typically lately namely nearly partly newly luckily sadly unfortunately fortunately",
)


def find_opening_names(parsed: Parsed) -> frozenset[str]:
    """Only where the verb takes a person, and nothing stands before it but the word and what denies or helps."""
    return frozenset(parsed.words[place].text for sentence in parsed.sentences for place in _opening(parsed, sentence))


def _opening(parsed: Parsed, sentence: range) -> Iterator[int]:
    first = parsed.words[sentence[0]]
    if not _looks_like_a_name(first.text) or sentence[0] in parsed.children:
        return
    verb = parsed.words[first.head]
    own = {first.head, *parsed.children.get(first.head, ())}
    is_personal = any(parsed.words[at].lower in PERSONAL_VERBS for at in own)
    if is_personal and _can_be_a_subject(parsed, sentence[0], verb_tag=verb.tag):
        yield sentence[0]


def _looks_like_a_name(text: str) -> bool:
    return text.istitle() and text.isalpha() and text.lower() not in NO_NAMES | ADVERBS


def _can_be_a_subject(parsed: Parsed, place: int, *, verb_tag: str) -> bool:
    """A plural does not go with "lives"; an adverb on "-ly" that leaves the verb without a subject may be Emily."""
    word = parsed.words[place]
    if word.tag == "NNS":
        return word.dep in SUBJECTS and verb_tag == "VBZ"
    if verb_tag not in {"VBZ", "VBD"}:
        return False
    if word.tag in {"NN", "JJ"}:
        return word.dep in SUBJECTS
    has_other = parsed.child(word.head, "expl", *SUBJECTS) not in {None, place}
    return word.tag in {"RB", "NNP"} and word.lower.endswith("ly") and not has_other
