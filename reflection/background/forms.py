"""The forms in which somebody tells what there can be only one of."""

import re
from dataclasses import dataclass, replace

from banks.english.word_set import word_set
from reflection.background.parts import BEGAN, MONTHS, NUMBERS

SELF = r"^(?:(?:now|today|currently|nowadays|these days|recently),? )?i (?:(?:have|now|currently|just|recently|then) )*"
PLACES = frozenset({"GPE", "LOC", "FAC"})
PEOPLE = frozenset({"PERSON"})
EMPLOYERS = frozenset({"ORG", "PERSON", "GPE", "PRODUCT", "FAC", "WORK_OF_ART", "LOC", ""})
FIELDS = word_set(
    "tech technology it ai software medicine healthcare care finance banking insurance accounting consulting law",
    "marketing advertising sales retail hospitality tourism education teaching academia research science",
    "engineering construction manufacturing logistics agriculture farming forestry fishing mining energy aviation",
    "transport politics government administration media journalism publishing television film music theatre",
    "theater entertainment fashion design architecture estate pharma biotech biology chemistry physics psychology",
    "nursing cybersecurity robotics telecommunications recruiting hr resources gaming sports catering gastronomy",
    "automotive aerospace",
)
# What somebody may be for a living, in its last word: "a father" or "a vegan" is beside that.
ROLES = word_set(
    "accountant actor actress agent analyst architect artist assistant astronaut attorney author baker banker",
    "barber barista bartender biologist bookkeeper broker builder butcher captain carer caretaker carpenter cashier",
    "chef chemist cleaner clerk coach composer conductor consultant cook counsellor counselor courier dancer",
    "dentist designer detective developer diplomat director doctor driver economist editor electrician engineer",
    "farmer firefighter fisherman florist gardener geologist guard guide hairdresser historian illustrator",
    "inspector instructor interpreter janitor journalist judge laborer labourer lawyer lecturer librarian manager",
    "mathematician mayor mechanic midwife musician novelist nurse officer operator optician painter paramedic",
    "pharmacist photographer physician physicist physiotherapist pilot plumber poet policeman policewoman",
    "politician porter postman potter producer professor programmer psychiatrist psychologist publisher",
    "receptionist reporter researcher sailor salesman salesperson saleswoman scientist sculptor secretary singer",
    "soldier solicitor strategist surgeon surveyor tailor teacher technician therapist trader trainer translator",
    "tutor vet veterinarian waiter waitress welder writer",
)
AS_A_PASTIME = r"(?:much |far |very |really )?(?:better|worse|good|great|bad|keen|passionate|hobby|amateur) "


@dataclass(frozen=True)
class Form:
    """`is_named`: the value is a name, or says what kind with an article where `takes_article`. `needs_now`: only with
    a word for that it is so by now does it take another's place.

    `labels` are what the parser has to take the value for, where the verb alone does not tell; "" is for nothing.
    """

    attribute: str
    pattern: re.Pattern[str]
    is_named: bool = False
    takes_article: bool = False
    labels: frozenset[str] = frozenset()
    needs_now: bool = False


def build(attribute: str, pattern: str) -> Form:
    return Form(attribute, re.compile(pattern, re.IGNORECASE))


def build_named(attribute: str, pattern: str, labels: frozenset[str] = frozenset()) -> Form:
    return replace(build(attribute, pattern), is_named=True, labels=labels)


FORMS = (
    build_named("name", r"^my (?:full |first |real )?name is (?P<value>.+)$"),
    build_named("name", rf"{SELF}am (?:called|named) (?P<value>.+)$"),
    build("birth year", rf"{SELF}was born (?:in (?:the year )?|on )(?P<value>\d{{4}})(?:$|-\d)"),
    build("birth year", rf"{SELF}was (?:{BEGAN}) in (?:the year )?(?P<value>\d{{4}})$"),
    build("birthday", rf"{SELF}was born on \d{{4}}-(?P<value>\d\d-\d\d)$"),
    build("birthday", rf"{SELF}was born (?:on|in) (?:the )?(?P<value>(?:\d+\w* (?:of )?)?(?:{MONTHS})\b.*)$"),
    build_named("birthplace", rf"{SELF}was born in (?!(?:{MONTHS})\b)(?P<value>.+)$"),
    build_named("origin", rf"{SELF}(?:come from|am (?:originally )?from) (?P<value>.+)$"),
    build("age", rf"{SELF}am (?P<value>\d{{1,3}})(?: years? old| years of age)?$"),
    build("age", rf"{SELF}turned (?P<value>\d{{1,3}})(?: (?:in|on|last|this|yesterday|years old)\b.*)?$"),
    build_named("home", rf"{SELF}(?:live|reside|am living|am based|am located) in (?P<value>.+)$"),
    build_named("home", rf"{SELF}(?:moved|relocated) (?:from .+? )?(?:back )?to (?P<value>.+)$", PLACES),
    replace(build_named("profession", rf"{SELF}work as (?!a team\b)(?P<value>.+)$"), takes_article=True),
    build("profession", r"^my (?:profession|occupation|job title) is (?P<value>.+)$"),
    build("profession", r"^my job is (?:to be|being) (?P<value>an? .+)$"),
    replace(
        build(
            "profession",
            rf"{SELF}am (?:now |currently )?(?P<value>an? (?!{AS_A_PASTIME})(?:[\w-]+ ){{0,3}}"
            rf"(?:{'|'.join(sorted(ROLES))}))(?: (?:at|for|in|with) .+)?$",
        ),
        needs_now=True,
    ),
    build_named("employer", rf"{SELF}(?:work|am working|am employed) (?:at|for|by) (?P<value>.+)$", EMPLOYERS),
    build_named("employer", rf"{SELF}joined (?P<value>.+?) as (?:an?|the|its|their|head|chief|lead)\b", EMPLOYERS),
    build_named("employer", r"^my (?:new |current )?employer is (?P<value>.+)$", EMPLOYERS),
    build("field", rf"{SELF}work in (?:the )?(?P<value>.+) (?:industry|sector|business)$"),
    build("field", rf"{SELF}work in (?P<value>(?:[\w-]+ ){{0,2}}(?:{'|'.join(sorted(FIELDS))}))$"),
    build(
        "marriage",
        rf"{SELF}(?:am|got) (?:(?:happily|newly|still) )*(?P<value>divorced|single|widowed|"
        r"(?:married|engaged)(?: to (?:an? |(?-i:[^\Wa-z\d_])).*)?)(?: (?:since|for) .*)?$",
    ),
    build_named("marriage", r"^my (?:wife|husband|spouse)(?:'s name)? is (?:called |named )?(?P<value>[^']+)$", PEOPLE),
    build("purpose", r"^my (?P<thing>goal|purpose|mission) is (?P<value>.+)$"),
    build("favourite", r"^my favou?rite (?P<thing>[\w -]+?) (?:is|are) (?P<value>.+)$"),
    build("favourite", r"^(?P<value>.+) (?:is|are) my favou?rite (?P<thing>[\w -]+)$"),
    build(
        "taste for",
        rf"{SELF}(?:(?:really|truly|absolutely) )?(?P<value>like|love|enjoy|adore|dislike|hate|detest|loathe)"
        r" (?P<thing>[\w -]+)$",
    ),
    build(
        "experience",
        rf"{SELF}have (?:(?:over|more than|about|some) )?(?P<value>\d+|\w+) years? of (?:experience in )?"
        r"(?P<thing>[\w -]+?)(?: experience)?$",
    ),
    build("number of", rf"{SELF}have (?P<value>{NUMBERS}) (?P<thing>\w+)$"),
)
