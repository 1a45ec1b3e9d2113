"""Collects general text for the students: `python -m training.general_text FOLDER general.txt.xz`.

FOLDER holds the unpacked Debian packages that README.md names. Each line of the result is one text; a question begins
with "? ".
"""

import gzip
import html
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SHORTEST, LONGEST = 40, 1_200
NO_TEXT = re.compile(r"<(script|style|pre|head|nav)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
PARAGRAPH = re.compile(r"</?(?:p|li|dd|dt|h[1-6]|td|th|div|blockquote|section)\b[^>]*>", re.IGNORECASE)
TAG = re.compile(r"<[^>]+>")
ARTICLE = re.compile(r"^(\S.*)\n((?:[ \t]+.+\n|\n)+)", re.MULTILINE)
SENSE = re.compile(r"\s*(?:\b(?:n|v|adj|adv)\s+)?\b\d+:\s+")
POD = re.compile(r"[A-Z]<+\s?([^<>]*?)\s?>+")


def main() -> None:
    folder, to = Path(sys.argv[1]), Path(sys.argv[2])
    texts = dict.fromkeys(text for read in (read_dictionaries, read_pages, read_manuals) for text in read(folder))
    with lzma.open(to, "wt", encoding="utf-8", preset=6) as file:
        file.writelines(f"{text}\n" for text in texts)
    print(len(texts), "texts,", to.stat().st_size, "bytes")


def read_dictionaries(folder: Path) -> Iterator[str]:
    """Each sense alone, the whole article after its word, and a question about the word."""
    for path in sorted(folder.rglob("*.dict.dz")):
        for term, lines in ARTICLE.findall(gzip.decompress(path.read_bytes()).decode("utf-8", "replace")):
            body = " ".join(lines.replace("{", "").replace("}", "").split())
            senses = [one for one in SENSE.split(body) if len(one) >= SHORTEST]
            yield from (one[:LONGEST] for one in senses)
            if senses:
                yield f"{term.strip()}: {body[:LONGEST]}"
                yield f"? What is {term.strip()}?"


def read_pages(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.html*")):
        if path.is_file() and not path.is_symlink():
            read = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            plain = NO_TEXT.sub(" ", read.decode("utf-8", "replace"))
            yield from choose(html.unescape(TAG.sub("", one)) for one in PARAGRAPH.split(plain))


def read_manuals(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.pod")):
        paragraphs = path.read_text("utf-8", "replace").split("\n\n")
        yield from choose(POD.sub(r"\1", one) for one in paragraphs if not one.startswith((" ", "=", "\t")))


def choose(paragraphs: Iterator[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        if len(text) >= SHORTEST and text.count(" ") >= 5:
            yield text[:LONGEST]


if __name__ == "__main__":
    main()
