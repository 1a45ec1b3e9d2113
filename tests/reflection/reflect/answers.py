"""Answers of a scripted model, and the prompts that it received."""

import json
from dataclasses import replace
from typing import Any

from reflection.reflect.types import BOUNDS, ReflectQuery
from retrieval.types import RecallQuery
from tests.retrieval.memory import NOW

DIVIDER = "<<echo =====NOTES [0-9a-f]+=====>>"  # repeated from the prompt


def write(text: str, **notes: Any) -> str:
    return f"{text}\n{DIVIDER}\n{json.dumps(notes)}"


def opinion(text: str, evidence: list[Any], confidence: float = 0.7, **fields: Any) -> dict[str, Any]:
    return {"text": text, "confidence": confidence, "evidence": evidence, "reasoning": "so it is", **fields}


def ask(question: str, budget: str = "low", **fields: Any) -> ReflectQuery:
    query = ReflectQuery(RecallQuery(question, NOW, fills=True), BOUNDS[budget], looks_wider=budget != "low")
    return replace(query, **fields)
