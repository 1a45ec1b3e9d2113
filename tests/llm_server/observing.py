"""A model for tests that repeats each fact of its prompt as an observation."""

import json
import re

from tests.llm_server.script import Received, Reply, nothing_scripted

FACT = re.compile(r"^Fact (\d+) \(.*\)\n\| (.+)$", re.MULTILINE)
OBSERVER = "You keep a neutral file"


def observe_each_fact(received: Received) -> Reply | str:
    if OBSERVER not in received.prompt:
        return nothing_scripted(received)
    found = FACT.findall(received.prompt)
    changes = [{"action": "add", "text": text, "facts": [int(place)]} for place, text in found]
    return json.dumps({"changes": changes})
