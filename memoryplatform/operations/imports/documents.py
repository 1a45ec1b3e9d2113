"""Readers of documents: plain text, Markdown, HTML, and the text of a PDF or a Word document."""

import io
import re
import time
import zipfile
from html.parser import HTMLParser

from django.utils import timezone
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from banks.retain.input import RetainItem
from memoryplatform.operations.imports.upload import UnreadableUpload, Upload, clean, name_document, open_archive
from memoryplatform.operations.imports.word_text import find_main_part, read_word

ARCHIVE_START = b"PK\x03\x04"
PDF_START = b"%PDF"
MARKDOWN = (".md", ".markdown", ".mdx")
HTML = (".html", ".htm", ".xhtml")
HTML_START = re.compile(rb"\s*(?:<!doctype html|<html[\s>])", re.IGNORECASE)
UNSEEN = frozenset({"head", "script", "style", "template", "noscript"})
INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u"})
PDF_HEADER = 1_024  # bytes in which readers look for the start
MOST_PAGES = 2_000
MOST_SECONDS = 20  # of reading a PDF


def read_document(name: str, body: bytes) -> Upload:
    """One document. Raises UnreadableUpload."""
    if not body.strip():
        raise UnreadableUpload("The file is empty.")
    if is_pdf(name, body):
        return read_pdf(body, name=name)
    if body.startswith(ARCHIVE_START):
        return read_docx(open_archive(body), name_document(name, body))
    if name.lower().endswith(HTML) or HTML_START.match(body):
        return read_html(body, name=name)
    return read_text(body, name=name)


def is_pdf(name: str, body: bytes) -> bool:
    """A file that only calls itself a PDF is one too: a broken one, and no text."""
    return body.startswith(PDF_START) or name.lower().endswith(".pdf")


class PageText(HTMLParser):
    """Collects what a browser shows. Blocks are lines of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in UNSEEN
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in UNSEEN))
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(re.sub(r"\s+", " ", data))

    def _break(self, tag: str) -> None:
        if tag not in INLINE:
            self.parts.append("\n")

    def read(self) -> str:
        lines = (line.strip() for line in "".join(self.parts).split("\n"))
        return "\n".join(line for line in lines if line)


def read_html(body: bytes, *, name: str) -> Upload:
    """The visible text of the page."""
    written = read_text(body, name=name)
    page = PageText()
    page.feed(written.items[0].text)
    page.close()
    return build_document("html", page.read(), name_document(name, body), list(written.warnings))


def read_text(body: bytes, *, name: str) -> Upload:
    """UTF-8 as a rule. A file with another encoding is read as UTF-16 where it says so, else as Windows-1252."""
    warnings = []
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        is_wide = body.startswith((b"\xff\xfe", b"\xfe\xff"))
        try:
            text = body.decode("utf-16" if is_wide else "cp1252")
        except UnicodeDecodeError:
            raise UnreadableUpload("This is neither a text nor a file of a known format.") from None
        warnings.append(f"The file is no UTF-8. It was read as {'UTF-16' if is_wide else 'Windows-1252'}.")
    if "\x00" in text:
        raise UnreadableUpload("This is neither a text nor a file of a known format.")
    kind = "markdown" if name.lower().endswith(MARKDOWN) else "text"
    return build_document(kind, text, name_document(name, body), warnings)


def read_pdf(body: bytes, *, name: str) -> Upload:
    """The text of the pages. A page that is only a picture has none."""
    if PDF_START not in body[:PDF_HEADER]:
        raise UnreadableUpload("This is no PDF, although its name says so.")
    try:
        pages = read_pages(PdfReader(io.BytesIO(body)))
    except UnreadableUpload:
        raise
    except PyPdfError as fault:
        raise UnreadableUpload(f"This PDF is broken: {fault}") from None
    except Exception:  # noqa: BLE001  # a broken file can raise anything in the library
        raise UnreadableUpload("This PDF is broken: its pages can't be read.") from None
    texts = [text for text in pages if text]
    if not texts:
        raise UnreadableUpload("This PDF has no text. A scan needs text recognition first.")
    empty = len(pages) - len(texts)
    warnings = [f"{empty} of {len(pages)} pages have no text."] if empty else []
    return build_document("pdf", "\n\n".join(texts), name_document(name, body), warnings)


def read_pages(reader: PdfReader) -> list[str]:
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableUpload("This PDF is protected by a password. Save it without one, and upload that.")
    if len(reader.pages) > MOST_PAGES:
        raise UnreadableUpload(f"This PDF has more than {MOST_PAGES:,} pages. Split it.")
    end, pages = time.monotonic() + MOST_SECONDS, []
    for page in reader.pages:
        pages.append(clean(page.extract_text()).strip())
        if time.monotonic() > end:
            raise UnreadableUpload("Reading this PDF takes too long. Split it.")
    return pages


def read_docx(archive: zipfile.ZipFile, document_id: str) -> Upload:
    if not find_main_part(archive):
        raise UnreadableUpload("Archives and other office documents are not read. Save it as DOCX, PDF, HTML or text.")
    return build_document("docx", read_word(archive), document_id, [])


def build_document(kind: str, text: str, document_id: str, warnings: list[str]) -> Upload:
    if not text.strip():
        raise UnreadableUpload("There is no text in this file.")
    text = clean(text).replace("\r\n", "\n")
    item = RetainItem(timezone.now(), text=text, document_id=document_id, is_dated=False)
    return Upload(kind, (item,), tuple(warnings))
