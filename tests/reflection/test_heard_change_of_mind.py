"""What the built-in engine hears of a change of mind is what reflection takes for one."""

import pytest

from banks.words import Network
from reflection.opinions.wording.change_of_mind import find_change_of_mind
from reflection.opinions.wording.sense import turn_each_other_round
from tests.banks.retain.engines.builtin.talk import told


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        (
            "Previously I thought Dana is a brilliant mechanic, but now I think she is an unreliable mechanic.",
            "Dana is a brilliant mechanic",
            "I think that Dana is an unreliable mechanic.",
        ),
        (
            "I used to think Dana is shy. But now I believe she is bold.",
            "Dana is shy",
            "I believe that Dana is bold.",
        ),
        ("I no longer think Dana is shy. I think she is bold.", "Dana is shy", "I think that Dana is bold."),
        ("At first I thought Rome is loud. Now I'm sure it is calm.", "Rome is loud", "I believe that Rome is calm."),
    ],
)
def test_a_heard_change_of_mind_names_what_was_thought_and_what_is(said: str, old: str, new: str) -> None:
    facts = told("Ann: What do you think of it?", f"Agent: {said}")
    [opinion] = [fact for fact in facts if fact.network is Network.OPINION]
    mind = find_change_of_mind(opinion.text)
    assert mind is not None
    assert (mind.old, mind.new) == (old, new)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I think Max is a kind man.", "I don't think Max is a kind man."),
        ("I think Max is a kind man.", "I don\u2019t think Max is a kind man anymore."),
        ("I think Ida is a good cook.", "I no longer think Ida is a good cook."),
        ("I think Ida is a bad cook.", "I do not believe Ida is a bad cook any more."),
    ],
)
def test_a_belief_that_is_denied_is_heard_as_the_opposite_of_the_held_one(held: str, said: str) -> None:
    facts = told("Ann: What do you think now?", f"Agent: {said}")
    [opinion] = [fact for fact in facts if fact.network is Network.OPINION]
    assert turn_each_other_round(held, opinion.text)
