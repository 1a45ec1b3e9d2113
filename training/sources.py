"""Conversations with questions whose evidence is known, read from the files of each source.

Every source becomes the same thing: a list of texts, and questions that name the texts which answer them. The texts are
written the way the service writes memories, "Name: words", with the question that they answer on a line before.
"""

import gzip
import json
import lzma
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path

LONGEST_QUESTION = 200
LAST_QUESTION = re.compile(r"[^.!?\n]*\?\s*$")
LOCOMO_TURN = re.compile(r"D\d+:\d+")
NEIGHBOURS = 2  # turns to either side of a piece of evidence that may hold it as well


@dataclass(frozen=True)
class Question:
    """`evidence` holds indexes of texts. The first `candidates` texts were there when it was asked.

    `excluded` are texts that may answer although nobody marked them, so that they must not count as wrong.
    """

    text: str
    evidence: tuple[int, ...]
    candidates: int
    kind: str = ""
    excluded: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Conversation:
    source: str
    name: str
    texts: tuple[str, ...]
    days: tuple[date | None, ...]
    questions: tuple[Question, ...] = field(repr=False, default=())

    def read(self, index: int) -> str:
        """A text as the reranker reads it, with its day."""
        day = self.days[index]
        return self.texts[index] if day is None else f"[Date: {day:%B %d, %Y} ({day.isoformat()})] {self.texts[index]}"


def read_training_sources(folder: Path) -> list[Conversation]:
    """LifeBench, RealMem, QMSum and iKAT. A person or meeting is never in two splits: see `split`."""
    return [
        build_conversation(json.loads(line), source=name)
        for name in ("lifebench", "realmem", "qmsum", "ikat-ptkb")
        for line in read_compressed(folder / f"{name}.jsonl.xz").strip().split("\n")
    ]


def split(conversations: Sequence[Conversation]) -> tuple[list[Conversation], list[Conversation]]:
    """For training, and every fifth person or meeting of each source for choosing between settings."""
    training: list[Conversation] = []
    held: list[Conversation] = []
    seen: dict[str, int] = {}
    for one in conversations:
        place = seen.get(one.source, 0)
        seen[one.source] = place + 1
        (held if place % 5 == 4 else training).append(one)
    return training, held


def build_conversation(data: dict, *, source: str) -> Conversation:
    turns = data["turns"]
    texts = write_lifebench(data) if source == "lifebench" else write_turns(data, source=source)
    days = [read_day(turn["date"]) for turn in turns]
    sessions = [turn["session"] for turn in turns]
    index_of = {turn["id"]: index for index, turn in enumerate(turns)}
    conversation = Conversation(source, data["conversation_id"], tuple(texts), tuple(days))
    questions = []
    for asked in data["questions"]:
        evidence = tuple(index_of[one] for one in asked["evidence"])
        if not evidence:
            continue
        before = asked.get("before")
        last = index_of[before] if before in index_of else len(turns)
        evidence = tuple(one for one in evidence if one < last)
        if not evidence:
            continue
        text = asked.get("rewritten") or asked["question"]
        excluded = find_excluded(evidence, sessions, days, same_day=source == "lifebench")
        questions.append(Question(text, evidence, last, asked["type"], excluded))
    return replace(conversation, questions=tuple(questions))


def write_lifebench(data: dict) -> list[str]:
    """A text message begins with its sender; notes, photos and notices stand as they are."""
    person = find_name(data)
    texts = []
    for turn in data["turns"]:
        direction, _, other = turn["speaker"].partition(" ")
        sender = {"to": person, "from": other}.get(direction, "") if turn["session"] == "sms" else ""
        is_named = turn["text"].startswith(f"{sender}:")
        texts.append(f"{sender}: {turn['text']}" if sender and not is_named else turn["text"])
    return texts


def find_name(data: dict) -> str:
    """The id is "lifebench-fenghaoran"; the questions write the name as two words."""
    written = data["conversation_id"].removeprefix("lifebench-")
    for asked in data["questions"]:
        words = re.findall(r"[A-Z][a-z]+", asked["question"])
        for first, second in pairwise(words):
            if (first + second).lower() == written:
                return f"{first} {second}"
    return ""


def write_turns(data: dict, *, source: str) -> list[str]:
    turns = data["turns"]
    words = [turn["text"] for turn in turns]
    if source == "ikat-ptkb":
        return words
    # RealMem's ids end with the person's name.
    person = data["conversation_id"].removeprefix("realmem-").replace("_", " ") if source == "realmem" else "User"
    speakers = [person if turn["speaker"] == "User" else turn["speaker"] for turn in turns]
    return write_talk(speakers, words, [turn["session"] for turn in turns])


def write_talk(speakers: Sequence[str], words: Sequence[str], sessions: Sequence[str]) -> list[str]:
    """Each turn with its speaker, after the question that it replies to."""
    texts = []
    for index, (speaker, text) in enumerate(zip(speakers, words, strict=True)):
        replies = index > 0 and sessions[index] == sessions[index - 1] and speaker != speakers[index - 1]
        question = find_last_question(words[index - 1]) if replies else ""
        asked = f"{speakers[index - 1]}: {question}\n" if question else ""
        texts.append(f"{asked}{speaker}: {text}")
    return texts


def find_last_question(text: str) -> str:
    found = LAST_QUESTION.search(text)
    return " ".join(found.group().split())[-LONGEST_QUESTION:] if found else ""


def find_excluded(
    evidence: Sequence[int], sessions: Sequence[str], days: Sequence[date | None], *, same_day: bool
) -> frozenset[int]:
    """The neighbours of the evidence and, where one event leaves several records, all records of its days."""
    near = {
        other
        for one in evidence
        for other in range(max(0, one - NEIGHBOURS), min(len(sessions), one + NEIGHBOURS + 1))
        if sessions[other] == sessions[one]
    }
    if same_day:
        of_evidence = {days[one] for one in evidence}
        near |= {index for index, day in enumerate(days) if day in of_evidence}
    return frozenset(near - set(evidence))


def read_day(text: str | None) -> date | None:
    found = re.match(r"\d{4}-\d\d-\d\d", text or "")
    return date.fromisoformat(found.group()) if found else None


def read_locomo(path: Path) -> list[Conversation]:
    """For evaluation only: its licence is non-commercial. Categories 1 to 4, each with its number as its kind."""
    found = []
    for sample in json.loads(path.read_text()):
        talk = sample["conversation"]
        numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
        speakers, words, sessions, days, index_of = [], [], [], [], {}
        for number in numbers:
            day = datetime.strptime(talk[f"session_{number}_date_time"].split(" on ")[1], "%d %B, %Y").date()
            for turn in talk[f"session_{number}"]:
                index_of[turn["dia_id"]] = len(words)
                caption = turn.get("blip_caption")
                speakers.append(turn["speaker"])
                words.append(f"{turn['text']} [photo: {caption}]" if caption else turn["text"])
                sessions.append(str(number))
                days.append(day)
        texts = write_talk(speakers, words, sessions)
        questions = []
        for asked in sample["qa"]:
            ids = LOCOMO_TURN.findall(" ".join(asked.get("evidence", [])))
            evidence = tuple(sorted({index_of[one] for one in ids if one in index_of}))
            if asked["category"] != 5 and evidence:
                questions.append(Question(asked["question"], evidence, len(texts), str(asked["category"])))
        found.append(Conversation("locomo", sample["sample_id"], tuple(texts), tuple(days), tuple(questions)))
    return found


def read_longmemeval(path: Path) -> list[Conversation]:
    """For evaluation only. One conversation a question; the evidence are the turns with the answer."""
    found = []
    for item in json.loads(read_compressed(path)):
        if item["question_id"].endswith("_abs"):
            continue
        speakers, words, sessions, days, evidence = [], [], [], [], []
        for session, said, day in zip(
            item["haystack_session_ids"], item["haystack_sessions"], item["haystack_dates"], strict=True
        ):
            for turn in said:
                if turn.get("has_answer"):
                    evidence.append(len(words))
                speakers.append("User" if turn["role"] == "user" else "Assistant")
                words.append(turn["content"])
                sessions.append(session)
                days.append(datetime.strptime(day.split()[0], "%Y/%m/%d").date())
        if not evidence:
            continue
        texts = write_talk(speakers, words, sessions)
        question = Question(item["question"], tuple(evidence), len(texts), item["question_type"])
        found.append(Conversation("longmemeval", item["question_id"], tuple(texts), tuple(days), (question,)))
    return found


def read_dictionary(path: Path, *, most_questions: int = 2_000) -> list[Conversation]:
    """General text, for evaluation: "What is X?" asks for FOLDOC's article about X (Debian's package dict-foldoc)."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        articles = re.findall(r"^(\S.*)\n(?:\S.*\n)*\n((?:   .+\n|\n)+)", file.read(), flags=re.MULTILINE)
    articles = [(term.strip(), " ".join(body.replace("{", "").replace("}", "").split())) for term, body in articles]
    articles = [(term, body) for term, body in articles if len(body) > 120]
    texts = tuple(body for _, body in articles)
    step = max(1, len(articles) // most_questions)
    questions = tuple(
        Question(f"What is {term}?", (index,), len(texts))
        for index, (term, _) in enumerate(articles)
        if index % step == 0
    )
    return [Conversation("dictionary", "foldoc", texts, (None,) * len(texts), questions)]


def read_compressed(path: Path) -> str:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return file.read()
