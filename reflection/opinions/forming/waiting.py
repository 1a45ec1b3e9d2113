"""New opinions that wait to be stored together, seen from the next draft of the same answer."""

from collections.abc import Collection
from uuid import UUID

from reflection.opinions.forming.drafting import Draft
from reflection.opinions.forming.storing import NewOpinion
from reflection.opinions.forming.surroundings import Surroundings
from reflection.opinions.held import NEAR, HeldOpinion, list_several
from reflection.opinions.wording.sense import find_opposed, find_same, list_alike, own_words

NO_ID = UUID(int=0)  # until it is stored
ROUNDING = 0.01  # the database measures with other numbers behind the point


def touches(one: Draft, around: Surroundings, waiting: Collection[NewOpinion]) -> bool:
    """Whether the draft might settle otherwise if these were stored: it says the same as one of them, or the opposite,
    or tells of a change of mind.
    """
    text, about = one.candidate.text, around.entity_ids
    held = [as_held(new, one) for new in waiting]
    near = [other for other in held if other.cosine >= NEAR or own_words(other.text) == own_words(text)]
    same = find_same(list_alike(near, tags=around.tags), text=text, entity_ids=about)
    return bool(waiting and one.old) or same is not None or bool(find_opposed(near, text=text, entity_ids=about))


def as_held(new: NewOpinion, one: Draft) -> HeldOpinion:
    """As it will be held, and rather too near. Names that nobody is known by are looked up when it is stored: until
    then nothing is known of whom it is about, which fits everybody.
    """
    candidate, named = new.candidate, new.named
    about = () if named.called else (spoken.entity_id for spoken in named.about)
    cosine = float(one.vector @ new.vector) + ROUNDING
    names = tuple(several for spoken in named.about if (several := list_several(spoken.names)))
    return HeldOpinion(NO_ID, candidate.text, candidate.confidence, "", cosine, frozenset(about), new.tags, names)
