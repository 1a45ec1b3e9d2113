# ruff: noqa: INP001, T201  # an example is no package, and it prints
"""A chat whose model remembers, by any endpoint that speaks OpenAI's Chat Completions.

Set MEMORYPLATFORM_URL and MEMORYPLATFORM_API_KEY; OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL choose the model.
Without OPENAI_API_KEY it prints the tools that a model would be offered, and the result of a call.
"""

import json
import os
from typing import Any

from openai import OpenAI

from memoryplatform_client import MemoryClient
from memoryplatform_client.adapters.openai_tools import MemoryTools


def ask(model: OpenAI, tools: MemoryTools, question: str) -> str:
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        offered: Any = tools.for_chat
        name = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
        said = model.chat.completions.create(model=name, messages=messages, tools=offered).choices[0].message
        if not said.tool_calls:
            return said.content or ""
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            if call.type == "function":
                result = tools.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def show(tools: MemoryTools, question: str) -> None:
    names = ", ".join(tool["name"] for tool in tools.for_responses)
    print(f"OPENAI_API_KEY is not set, so no model is asked. It would be offered {names}.")
    print(tools.call("memory_recall", json.dumps({"query": question})))


def main() -> None:
    question = "Where does Alice live?"
    with MemoryClient(os.environ["MEMORYPLATFORM_URL"], os.environ["MEMORYPLATFORM_API_KEY"]) as client:
        client.retain("chat", "Alice lives in Lisbon.")
        tools = MemoryTools(client, "chat")
        if not os.environ.get("OPENAI_API_KEY"):
            show(tools, question)
            return
        with OpenAI() as model:
            print(ask(model, tools, question))


if __name__ == "__main__":
    main()
