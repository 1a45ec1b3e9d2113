"""Readers of uploads: each format becomes items for retain, and anything else a clear sentence."""

import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter

from banks.enums import Kind, Network
from memoryplatform.operations.imports import documents, upload, word_text
from memoryplatform.operations.imports.formats import read_upload
from memoryplatform.operations.imports.upload import UnreadableUpload, Upload

CHATGPT: list[dict[str, Any]] = [
    {
        "title": "Dinner",
        "create_time": 1_700_000_000.0,
        "conversation_id": "c-1",
        "current_node": "d",
        "mapping": {
            "a": {"message": None, "parent": None},
            "b": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_700_000_001.5,
                    "content": {
                        "content_type": "multimodal_text",
                        "parts": ["What goes with fennel?", {"asset_pointer": "file-1"}],
                    },
                },
                "parent": "a",
            },
            "c": {
                "message": {
                    "author": {"role": "system"},
                    "content": {"content_type": "text", "parts": ["hidden"]},
                    "metadata": {"is_visually_hidden_from_conversation": True},
                },
                "parent": "b",
            },
            "d": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1_700_000_009,
                    "content": {"content_type": "text", "parts": ["Oranges."]},
                },
                "parent": "c",
            },
            "x": {
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["A branch that was left."]},
                },
                "parent": "b",
            },
        },
    },
    {"title": "Nothing", "mapping": {}, "current_node": None},
]
LOCOMO = [
    {
        "sample_id": "conv-1",
        "qa": [{"question": "?"}],
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "Hi!"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a red bike"},
            ],
            "session_3_date_time": "9:00 am on 1 June, 2023",
            "session_3": [{"speaker": "Ana", "text": "I moved."}],
        },
    }
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question": "?",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}],
            [{"role": "user", "content": "I sold the car.", "has_answer": True}],
        ],
    },
    {
        "question_id": "q2",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "I like tea."}]],
    },
]
MEM0 = {
    "results": [
        {
            "id": "1",
            "memory": "Likes tea",
            "user_id": "ana",
            "categories": ["food"],
            "metadata": {"source": "chat", "deep": {"a": 1}},
            "created_at": "2024-07-20T01:30:36.275141-07:00",
        },
        {"id": "2", "memory": "Has a dog", "user_id": "ana", "created_at": "2024-07-21T00:00:00Z"},
        {"id": "3", "memory": "  ", "user_id": "ana"},
    ]
}
HINDSIGHT: dict[str, Any] = {
    "items": [
        {
            "id": "1",
            "text": "Ana moved to Lisbon in May.",
            "fact_type": "world",
            "mentioned_at": "2024-05-02T10:00:00Z",
            "occurred_start": "2024-05-01T00:00:00Z",
            "occurred_end": "2024-05-31T00:00:00Z",
            "entities": "Ana, Lisbon",
            "tags": ["home"],
        },
        {"id": "2", "text": "I prefer trains.", "fact_type": "opinion", "confidence_score": 0.8},
        {"id": "3", "text": "Ana is mobile.", "fact_type": "observation"},
        {"id": "4", "text": "Gone.", "fact_type": "world", "state": "invalidated"},
        {"id": "5", "text": "", "fact_type": "world"},
    ],
    "total": 5,
}


def read(data: object, name: str = "file.json") -> Upload:
    return read_upload(name, json.dumps(data).encode())


def list_messages(found: Upload) -> list[tuple[str, str, str]]:
    return [(one.role, one.name, one.content) for item in found.items for one in item.messages]


def make_zip(**files: object) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return packed.getvalue()


ROWS = [("Name", "City"), ("Ana", "Lisbon")]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def make_docx(body: str, **parts: bytes) -> bytes:
    xml = f'<w:document xmlns:w="{WORD}" xmlns:mc="{COMPATIBILITY}"><w:body>{body}</w:body></w:document>'
    return make_zip(**{"word/document.xml": xml.encode(), **parts})


def make_pdf(*pages: str) -> bytes:
    """A PDF of one line a page, by hand."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        parts.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * place} 0 R >>"
        )
        parts.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{part}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(parts) + 1
    end = (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{len(body)}"
    )
    return body + end.encode() + b"\n%%EOF\n"


def test_chatgpt_keeps_the_branch_that_was_shown() -> None:
    found = read(CHATGPT)
    assert found.format == "chatgpt"
    assert list_messages(found) == [("user", "", "What goes with fennel?"), ("assistant", "", "Oranges.")]
    (item,) = found.items
    assert (item.thread, item.context) == ("chatgpt:c-1", "Dinner")
    assert item.messages[0].said_at == datetime(2023, 11, 14, 22, 13, 21, 500_000, tzinfo=UTC)
    assert found.warnings == ("1 image or file is left out.", "1 conversation has no text.")


def test_chatgpt_leaves_out_what_was_said_to_a_tool() -> None:
    call = {"author": {"role": "assistant"}, "recipient": "python", "content": {"content_type": "code", "text": "f()"}}
    mapping = {**CHATGPT[0]["mapping"], "e": {"message": call, "parent": "d"}}
    assert list_messages(read([{**CHATGPT[0], "current_node": "e", "mapping": mapping}])) == list_messages(
        read(CHATGPT)
    )


def test_chatgpt_as_a_whole_archive() -> None:
    body = make_zip(**{"export/conversations.json": CHATGPT, "export/chat.html": b"<html>"})
    assert list_messages(read_upload("chatgpt.zip", body)) == list_messages(read(CHATGPT))


def test_a_chatgpt_tree_that_runs_in_a_circle_ends() -> None:
    nodes = {"a": {"message": None, "parent": "b"}, "b": {"message": None, "parent": "a"}}
    with pytest.raises(UnreadableUpload, match="nothing to import"):
        read([{"mapping": nodes, "current_node": "a"}])


def test_locomo_has_a_conversation_per_session() -> None:
    found = read(LOCOMO)
    assert [item.thread for item in found.items] == ["conv-1:session_1", "conv-1:session_3"]
    assert list_messages(found)[1] == ("user", "Ben", "Look. [shares a photo: a red bike]")
    assert found.items[0].said_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert found.items[0].messages[1].said_at > found.items[0].messages[0].said_at


def test_longmemeval_reads_a_shared_session_once() -> None:
    found = read(LONGMEMEVAL)
    assert [item.thread for item in found.items] == ["s1", "s2"]
    assert found.message_count == 3
    assert found.items[1].said_at == datetime(2023, 5, 21, 10, tzinfo=UTC)
    assert found.warnings == ("1 session occurs twice and is read once.",)


def test_mem0_becomes_memories_with_their_owners_as_tags() -> None:
    found = read(MEM0)
    assert (found.format, found.memory_count) == ("mem0", 2)
    first, second = found.items
    assert first.tags == ("user:ana", "category:food")
    assert first.metadata == {"source": "chat", "deep": '{"a":1}'}
    assert first.facts[0].mentioned_at == datetime.fromisoformat("2024-07-20T01:30:36.275141-07:00")
    assert second.tags == ("user:ana",)
    assert found.warnings == ("1 memory without text is left out.",)


def test_hindsight_as_a_list_keeps_dates_entities_and_confidence() -> None:
    found = read(HINDSIGHT)
    facts = {fact.text: fact for item in found.items for fact in item.facts}
    moved, trains = facts["Ana moved to Lisbon in May."], facts["I prefer trains."]
    assert len(facts) == 2
    assert (moved.kind, moved.occurred_start) == (Kind.EVENT, datetime(2024, 5, 1, tzinfo=UTC))
    assert [entity.name for entity in moved.entities] == ["Ana", "Lisbon"]
    assert (trains.network, trains.confidence) == (Network.OPINION, 0.8)
    assert any("1 invalidated memory" in one for one in found.warnings)
    assert any("1 observation" in one for one in found.warnings)


def test_hindsight_as_an_archive() -> None:
    told = {"id": "talk", "original_text": "long talk", "tags": ["x"], "facts": HINDSIGHT["items"][:1]}
    bare = {"id": "note", "original_text": "Only a text.", "created_at": "2024-01-01T00:00:00+00:00", "facts": []}
    body = make_zip(**{
        "manifest.json": {"schema_version": 2},
        "documents/000000.json": told,
        "documents/000001.json": bare,
        "mental_models.json": [],
    })  # fmt: skip
    found = read_upload("bank.zip", body)
    assert (found.memory_count, [item.document_id for item in found.documents]) == (1, ["note"])
    assert found.items[0].tags == ("x",)
    assert found.warnings == ("The mental models of the bank are not imported.",)


def test_messages_as_openai_writes_them() -> None:
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}]
    found = read({"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": "Nice."}]})
    assert list_messages(found) == [("user", "", "Look"), ("assistant", "", "Nice.")]
    assert found.dates is None
    lines = b'{"role": "user", "content": "One"}\n\n{"role": "assistant", "content": "Two"}\n'
    assert [text for _, _, text in list_messages(read_upload("chat.jsonl", lines))] == ["One", "Two"]


@pytest.mark.parametrize(("name", "kind"), [("notes.txt", "text"), ("README.md", "markdown"), ("", "text")])
def test_a_text_is_one_document(name: str, kind: str) -> None:
    found = read_upload(name, "\ufeffÀ la carte.\r\nMore.".encode())
    assert (found.format, found.items[0].text) == (kind, "À la carte.\nMore.")
    assert found.items[0].document_id == (name or found.items[0].document_id)
    assert found.items[0].document_id


def test_a_text_of_windows_is_read_with_a_warning() -> None:
    found = read_upload("alt.txt", "Grüße".encode("cp1252"))
    assert found.items[0].text == "Grüße"
    assert "Windows-1252" in found.warnings[0]
    assert read_upload("wide.txt", "Grüße".encode("utf-16")).items[0].text == "Grüße"


def test_a_pdf_is_the_text_of_its_pages() -> None:
    found = read_upload("menu.pdf", make_pdf("Fennel soup", "", "Orange salad"))
    assert found.format == "pdf"
    assert found.items[0].text == "Fennel soup\n\nOrange salad"
    assert found.warnings == ("1 of 3 pages have no text.",)


def test_a_pdf_that_can_not_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf("Secret soup"))))
    writer.encrypt("password", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    for body, reason in {
        locked.getvalue(): "protected by a password",
        b"%PDF-1.7 nonsense": "broken",
        make_pdf("Fennel soup")[:60]: "broken",
        make_pdf(""): "no text",
    }.items():
        with pytest.raises(UnreadableUpload, match=reason):
            read_upload("menu.pdf", body)
    monkeypatch.setattr(documents, "MOST_PAGES", 1)
    with pytest.raises(UnreadableUpload, match="more than 1 pages"):
        read_upload("menu.pdf", make_pdf("a", "b"))


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_a_word_document_is_the_text_that_word_shows() -> None:
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    rows = "".join(f"<w:tr>{cell.format(run(name))}{cell.format(run(city))}</w:tr>" for name, city in ROWS)
    shape = f"<mc:Choice>{run('In a box')}</mc:Choice><mc:Fallback>{run('In a box')}</mc:Fallback>"
    stops = '<w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>'
    body = f"""<w:p>{stops}{run("Plan")}<w:r><w:tab/></w:r>{run("2026")}</w:p>
      <w:p><w:ins>{run("New ")}</w:ins><w:del><w:r><w:delText>Old</w:delText></w:r></w:del>{run("words")}</w:p>
      <w:sdt><w:sdtContent><w:p>{run("A field")}</w:p></w:sdtContent></w:sdt>
      <w:tbl>{rows}</w:tbl><w:p>{shape}</w:p>"""
    note = f'<w:footnotes xmlns:w="{WORD}"><w:footnote><w:p>{run("A note")}</w:p></w:footnote></w:footnotes>'.encode()
    found = read_upload("plan.docx", make_docx(body, **{"word/footnotes.xml": note}))
    assert (found.format, found.items[0].document_id) == ("docx", "plan.docx")
    shown = "Plan\t2026\n\nNew words\n\nA field\n\nName | City\nAna | Lisbon\n\nIn a box\n\nA note"
    assert found.items[0].text == shown


def test_a_word_document_that_can_not_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    entities = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    for body, reason in {
        make_zip(**{"word/document.xml": entities}): "broken",
        make_zip(**{"word/document.xml": b"<a><b></a>"}): "broken",
        make_zip(**{"word/document.xml": b'<?xml version="1.0" encoding="x"?><a/>'}): "broken",
        make_docx(""): "no text",
    }.items():
        with pytest.raises(UnreadableUpload, match=reason):
            read_upload("a.docx", body)
    monkeypatch.setattr(word_text, "MOST_SECONDS", -1)
    with pytest.raises(UnreadableUpload, match="takes too long"):
        read_upload("a.docx", make_docx("<w:p/>"))


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("a.txt", b"  \n", "empty"),
        ("a.json", b'{"a": ', "no valid JSON"),
        ("a.json", b"[1, 2]", "no list of objects"),
        ("a.json", b'[{"colour": "red"}]', "no known format"),
        ("a.json", b"[" * 5_000, "no valid JSON"),
        ("a.bin", b"\x00\x01\x02", "neither a text"),
        ("a.zip", b"PK\x03\x04 nonsense", "broken"),
        ("b.jsonl", b'{"type":"header","format":"memoryplatform-bank","version":2}\n', "end of this file is missing"),
    ],
)
def test_anything_else_gets_a_clear_sentence(name: str, body: bytes, reason: str) -> None:
    with pytest.raises(UnreadableUpload, match=reason):
        read_upload(name, body)


def test_an_archive_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    body = make_zip(**{"conversations.json": b" " * 100_000})
    monkeypatch.setattr(upload, "MOST_UNPACKED", 50_000)
    with pytest.raises(UnreadableUpload, match="larger than"):
        read_upload("a.zip", body)
    with pytest.raises(UnreadableUpload, match="neither an export of ChatGPT"):
        read_upload("b.zip", make_zip(**{"holiday.jpg": b"x"}))


def test_strange_values_become_harmless_ones() -> None:
    rows = [{"memory": "A\x00B \ud800", "created_at": "yesterday", "metadata": [1], "categories": "x", "user_id": 7}]
    found = read_upload("a.json", json.dumps(rows).encode())
    (item,) = found.items
    assert item.facts[0].text == "AB ?"
    assert (item.tags, item.metadata) == (("user:7",), {})
    item.facts[0].text.encode()
