"""Directives and mental models, from the client to a worker and back."""

import pytest

from memoryplatform_client import MemoryClient, NotFound, PreconditionFailed

pytestmark = pytest.mark.parametrize("client", ["sync"], indirect=True)  # both clients send the same requests


def test_a_directive_from_its_making_to_its_end(client: MemoryClient) -> None:
    client.banks.create("support")
    made = client.directives.create("support", "Formal", "Be formal.", tags=["office"], priority=2)
    changed = client.directives.update("support", made.id, is_active=False, if_match=made.etag)
    assert (changed.is_active, changed.priority, changed.tags) == (False, 2, ["office"])
    with pytest.raises(PreconditionFailed):
        client.directives.update("support", made.id, priority=1, if_match=made.etag)
    assert [one.name for one in client.directives.list("support", is_active=False)] == ["Formal"]
    assert client.directives.get("support", made.id).etag == changed.etag
    client.directives.delete("support", made.id)
    with pytest.raises(NotFound):
        client.directives.get("support", made.id)


def test_a_mental_model_from_its_making_to_its_end(client: MemoryClient, worker: None) -> None:
    client.retain("support", "Ana Reis plays the cello in Porto every Sunday.")
    made = client.mental_models.create(
        "support", "Habits", "What does Ana Reis play?", id="habits", trigger={"budget": "low"}
    )
    assert client.operations.wait(made.operation_id, timeout=60).status == "completed"
    written = client.mental_models.get("support", "habits")
    assert ("cello" in written.content, written.revision, written.is_stale) == (True, 1, False)
    edited = client.mental_models.update("support", "habits", name="Music", if_match=written.etag)
    assert (edited.name, edited.trigger.budget) == ("Music", "low")
    assert client.mental_models.clear("support", "habits").content == ""
    refreshed = client.mental_models.refresh("support", "habits", mode="full")
    client.operations.wait(refreshed.operation_id, timeout=60)
    assert ["cello" in one.content for one in client.mental_models.revisions("support", "habits")] == [
        True,
        False,
        True,
    ]
    assert [one.id for one in client.mental_models.list("support")] == ["habits"]
    client.mental_models.delete("support", "habits")
    with pytest.raises(NotFound):
        client.mental_models.get("support", "habits")
