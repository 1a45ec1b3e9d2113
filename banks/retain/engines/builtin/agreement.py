"""Verbs that followed "I" or "you" and now follow a name."""

from collections.abc import Iterator

from banks.english.edits import Edit
from banks.english.parsed import Parsed, Word
from banks.english.verb_forms import third_person

AUXILIARIES = frozenset({"aux", "auxpass"})
PRESENT = frozenset({"VBP", "VB"})  # the tagger takes many a present for an infinitive
COMPLEMENTS = frozenset({"ccomp", "xcomp"})  # there an infinitive is one: "what made you pick it"
SHORT_FORMS = frozenset({"'m", "m", "'re", "re", "'ve", "ve", "'ll", "'d"})


def agree(parsed: Parsed, subject: int, *, keeps_were: bool) -> Iterator[Edit]:
    """Edits for the verb of the subject at `subject` and for the verbs that share it ("I go and see")."""
    verb = parsed.words[subject].head
    finite = _finite(parsed, verb)
    yield from _agree_one(parsed, finite, keeps_were=keeps_were)
    for joined in _sharing(parsed, verb):
        own = _finite(parsed, joined)
        governed = own == joined and finite != verb  # "I can go and see": the auxiliary serves both
        if not governed:
            yield from _agree_one(parsed, own, keeps_were=keeps_were)


def _finite(parsed: Parsed, verb: int) -> int:
    """The auxiliary that carries the person, else the verb itself."""
    auxiliaries = (at for at in parsed.children.get(verb, ()) if parsed.words[at].dep in AUXILIARIES)
    return min((at for at in auxiliaries if at < verb), default=verb)


def _sharing(parsed: Parsed, verb: int) -> Iterator[int]:
    for place in parsed.children.get(verb, ()):
        word = parsed.words[place]
        is_verb = word.dep == "conj" and word.tag in PRESENT
        if is_verb and parsed.child(place, "nsubj", "nsubjpass", "expl") is None:
            yield place
            yield from _sharing(parsed, place)


def _agree_one(parsed: Parsed, place: int, *, keeps_were: bool) -> Iterator[Edit]:
    word = parsed.words[place]
    lower = word.lower
    if lower == "were" and keeps_were:  # "if I were"
        return
    if lower == "'d":
        form = "had" if word.tag == "VBD" else "would"
    elif lower in SHORT_FORMS or lower == "were" or (word.tag in PRESENT and not _is_bare(word)):
        form = third_person(word.text)
    else:
        return
    adjoins = word.start > 0 and not parsed.text[word.start - 1].isspace()  # "I'm", "How're you"
    shown = form[:1].upper() + form[1:] if word.text[:1].isupper() else form
    yield Edit(word.start, word.end, f" {shown}" if adjoins else shown)


def _is_bare(word: Word) -> bool:
    return word.tag == "VB" and word.dep in COMPLEMENTS
