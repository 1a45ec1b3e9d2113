"""The text of a Word document (DOCX): an archive of XML files.

Only the texts are wanted, so the XML is read as a stream of tags. A library would build the whole tree first: mammoth
takes minutes and 1.6 GB for an archive of 15 KB, and python-docx leaves out tracked insertions and content controls.
"""

import re
import time
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from memoryplatform.operations.imports.upload import UnreadableUpload, read_member

MAIN = re.compile(r"word/document\d*\.xml")
NOTES = ("word/footnotes.xml", "word/endnotes.xml")
SPACES = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",  # "Strict Open XML Document"
)
LEFT_OUT = {
    "pPr",  # has the stops of tabulators, which are tags `tab` too
    "moveFrom",  # text that a tracked change has moved elsewhere
    "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback",  # repeats a text box for old programs
}
MOST_XML = 20_000_000  # bytes of XML, the text of more than a thousand pages
PIECE = 1_000_000  # bytes between two looks at the clock
MOST_SECONDS = 20
BROKEN = "This Word document is broken: it can't be unpacked."


def find_main_part(archive: zipfile.ZipFile) -> str:
    """The file of an archive that has the text of a Word document. Empty if the archive is none."""
    return next((name for name in sorted(archive.namelist()) if MAIN.fullmatch(name)), "")


def read_word(archive: zipfile.ZipFile) -> str:
    """The text with its footnotes. Rows of a table are lines. Headers, comments and deleted text are left out."""
    wanted = [find_main_part(archive), *(name for name in NOTES if name in archive.namelist())]
    if sum(archive.getinfo(name).file_size for name in wanted) > MOST_XML:
        raise UnreadableUpload(f"This Word document has more than {MOST_XML // 1_000_000} MB of text. Split it.")
    end = time.monotonic() + MOST_SECONDS
    texts = (read_part(read_member(archive, name), end) for name in wanted)
    return "\n\n".join(text for text in texts if text)


def read_part(xml: bytes, end: float) -> str:
    reader = PartReader()
    try:
        for piece in cut_pieces(xml):
            reader.parser.Parse(piece, False)  # is it the last piece
            if time.monotonic() > end:
                raise UnreadableUpload("Reading this Word document takes too long. Split it.")
        reader.parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError):
        raise UnreadableUpload(BROKEN) from None
    lines = (line.strip().removesuffix("|").rstrip() for line in "".join(reader.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def cut_pieces(xml: bytes) -> Iterator[bytes]:
    return (xml[start : start + PIECE] for start in range(0, len(xml), PIECE))


class PartReader:
    """Collects the text between the tags of one XML file."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._is_text = False
        self._left_out = 0  # depth of LEFT_OUT
        self._cells = 0  # depth of tables
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.read
        self.parser.StartDoctypeDeclHandler = refuse_declaration

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        tag = read_tag(name)
        if tag in LEFT_OUT:
            self._left_out += 1
        if self._left_out:
            return
        self._is_text = tag == "t"
        if tag == "tab":
            self.parts.append("\t")
        elif tag in {"br", "cr"}:
            self.parts.append(" " if self._cells else "\n")
        elif tag == "tc":
            self._cells += 1

    def end(self, name: str) -> None:
        tag = read_tag(name)
        if tag in LEFT_OUT:
            self._left_out -= 1
        if self._left_out:
            return
        self._is_text = False
        if tag == "tc":
            self._cells -= 1
            self.parts.append("| ")
        elif tag == "p":
            self.parts.append(" " if self._cells else "\n\n")
        elif tag in {"tr", "tbl"}:
            self.parts.append(" " if self._cells else "\n")

    def read(self, text: str) -> None:
        if self._is_text and not self._left_out:
            self.parts.append(text)


def read_tag(name: str) -> str:
    """The name of one of Word's own tags; other names as they are."""
    space, _, tag = name.rpartition(" ")
    return tag if space in SPACES else name


def refuse_declaration(*_declared: object) -> None:
    """Word declares no entities. They could refer to each other until the text fills the memory."""
    raise UnreadableUpload(BROKEN)
