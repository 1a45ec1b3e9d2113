"""An LLM for tests: a real HTTP server on loopback that speaks OpenAI's protocol and gives scripted answers."""

from tests.llm_server.script import Received, Script, nothing_scripted
from tests.llm_server.server import ScriptedLLM

__all__ = ["Received", "Script", "ScriptedLLM", "nothing_scripted"]
