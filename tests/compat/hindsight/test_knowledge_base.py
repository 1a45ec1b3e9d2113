"""Knowledge pages through Hindsight's client: mental models in a tree of folders."""

from typing import Any

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.create_folder_request import CreateFolderRequest
from hindsight_client_api.models.create_page_request import CreatePageRequest
from hindsight_client_api.models.update_node_request import UpdateNodeRequest

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import Run
from tests.factories import make_key_with_text
from tests.retrieval.memory import Memory

BASE = "/v1/default/banks/support/knowledge-base"
QUESTION = "Where does Alice live, Lisbon?"


@pytest.fixture
def call(alice: Tenant, memory: Memory) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def make_page(client: Hindsight, run: Run, name: str = "Homes", question: str = QUESTION, **fields: Any) -> Any:
    return run(
        client.knowledge_base.create_knowledge_page(
            "support", CreatePageRequest(name=name, source_query=question, **fields)
        )
    )


def make_folder(client: Hindsight, run: Run, name: str, parent_id: str | None = None) -> str:
    request = CreateFolderRequest(name=name, parent_id=parent_id)
    return str(run(client.knowledge_base.create_knowledge_folder("support", request)).id)


def change(client: Hindsight, run: Run, node_id: str, **fields: Any) -> Any:
    return run(client.knowledge_base.update_knowledge_node("support", node_id, UpdateNodeRequest(**fields)))


def draw(nodes: list[Any]) -> list[Any]:
    return [(one.name, draw(one.children)) if one.kind == "folder" else one.name for one in nodes]


def show_tree(client: Hindsight, run: Run, **fields: Any) -> list[Any]:
    return draw(run(client.knowledge_base.get_knowledge_base_tree("support", **fields)).roots)


def test_a_page_is_written_and_shown_as_markdown(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    memory.unit("Alice does live in Lisbon")
    made = make_page(client, run)
    before = run(client.knowledge_base.get_knowledge_page("support", made.page_id))
    assert (before.body, before.markdown.splitlines()[-1]) == ("", "No content yet.")
    perform(alice.id, made.operation_id)
    page = run(client.knowledge_base.get_knowledge_page("support", made.page_id))
    assert (page.name, page.type, page.description) == ("Homes", "knowledge-page", QUESTION)
    assert "Lisbon" in page.body
    assert page.markdown.startswith('---\nname: "Homes"\n')
    model = client.get_mental_model("support", made.mental_model_id).to_dict()
    assert (model["content"], model["is_knowledge_page"]) == (page.body, True)
    assert (model["trigger"]["mode"], model["trigger"]["refresh_after_consolidation"]) == ("delta", True)


def test_folders_and_pages_make_a_tree(client: Hindsight, run: Run, memory: Memory) -> None:
    people = make_folder(client, run, "People")
    family = make_folder(client, run, "Family", people)
    page = make_page(client, run, parent_id=family)
    make_page(client, run, "Boats", "Which boats?", tags=["sea"])
    assert show_tree(client, run) == [("People", [("Family", ["Homes"])]), "Boats"]
    assert show_tree(client, run, tags=["sea"], tags_match="any_strict") == [("People", [("Family", [])]), "Boats"]
    moved = change(client, run, page.page_id, name="Where", parent_id=people)
    assert (moved.name, moved.parent_id) == ("Where", people)
    change(client, run, family, name="Kin")
    assert show_tree(client, run) == [("People", [("Kin", []), "Where"]), "Boats"]
    run(client.knowledge_base.delete_knowledge_node("support", people))
    assert show_tree(client, run) == ["Boats"]
    assert [one.name for one in client.list_mental_models("support").items] == ["Boats"]


def test_a_node_moves_to_the_root_and_not_into_itself(call: Caller, client: Hindsight, run: Run) -> None:
    outer = make_folder(client, run, "Outer")
    inner = make_folder(client, run, "Inner", outer)
    circle = call("PATCH", f"{BASE}/nodes/{outer}", {"parent_id": inner})
    assert (circle.status_code, circle.json()["detail"]) == (422, "A folder can't be moved into itself.")
    assert call("PATCH", f"{BASE}/nodes/{inner}", {"parent_id": None}).json()["parent_id"] is None
    assert show_tree(client, run) == [("Inner", []), ("Outer", [])]


def test_a_new_question_refreshes_a_page_and_a_schedule_ends_its_following(
    call: Caller, client: Hindsight, run: Run
) -> None:
    page = make_page(client, run)
    waiting = client.list_mental_models("support").total
    change(client, run, page.page_id, source_query="Where does Bob live?")
    operations = run(client.operations.list_operations("support", type="refresh_mental_model"))
    assert (waiting, operations.total) == (1, 2)
    trigger = {"refresh_cron": "0 3 * * *"}
    changed = call("PATCH", f"{BASE}/nodes/{page.page_id}", {"trigger": trigger}).json()["trigger"]
    assert (changed["refresh_cron"], changed["refresh_after_consolidation"]) == ("0 3 * * *", False)
    assert changed["mode"] == "delta"


def test_pages_are_found_by_words_and_by_their_question(client: Hindsight, run: Run, memory: Memory) -> None:
    homes = make_page(client, run)
    make_page(client, run, "Boats", "Which boats are for sale?", tags=["sea"])
    found = run(client.knowledge_base.search_knowledge_base("support", QUESTION))
    assert [one.name for one in found.results] == ["Homes", "Boats"]
    assert (found.results[0].id, found.results[0].score, found.results[0].snippet) == (
        homes.page_id,
        1.0,
        "No content yet.",
    )
    assert run(client.knowledge_base.search_knowledge_base("support", QUESTION, limit=1)).total == 1
    tagged = run(client.knowledge_base.search_knowledge_base("support", "?!", tags=["sea"], tags_match="exact"))
    assert [one.name for one in tagged.results] == ["Boats"]


def test_the_base_is_exported_as_markdown(client: Hindsight, run: Run, memory: Memory) -> None:
    page = make_page(client, run, parent_id=make_folder(client, run, "People"))
    bundle = {one.path: one.content for one in run(client.knowledge_base.export_knowledge_base("support")).files}
    assert list(bundle) == ["index.md", f"{page.page_id}.md"]
    assert bundle["index.md"] == f"# Knowledge base\n\n- People/\n  - [Homes]({page.page_id}.md)\n"


def test_a_list_of_mental_models_can_leave_out_pages(call: Caller, client: Hindsight, run: Run) -> None:
    make_page(client, run)
    client.create_mental_model("support", "Alone", QUESTION)
    path = "/v1/default/banks/support/mental-models"
    assert call("GET", path).json()["total"] == 2
    left = call("GET", f"{path}?exclude_knowledge_pages=true").json()
    assert [(one["name"], one["is_knowledge_page"]) for one in left["items"]] == [("Alone", False)]


def test_faults_are_explained(call: Caller, client: Hindsight, run: Run) -> None:
    folder = make_folder(client, run, "People")
    page = make_page(client, run)
    for method, path, body, status in (
        ("GET", f"/pages/{folder}", None, 404),
        ("GET", "/pages/nowhere", None, 404),
        ("PATCH", "/nodes/nowhere", {"name": "x"}, 404),
        ("PATCH", f"/nodes/{folder}", {"source_query": "Who?"}, 422),
        ("POST", "/folders", {"name": "x", "parent_id": page.page_id}, 422),
        ("POST", "/folders", {"name": ""}, 422),
        ("POST", "/pages", {"name": "x", "source_query": "?!"}, 422),
        ("GET", "/search", None, 422),
        ("GET", "/tree?tag_groups=[]", None, 501),
    ):
        answer = call(method, f"{BASE}{path}", body)
        assert (answer.status_code, bool(answer.json()["detail"])) == (status, True), path
    with pytest.raises(ApiException) as missing:
        run(client.knowledge_base.get_knowledge_base_tree("nowhere"))
    assert missing.value.status == 404
