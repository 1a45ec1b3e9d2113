"""Characters that nobody sees: a page shows them by their number."""

import json
import re

import pytest
from django.http import HttpResponse, JsonResponse
from django.test import Client
from django.utils.html import json_script

from memoryplatform.dashboard.control_characters import show_controls, show_in_event
from memoryplatform.server.event_stream import encode_event
from tenants.memberships import found_tenant
from tests.accounts.conftest import make_person, sign_in
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_unit

EVIL = "\u202eEvil"


@pytest.mark.usefixtures("committed_db", "redis_server")
def test_a_name_can_not_reverse_a_page() -> None:
    olga = make_person("olga@example.com")
    acme = found_tenant(name="Acme", slug="acme", owner=olga)
    bank = make_bank(acme, bank_id="support", background=EVIL)
    make_entity(acme, bank=bank, name=EVIL, mention_count=3)
    unit = make_unit(acme, bank=bank, text=f"{EVIL} likes tea.", speaker=EVIL)
    client: Client = sign_in(olga, acme)
    for path in ("", "entities/", "memories/", f"memories/{unit.id}/", "timeline/", "graph/", "graph/data/"):
        page = client.get(f"/dashboard/banks/support/{path}").content.decode()
        assert "⟨U+202E⟩Evil" in page, path
        assert "\\u202e" not in page, path
        assert EVIL not in re.sub('<textarea.*?</textarea>|value="[^"]*"', "", page, flags=re.DOTALL), path
    assert EVIL in client.get("/dashboard/banks/support/").content.decode()  # a form sends its value back unchanged


def test_text_of_every_language_stays() -> None:
    persian, family, hebrew, thai = "\u0645\u06cc\u200c\u062e\u0648", "👩\u200d👧", "\u200f\u05e9\u05dc", "ไทย\u200bไทย"
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    kept = f"{persian} {family} {hebrew} {thai} {scotland} a\tb\r\n"
    shown = HttpResponse(kept + "hidden\U000e0041 bell\x07")
    show_controls(shown)
    assert shown.content.decode() == f"{kept}hidden⟨U+E0041⟩ bell⟨U+0007⟩"


@pytest.mark.parametrize(
    "text", ["\\" + EVIL, f"<textarea>{EVIL}</textarea>", 'value="' + EVIL + '"', "\U000e0041Evil"]
)
def test_json_has_no_text_that_escapes(text: str) -> None:
    answer, page = JsonResponse({"nodes": [[text, 0.5]]}), HttpResponse(json_script(text, "data"))
    show_controls(answer)
    show_controls(page)
    (label, weight), script = json.loads(answer.content)["nodes"][0], page.text.partition(">")[2]
    for shown in (label, json.loads(script.removesuffix("</script>"))):
        assert re.sub("⟨U[+](202E|E0041)⟩", "", shown) == re.sub("[\u202e\U000e0041]", "", text)
        assert "⟨U+" in shown
    assert (weight, script.count("<")) == (0.5, 1)


def test_an_event_of_a_stream_shows_them() -> None:
    assert show_in_event(b"") == b""
    assert show_in_event(encode_event("delta", {"text": "Olá 👩"})) == encode_event("delta", {"text": "Olá 👩"})
    for text in (EVIL, "bell\x07", f"<textarea>{EVIL}\n</textarea>"):
        name, data = show_in_event(encode_event("delta", {"text": text})).decode().removesuffix("\n\n").split("\n")
        assert name == "event: delta"
        shown = json.loads(data.removeprefix("data: "))["text"]
        assert shown == text.replace("\u202e", "⟨U+202E⟩").replace("\x07", "⟨U+0007⟩")
