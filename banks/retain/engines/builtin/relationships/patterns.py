from dataclasses import dataclass

from banks.english.word_set import word_set
from banks.words import EntityKind


@dataclass(frozen=True)
class Pattern:
    """Subject, one of `words`, object: after one of `prepositions`, or the direct object where there are none.

    `is_general` leaves out an object of the moment: who loves the colour of a photo has no favourite colour.
    `begins` says that the words tell of the moment from which it holds ("moved to"), not of the state.
    `is_state` says that they tell of now: in the past tense the relation is `before`, or nothing.
    `needs_name` leaves out what is no name: who moved to a new flat may live in the same town.
    `counts_we` takes the speaker for one of those who are "we".
    """

    words: frozenset[str]
    relation: str
    wording: str
    prepositions: frozenset[str] = frozenset()
    is_value: bool = False
    is_general: bool = False
    begins: bool = False
    is_state: bool = False
    needs_name: bool = False
    counts_we: bool = False


def _pattern(words: str, prepositions: str, relation: str, wording: str, *flags: str) -> Pattern:
    return Pattern(
        words=frozenset(words.split()),
        relation=relation,
        wording=f"{{subject}} {wording} {{object}}.",
        prepositions=frozenset(prepositions.split()),
        is_value="value" in flags,
        is_general="general" in flags,
        begins="begins" in flags,
        is_state="state" in flags,
        needs_name="named" in flags,
        counts_we="we" in flags,
    )


PATTERNS = (
    _pattern("work works worked working employed", "at for", "works_at", "works at", "state"),
    _pattern("hired", "by", "works_at", "works at", "begins"),
    _pattern("work works worked working", "as", "occupation", "works as", "value", "state"),
    _pattern("joined", "", "member_of", "joined", "begins"),
    _pattern(
        "live lives lived living reside resides residing based",
        "in at",
        "lives_in",
        "lives in",
        *("state", "named", "we"),
    ),
    _pattern("moved relocated", "to into", "lives_in", "moved to", "begins", "named", "we"),
    _pattern("born", "in at", "born_in", "was born in"),
    _pattern("grew", "in at", "grew_up_in", "grew up in"),
    _pattern("am 'm m is 's are 're", "from", "comes_from", "comes from"),
    _pattern("married", "to", "married_to", "is married to", "state"),
    _pattern("married", "", "married_to", "married", "begins"),
    _pattern("engaged", "to", "engaged_to", "is engaged to", "state"),
    _pattern("dating", "", "dating", "is dating", "state"),
    _pattern("studied study studies studying enrolled", "at", "studied_at", "studied at"),
    _pattern("graduated", "from", "studied_at", "graduated from"),
    _pattern("study studies studying studied", "", "studies", "studies", "value"),
    _pattern("majoring majored major", "in", "studies", "majored in", "value"),
    _pattern("own owns owned", "", "owns", "owns", "value", "state"),
    _pattern("bought purchased adopted", "", "owns", "got", "value"),
    _pattern("allergic", "to", "allergic_to", "is allergic to", "value"),
    _pattern("speak speaks", "", "speaks", "speaks", "value"),
    _pattern("prefer prefers", "", "prefers", "prefers", "value", "general", "state"),
    _pattern("love loves like likes enjoy enjoys adore adores", "", "likes", "likes", "value", "general", "state"),
    _pattern("hate hates dislike dislikes", "", "dislikes", "dislikes", "value", "general", "state"),
    _pattern("volunteer volunteers volunteering volunteered", "at for with", "volunteers_at", "volunteers at"),
)

# What was so is told as that: it is no news about now, and takes nothing's place.
FORMER = {
    "works_at": ("worked_at", "{subject} worked at {object}."),
    "lives_in": ("lived_in", "{subject} lived in {object}."),
}

# What a relation says of its object is surer than what a recogniser guesses from the name alone.
OBJECT_KINDS = {
    **dict.fromkeys(("lives_in", "lived_in", "born_in", "grew_up_in", "comes_from"), EntityKind.LOCATION),
    **dict.fromkeys(("works_at", "worked_at", "studied_at", "volunteers_at", "member_of"), EntityKind.ORGANIZATION),
    **dict.fromkeys(("married_to", "engaged_to", "dating"), EntityKind.PERSON),
}

# Their subject is a person, whatever the tagger takes the name for.
OF_PEOPLE = frozenset({"works_at", "occupation", "profession", "lives_in", "married_to", "engaged_to", "dating"})

JOBS = word_set("job position role post internship")
TAKING = word_set("got landed started took accepted found have has 've")
# Who joins one of these is a member and no employee.
CLUBS = word_set(
    "club choir band team gym church party union society association group class league orchestra committee community",
    "forum network guild lodge troop army navy online app server channel website call meeting",
)
