"""Example questions of the playgrounds."""

from banks.enums import EntityKind
from memoryplatform.dashboard.playgrounds.questions import Suggestions, suggest
from tests.belief_factories import make_opinion
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_entity


def test_the_questions_name_what_the_bank_knows(db: None) -> None:
    acme = make_tenant()
    bank = make_bank(acme)
    make_entity(acme, bank=bank, name="Fennel", kind=EntityKind.PRODUCT, mention_count=9)
    make_entity(acme, bank=bank, name="Mira", kind=EntityKind.PERSON, mention_count=5)
    make_entity(acme, bank=bank, name="Kestrel", kind=EntityKind.ORGANIZATION, mention_count=3)
    make_opinion(acme, bank=bank, text="Fennel suits Mira.")
    suggested = suggest(bank)
    assert suggested.for_recall == [f"What is known about {name}?" for name in ("Fennel", "Mira", "Kestrel")]
    assert suggested.for_reflect == [
        "What do you think about Fennel?",
        "What should I know before I talk to Mira?",
        "Why do you believe this: “Fennel suits Mira”?",
        "What has changed about Kestrel lately?",
    ]
    assert suggested.for_chat == [
        "What do you know about Mira?",
        "What do you think about Fennel?",
        "What do you think about Kestrel?",
    ]


def test_an_empty_bank_and_endless_names_suggest_nothing(db: None) -> None:
    acme = make_tenant()
    bank = make_bank(acme)
    empty = suggest(bank)
    assert empty == Suggestions([], [], "")
    assert empty.for_recall == empty.for_reflect == empty.for_chat == []
    make_entity(acme, bank=bank, name="x" * 200, mention_count=1)
    make_opinion(acme, bank=bank, text="y" * 200)
    assert suggest(bank).for_recall == suggest(bank).for_reflect == []
