"""A language model that reads the parcels of a message, holds an opinion, and can fall ill."""

import json
import random
import re
import threading
from typing import Literal

from tests.llm_server.script import Received, Reply

PARCEL = re.compile(r"(\w+) stored parcel (\w+) in the cellar")
PASSAGE = re.compile(r"<passage \w+>.*?</passage", re.DOTALL)
DELIMITER = re.compile(r"=====NOTES [0-9a-f]+=====")
HANG_SECONDS = 60.0  # longer than the client waits
Illness = Literal["", "failing", "hanging", "garbage"]
SHARE = 0.3  # of the calls
GARBAGE = ('{"facts": [{"text": "half a', "I would rather not.", "", "[[[", '{"facts": 7}')


class Model:
    """`illness` strikes 30 % of the calls, drawn from the seed."""

    def __init__(self, seed: int) -> None:
        self.illness: Illness = ""
        self._random = random.Random(seed)  # noqa: S311  # repeatable
        self._lock = threading.Lock()

    def answer(self, received: Received) -> Reply | str:
        with self._lock:
            is_struck = self._random.random() < SHARE
        if is_struck and self.illness == "failing":
            return Reply(status=503, payload={"error": {"message": "overloaded"}})
        if is_struck and self.illness == "hanging":
            return Reply(text="{}", delay=HANG_SECONDS)
        if is_struck and self.illness == "garbage":
            return self._random.choice(GARBAGE)
        return think(received)


def think(received: Received) -> str:
    wanted = received.body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties")
    if wanted is None:
        return reflect(received.prompt)
    if "facts" in wanted:
        return json.dumps({"facts": read_parcels(received.prompt)})
    return json.dumps({name: "I keep a cellar." if name == "background" else [] for name in wanted})


def read_parcels(prompt: str) -> list[dict[str, object]]:
    """Of the passage alone: facts that are known already stand beside it."""
    found = dict.fromkeys(PARCEL.findall("".join(PASSAGE.findall(prompt))))
    return [
        {
            "text": f"{who} stored parcel {parcel} in the cellar.",
            "network": "world",
            "entities": [{"name": who, "kind": "PERSON"}],
            "turns": [1],
        }
        for who, parcel in found
    ]


def reflect(prompt: str) -> str:
    """The opinion is the same each time, so a second one of it would be a duplicate."""
    opinion = {
        "text": "I think that the cellar is well kept.",
        "confidence": 0.7,
        "evidence": [1],
        "reasoning": "Seen.",
    }
    delimiter = DELIMITER.findall(prompt)
    notes = f"\n{delimiter[-1]}\n{json.dumps({'opinions': [opinion]})}" if delimiter else ""
    return f"The cellar is full [1].{notes}"
