"""Mental models, through Hindsight's client."""

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.compat.hindsight.conftest import Run
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"


def test_the_content_comes_with_the_operation(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    fact = memory.unit("Alice does live in Lisbon")
    made = client.create_mental_model("support", "Homes", QUESTION, trigger={"budget": "low"}, max_tokens=512)
    assert str(made.mental_model_id).startswith("mm-")
    perform(alice.id, made.operation_id)
    status = run(client.operations.get_operation_status("support", made.operation_id))
    assert (status.status, status.task_type) == ("completed", "refresh_mental_model")
    assert status.mental_model_id == made.mental_model_id
    model = client.get_mental_model("support", made.mental_model_id).to_dict()
    assert "Lisbon" in model["content"]
    assert (model["source_query"], model["max_tokens"], model["trigger"]["budget"]) == (QUESTION, 512, "low")
    assert (model["is_stale"], model["is_knowledge_page"]) == (False, False)
    assert [one["id"] for one in model["reflect_response"]["based_on"]["memories"]] == [str(fact.id)]


def test_lists_show_the_content_where_it_is_asked_for(client: Hindsight, memory: Memory) -> None:
    for key, tags in {"a": ["a"], "b": ["b"]}.items():
        client.create_mental_model("support", key, QUESTION, id=key, tags=tags)
    bare = client.list_mental_models("support")
    assert [(one.id, one.source_query) for one in bare.items] == [("b", None), ("a", None)]
    full = client.list_mental_models("support", tags=["a"], tags_match="exact", detail="content")
    assert [(one.id, one.source_query, one.content) for one in full.items] == [("a", QUESTION, "")]
    assert client.list_mental_models("support", limit=1, offset=1).total == 2


def test_a_model_is_changed_refreshed_cleared_and_deleted(client: Hindsight, memory: Memory, alice: Tenant) -> None:
    memory.unit("Alice does live in Lisbon")
    made = client.create_mental_model("support", "Homes", QUESTION, id="homes", trigger={"budget": "low"})
    perform(alice.id, made.operation_id)
    changed = client.update_mental_model(
        "support", "homes", name="Where", trigger={"mode": "delta", "refresh_after_consolidation": True}
    )
    trigger = changed.to_dict()["trigger"]
    assert (changed.name, trigger["mode"], trigger["budget"], trigger["keep_trace"]) == ("Where", "delta", "low", False)
    refreshed = client.refresh_mental_model("support", "homes", mode="full")
    assert refreshed.status == "queued"
    perform(alice.id, refreshed.operation_id)
    assert client.clear_mental_model("support", "homes").content == ""
    history = client.get_mental_model_history("support", "homes")
    assert ["Lisbon" in one["previous_content"] for one in history] == [True, False]
    client.delete_mental_model("support", "homes")
    with pytest.raises(ApiException) as gone:
        client.get_mental_model("support", "homes")
    assert gone.value.status == 404


def test_the_tags_of_models_are_counted(client: Hindsight, run: Run, memory: Memory) -> None:
    for key, tags in {"a": ["home", "work"], "b": ["home"]}.items():
        client.create_mental_model("support", key, QUESTION, id=key, tags=tags)
    listed = run(client.memory.list_tags("support", source="mental_models"))
    assert [(one.tag, one.count) for one in listed.items] == [("home", 2), ("work", 1)]
    assert [one.tag for one in run(client.memory.list_tags("support", source="mental_models", q="w*")).items] == [
        "work"
    ]


def test_a_schedule_is_kept_and_a_wrong_one_refused(client: Hindsight, memory: Memory) -> None:
    client.create_mental_model("support", "Homes", QUESTION, id="homes", trigger={"refresh_cron": "0 3 * * *"})
    trigger = client.get_mental_model("support", "homes").to_dict()["trigger"]
    assert (trigger["refresh_cron"], trigger["refresh_after_consolidation"]) == ("0 3 * * *", False)
    with pytest.raises(ApiException, match="five fields") as refused:
        client.update_mental_model("support", "homes", trigger={"refresh_cron": "every night"})
    assert refused.value.status == 422


def test_unsupported_settings_are_refused(client: Hindsight, memory: Memory) -> None:
    client.create_mental_model("support", "n", QUESTION, id="homes")
    with pytest.raises(ApiException, match="can't be tried") as dry:
        client.dry_run_refresh_mental_model("support", "homes")
    assert dry.value.status == 501
    with pytest.raises(ApiException, match="exists already") as twice:
        client.create_mental_model("support", "n", QUESTION, id="homes")
    assert twice.value.status == 409
