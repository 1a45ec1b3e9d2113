"""`chat`: a conversation with a bank's agent. It answers from its memory and remembers the conversation."""

import argparse
import json
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from uuid import uuid4

from memoryplatform_client.cli.command import Command, Given, filled
from memoryplatform_client.cli.commands.reflect import show_basis
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import describe
from memoryplatform_client.cli.output import as_data
from memoryplatform_client.cli.session import Session
from memoryplatform_client.errors import MemoryPlatformError
from memoryplatform_client.events import Delta, Done
from memoryplatform_client.options.retain import MessageFields

MOST_BEFORE = 12  # messages of the conversation that the model reads
LONGEST_BEFORE = 2_000  # characters of each
ANSWER_TOKENS = 1_500  # of memories
ENDS = {"/quit", "/exit"}
HINT = "Write a message and press Enter. Ctrl-D or /quit ends the chat."


@dataclass
class Conversation:
    """`before` has the lines of the last messages."""

    bank: str
    agent: str
    thread: str
    speaker: str
    forgets: bool
    before: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_BEFORE))

    def note(self, name: str, text: str) -> None:
        self.before.append(f"{name}: {text[:LONGEST_BEFORE]}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("--thread", type=filled, help="continue this conversation (default: a new one)")
    parser.add_argument("--name", type=filled, default="User", help="your name in the memories (default: User)")
    parser.add_argument("--no-retain", action="store_true", help="remember nothing of this chat")


def run(session: Session, given: Given) -> int:
    bank = session.client.banks.get(given.bank)
    thread = given.thread or f"chat-{uuid4().hex[:12]}"
    chat = Conversation(bank.bank_id, bank.name or bank.bank_id, thread, given.name, forgets=given.no_retain)
    if given.thread:
        read_earlier(session, chat)
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        session.out.note(HINT)
    failed = False
    for text in read_messages(session, is_terminal=is_terminal):
        try:
            answer_one(session, chat, text)
        except MemoryPlatformError as error:  # the next message may succeed
            failed = True
            session.out.note(describe(error).sentence, "red")
    if not chat.forgets and chat.before:
        session.out.note(f"memoryplatform chat {chat.bank} --thread {chat.thread} continues this conversation.")
    return Exit.FAILED if failed else Exit.DONE


def read_earlier(session: Session, chat: Conversation) -> None:
    """The list is newest first."""
    newest = list(islice(session.client.messages.list(chat.bank, thread=chat.thread, limit=MOST_BEFORE), MOST_BEFORE))
    for message in reversed(newest):
        chat.note(message.name or message.role, message.content)


def read_messages(session: Session, *, is_terminal: bool) -> Iterator[str]:
    """One message a line, from the terminal or from a pipe."""
    while True:
        if is_terminal:
            session.out.prompt("> ")
        line = sys.stdin.readline()
        text = line.strip()
        if not line or text in ENDS:
            return
        if text:
            yield text


def answer_one(session: Session, chat: Conversation, text: str) -> None:
    """An answer that breaks off retains nothing, so the person can send the same message again."""
    done: Done | None = None
    asked = session.client.stream_reflect(
        chat.bank, text, context="\n".join(chat.before), max_tokens=ANSWER_TOKENS, form_opinions=False
    )
    with closing(asked) as events:
        for event in events:
            if isinstance(event, Delta) and not session.out.as_json:
                session.out.piece(event.text)
            elif isinstance(event, Done):
                done = event
    if done is None:
        return
    operation_id = None if chat.forgets else retain_exchange(session, chat, text, done)
    chat.note(chat.speaker, text)
    chat.note(chat.agent, done.text)
    if session.out.as_json:
        line = {"thread": chat.thread, "operation_id": operation_id, **as_data(done)}
        session.out.piece(json.dumps(line) + "\n")
    else:
        session.out.line()
        show_basis(session.out, done)


def retain_exchange(session: Session, chat: Conversation, text: str, answer: Done) -> str:
    """Quotations of the built-in engine are no words of the agent: they are in the memory already."""
    said: list[MessageFields] = [{"role": "user", "content": text, "name": chat.speaker}]
    if answer.engine != "builtin":
        said.append({"role": "assistant", "content": answer.text, "name": chat.agent})
    retained = session.client.retain(chat.bank, messages=said, thread=chat.thread, wait=False)
    return str(retained.operation_id)


COMMAND = Command("chat", "Talk with a bank's agent. It remembers the conversation.", add_arguments, run)
