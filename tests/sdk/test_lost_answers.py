"""A lost response does not make the service perform a request twice."""

import httpx
import pytest

from memoryplatform_client import ConnectionFailed, MemoryClient
from tests.sdk.conftest import Service
from tests.sdk.scripted import QUICK


class Forgetful(httpx.HTTPTransport):
    """Delivers every request, and loses the first responses."""

    def __init__(self, *, lost: int) -> None:
        super().__init__()
        self.lost = lost

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if self.lost:
            self.lost -= 1
            response.close()
            raise httpx.ReadError("The connection was reset.")
        return response


def connect(service: Service, *, lost: int) -> MemoryClient:
    return MemoryClient(service.url, service.key, transport=Forgetful(lost=lost), retry=QUICK)


def test_a_retain_whose_answer_was_lost_is_performed_once(service: Service) -> None:
    with connect(service, lost=2) as client:
        retained = client.retain("support", facts=[{"text": "Alice sails."}])
        assert [one.operation_id for one in client.operations.list(kind="retain")] == [retained.operation_id]
        assert client.memories.get("support", retained.unit_ids[0]).proof_count == 1


def test_a_change_whose_answer_was_lost_is_left_to_the_caller(service: Service) -> None:
    with connect(service, lost=0) as client:
        client.banks.create("support")
    with connect(service, lost=1) as client:
        with pytest.raises(ConnectionFailed):
            client.banks.update("support", name="Nora")
        assert client.banks.get("support").name == "Nora"
