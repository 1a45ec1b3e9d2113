from typing import Any
from unittest import mock

import pytest
from asgiref.sync import async_to_sync

from memoryplatform.server import lifespan
from providers import registry
from retrieval.access_counts import ACCESS_COUNTS
from retrieval.recall_log import RECALL_LOG


@pytest.mark.django_db
def test_the_writers_run_as_long_as_the_server() -> None:
    steps: list[str] = []
    writer = mock.Mock(start=lambda: steps.append("start"), stop=lambda: steps.append("stop"))
    received = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> dict[str, Any]:
        return received.pop(0)

    async def send(message: Any) -> None:
        steps.append(message["type"])

    with mock.patch.object(registry, "load_in_background"), mock.patch.object(lifespan, "WRITERS", (writer,)):
        async_to_sync(lifespan.Lifespan(mock.AsyncMock()))({"type": "lifespan"}, receive, send)
    assert steps == ["start", "lifespan.startup.complete", "stop", "lifespan.shutdown.complete"]


def test_access_counts_and_the_log_of_recalls_are_written_in_the_background() -> None:
    assert set(lifespan.WRITERS) == {ACCESS_COUNTS, RECALL_LOG}
