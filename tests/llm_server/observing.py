"""A model for tests that repeats each fact of its prompt as an observation on each subject. Facts about another
subject are ignored.
"""

import json
import re

from tests.llm_server.script import Received, Reply, nothing_scripted

FACT = re.compile(r"^Fact (\d+) \(.*\)\n\| (.+)$", re.MULTILINE)
SUBJECT = re.compile(r"^Subject (\d+): ", re.MULTILINE)
OBSERVER = "You keep neutral files"


def observe_each_fact(received: Received) -> Reply | str:
    if OBSERVER not in received.prompt:
        return nothing_scripted(received)
    user = received.body["messages"][-1]["content"]
    changes = [
        {"action": "add", "subject": int(subject), "text": text, "facts": [int(place)]}
        for subject in SUBJECT.findall(user)
        for place, text in FACT.findall(user)
    ]
    return json.dumps({"changes": changes})
