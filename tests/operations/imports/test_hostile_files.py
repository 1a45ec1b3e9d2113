"""Uploads that were made to do harm: bombs, paths that lead out, files that are cut off or changed anywhere."""

import contextlib
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryplatform.operations.imports import upload, word_text
from memoryplatform.operations.imports.formats import read_upload
from memoryplatform.operations.imports.upload import UnreadableUpload
from tests.operations.imports.test_readers import CHATGPT, HINDSIGHT, LOCOMO, MEM0, make_docx, make_pdf, make_zip

SAMPLES = {
    "chatgpt.json": json.dumps(CHATGPT).encode(),
    "chatgpt.zip": make_zip(**{"conversations.json": CHATGPT}),
    "hindsight.zip": make_zip(**{
        "manifest.json": {"schema_version": 2},
        "documents/000000.json": {"id": "talk", "original_text": "long talk", "facts": HINDSIGHT["items"][:1]},
    }),
    "locomo.json": json.dumps(LOCOMO).encode(),
    "mem0.json": json.dumps(MEM0).encode(),
    "plan.docx": make_docx("<w:p><w:r><w:t>Fennel soup</w:t></w:r></w:p>"),
    "menu.pdf": make_pdf("Fennel soup", "Orange salad"),
    "bank.jsonl": b'{"type":"header","format":"memoryplatform-bank","version":2}\n{"type":"end","rows":{}}\n',
}  # fmt: skip
OUTWARD = ["../../../../srv/{}", "/srv/{}", "..\\..\\{}", "C:\\{}", "a/../../{}", "./{}", "{}\x00.png", "~/{}"]
NAMES = """mapping message parent current_node conversation session_1 haystack_sessions results memory items text
fact_type messages role content facts"""
MEGABYTE = 1_000_000


def read_or_refuse(name: str, body: bytes) -> None:
    """Any other exception than a refusal would be a 500."""
    with contextlib.suppress(UnreadableUpload):
        read_upload(name, body)


@settings(max_examples=150)
@given(name=st.sampled_from(sorted(SAMPLES)), share=st.floats(0, 1))
def test_a_file_that_is_cut_off_is_read_or_refused(name: str, share: float) -> None:
    whole = SAMPLES[name]
    read_or_refuse(name, whole[: int(len(whole) * share)])


@settings(max_examples=150)
@given(name=st.sampled_from(sorted(SAMPLES)), share=st.floats(0, 0.999), change=st.binary(min_size=1, max_size=4))
def test_a_file_that_was_changed_is_read_or_refused(name: str, share: float, change: bytes) -> None:
    whole = SAMPLES[name]
    place = int(len(whole) * share)
    read_or_refuse(name, whole[:place] + change + whole[place + len(change) :])


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(NAMES.split()),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_known_names_with_values_of_any_type_are_read_or_refused(value: object) -> None:
    read_or_refuse("file.json", json.dumps([value]).encode())
    read_or_refuse("file.json", json.dumps(value).encode())


@pytest.mark.parametrize("template", OUTWARD)
def test_a_path_in_an_archive_leads_nowhere(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members are read into memory under their own names. Nothing is written."""
    monkeypatch.chdir(tmp_path)
    body = make_zip(**{template.format("conversations.json"): CHATGPT})
    read_or_refuse(template.format("upload.zip"), body)
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(folder, "conversations.json").exists() for folder in ("/srv", "/", tmp_path.parent))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/shadow", "a/b/../c.txt", "..", "."])
def test_the_name_of_a_file_is_no_path(name: str) -> None:
    found = read_upload(name, b"A note.").items[0].document_id
    assert found
    assert "/" not in found


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    bomb = make_zip(**{"conversations.json": b" " * (upload.MOST_UNPACKED + MEGABYTE)})
    assert len(bomb) < MEGABYTE
    tracemalloc.start()
    with pytest.raises(UnreadableUpload, match="larger than"):
        read_upload("a.zip", bomb)
    assert tracemalloc.get_traced_memory()[1] < 5 * MEGABYTE
    tracemalloc.stop()


def test_a_bomb_in_a_word_document_is_refused_before_it_fills_the_memory() -> None:
    bomb = make_docx("<w:p/>" * (word_text.MOST_XML // 6))
    assert len(bomb) < MEGABYTE
    tracemalloc.start()
    with pytest.raises(UnreadableUpload, match="more than 20 MB"):
        read_upload("a.docx", bomb)
    assert tracemalloc.get_traced_memory()[1] < 5 * MEGABYTE
    tracemalloc.stop()


def test_deep_tags_in_a_word_document_are_read() -> None:
    body = "<w:ins>" * 100_000 + "<w:r><w:t>Deep</w:t></w:r>" + "</w:ins>" * 100_000
    assert read_upload("a.docx", make_docx(body)).items[0].text == "Deep"


def test_a_bomb_that_names_a_small_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "MOST_UNPACKED", 50_000)
    body = bytearray(make_zip(**{"conversations.json": b" " * 100_000}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", body, body.index(mark) + offset, 10)  # the size in both headers
    with pytest.raises(UnreadableUpload):
        read_upload("a.zip", bytes(body))


def test_an_archive_of_very_many_files_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(upload.MOST_FILES + 1):
            archive.writestr(f"{number}.json", b"")
    with pytest.raises(UnreadableUpload, match="larger than"):
        read_upload("a.zip", packed.getvalue())


def test_a_stream_in_a_pdf_that_unpacks_to_much_is_bounded() -> None:
    content = zlib.compress(b"BT (" + b"a" * (120 * MEGABYTE) + b") Tj ET", 9)
    plain = make_pdf("x")
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)
    begin = plain.index(b"<< /Length")
    end = plain.index(b"endstream", begin) + len(b"endstream")
    tracemalloc.start()
    read_or_refuse("menu.pdf", plain[:begin] + stream + plain[end:])
    assert tracemalloc.get_traced_memory()[1] < 300 * MEGABYTE
    tracemalloc.stop()
