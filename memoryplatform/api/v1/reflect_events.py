"""The events of a streamed reflect: started, memories, delta, citation, opinions, done; or error, which is the last."""

from collections.abc import Generator
from typing import Any

from rest_framework.request import Request

from memoryplatform.api.errors import handle_exception
from memoryplatform.api.v1.reflect_output import describe_citation, describe_memory, describe_opinion, describe_result
from memoryplatform.server.event_stream import encode_event
from reflection.reflect.events import Cited, Delta, Done, Event, Formed, Pause, Retrieved, Started


def tell_events(
    events: Generator[Event, None, None], request: Request, wanted: dict[str, Any] | None
) -> Generator[bytes, None, None]:
    """Closing this closes the reflect, and with it the connection to the model."""
    try:
        for event in events:
            # A pause has nothing to tell: it lets the server see whether anybody still listens.
            yield b"" if isinstance(event, Pause) else tell(event, wanted)
    except Exception as error:  # noqa: BLE001  # the handler logs what is not expected; a status can't be sent any more
        yield encode_event("error", handle_exception(error, {"request": request}).data)
    finally:
        events.close()


def tell(event: Event, wanted: dict[str, Any] | None) -> bytes:
    match event:
        case Started(engine, model):
            return encode_event("started", {"engine": engine, "model": model})
        case Retrieved(memories):
            return encode_event("memories", {"memories": [describe_memory(memory) for memory in memories]})
        case Delta(text):
            return encode_event("delta", {"text": text})
        case Cited(memory):
            return encode_event("citation", describe_citation(memory))
        case Formed(opinions):
            return encode_event("opinions", {"opinions": [describe_opinion(opinion) for opinion in opinions]})
        case Done(result):
            return encode_event("done", describe_result(result, wanted))
