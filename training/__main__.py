"""The steps of the training: `python -m training STEP... --work FOLDER`. README.md says in which order."""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from training.bert import Encoder
from training.embedder import (
    EmbedderSettings,
    StudentSettings,
    distil_embedder,
    match_cosines,
    train_embedder,
)
from training.evaluate import evaluate_embedder, evaluate_reranker, write_table
from training.export import export
from training.first_stage import QUERY_PREFIX, build_pools, embed_conversations, score_pairs
from training.lists import TrainingList, build_lists, find_more_questions
from training.reranker import DistilSettings, RerankerSettings, distil_reranker, train_reranker
from training.words import (
    DistilWordsSettings,
    WordEncoder,
    WordSettings,
    count_prefix,
    distil_words,
    evaluate_words,
    start_head,
    tune_words,
)
from training.work import Work

POOL = 40
CHAT_REPEATS = 8  # LongMemEval has few questions, and they are the most like what people ask an assistant
STUDENT_LAYERS = {6: (1, 3, 5, 7, 9, 11), 4: (2, 5, 8, 11), 3: (3, 7, 11)}
SHORTEST_PASSAGE, LONGEST_PASSAGE = 60, 900  # characters
MOST_PASSAGES = 255_000
WORD_SIZE = 64  # numbers of a word's vector
EVALUATED_WORDS = 64  # candidates of a question
MOST_WORD_POOLS = 200  # questions of a source
MATCHED = 1_500  # texts whose cosines are compared with the stock model's
STARTED = time.monotonic()


def prepare(work: Work) -> None:
    """The candidates of the stock embedder, the stock reranker's scores, and the lists made of both."""
    training, _ = work.read_conversations()
    pools = build_pools(
        training, embed_conversations(work.read_stock_embedder(), work.document_texts, training), size=POOL
    )
    scores = score_pairs(work.read_stock_reranker(), work.pair_texts, pools, with_evidence=True)
    lists = build_lists(pools, scores)
    work.write_lists(pools, lists)
    say(f"{len(pools)} pools, {len(lists)} lists")


def tune_embedder(work: Work) -> None:
    """On meetings and chats. LifeBench's phone records and RealMem's projects teach it what helps only there."""
    settings = EmbedderSettings(batch=2, epochs=1) if work.limit else EmbedderSettings()
    lists = choose_lists(work.read_lists()[1])
    work.save(train_embedder(work.read_stock_embedder(), work.document_texts, lists, settings), "embedder-12")


def tune_reranker(work: Work) -> None:
    """On the same lists, for the same reason."""
    settings = RerankerSettings(batch=2, epochs=1) if work.limit else RerankerSettings()
    lists = choose_lists(work.read_lists()[1])
    work.save(train_reranker(work.read_stock_reranker(), work.pair_texts, lists, settings), "reranker-12")


def choose_lists(lists: Sequence[TrainingList]) -> list[TrainingList]:
    chats = [one for one in lists if one.conversation.source == "longmemeval"]
    return [*(one for one in lists if one.conversation.source == "qmsum"), *CHAT_REPEATS * chats]


def distil_embedders(work: Work) -> None:
    """To six layers, on the training part and on general text, with the stock model's spread of cosines."""
    passages, questions, general = read_corpus(work)
    corpus = [*passages, *(QUERY_PREFIX + text for text in questions), *general]
    say(f"{len(corpus)} texts")
    stock = work.read_stock_embedder()
    settings = StudentSettings(seconds=5, tokens=2_048) if work.limit else StudentSettings()
    student = distil_embedder(
        work.load("embedder-12", stock), work.document_texts, corpus, layers=STUDENT_LAYERS[6], settings=settings
    )
    say(f"shifted by {match_cosines(student, stock, work.document_texts, passages[:MATCHED])}")
    work.save(student, "embedder-6")


def read_corpus(work: Work) -> tuple[list[str], list[str], list[str]]:
    """Passages and questions of the training part, and general text."""
    training, _ = work.read_conversations()
    passages = [passage for one in training for text in one.texts for passage in split_passages(text)]
    corpus = list(dict.fromkeys(" ".join(text.split())[:LONGEST_PASSAGE] for text in passages))
    random.Random(7).shuffle(corpus)
    asked = [one.text for conversation in training for one in conversation.questions]
    more = [one.text for conversation in find_more_questions(training, most=20_000) for one in conversation.questions]
    return corpus[:MOST_PASSAGES], [*asked, *asked, *more], work.read_general_text()


def tune_word_teacher(work: Work) -> None:
    """Twelve layers whose states become short vectors of words, on the same lists as the reranker."""
    lists = choose_lists(work.read_lists()[1])
    teacher = WordEncoder(work.read_stock_words(), size=WORD_SIZE)
    teacher.encoder.freeze_embeddings()
    texts = [text for one in lists[:400] for text in one.conversation.texts[:10]]
    start_head(teacher, work.document_texts, texts)
    settings = WordSettings(seconds=5, batch=2, hold=0) if work.limit else WordSettings(hold=0)
    work.save_words(tune_words(teacher, work.document_texts, lists, settings, prefix=0), "words-12")


def distil_word_student(work: Work) -> None:
    """Into the embedder of six layers, so that one run gives the vector of a text and those of its words."""
    texts, lists = work.document_texts, choose_lists(work.read_lists()[1])
    teacher = work.load_words("words-12", work.read_stock_words())
    embedder = work.load("embedder-6", work.read_stock_embedder())
    passages, questions, general = read_corpus(work)
    general_questions = [text.removeprefix(QUERY_PREFIX) for text in general if text.startswith(QUERY_PREFIX)]
    corpus = [*passages, *(text for text in general if not text.startswith(QUERY_PREFIX))]
    settings = DistilWordsSettings(seconds=5, tokens=2_048) if work.limit else DistilWordsSettings()
    student = distil_words(teacher, embedder, texts, corpus, [*questions, *general_questions], settings)
    tuning = WordSettings(seconds=5, batch=2) if work.limit else WordSettings(seconds=25, rate=3e-5)
    work.save_words(tune_words(student, texts, lists, tuning, prefix=count_prefix(texts)), "words-6")


def split_passages(text: str) -> list[str]:
    """A text, and its paragraphs if there are several."""
    paragraphs = [one for one in text.split("\n") if len(one) > SHORTEST_PASSAGE]
    return [text, *paragraphs] if len(paragraphs) > 1 else [text]


def distil_rerankers(work: Work) -> None:
    """To six, four and three layers, on the candidates of the known questions and of others asked in the talk."""
    more = find_more_questions(work.read_conversations()[0], most=9_000)
    vectors = embed_conversations(work.read_stock_embedder(), work.document_texts, more)
    pools = [*work.read_lists()[0], *build_pools(more, vectors, size=POOL)]
    teacher = work.load("reranker-12", work.read_stock_reranker())
    scores = score_pairs(teacher, work.pair_texts, pools)
    settings = DistilSettings(epochs=1, batch=2) if work.limit else DistilSettings()
    for layers in work.student_layers:
        kept = STUDENT_LAYERS[layers]
        student = distil_reranker(teacher, work.pair_texts, pools, scores, layers=kept, settings=settings)
        work.save(student, f"reranker-{layers}")


def evaluate(work: Work) -> None:
    """Every model that a step has left, beside the stock one."""
    sets = work.read_evaluation_sets()
    embedders = load_all(work, "embedder", work.read_stock_embedder())
    say(write_table({name: evaluate_embedder(one, work.document_texts, sets) for name, one in embedders.items()}))
    for name, stock, prefix in (
        ("words-12", work.read_stock_words, 0),
        ("words-6", work.read_stock_embedder, count_prefix(work.document_texts)),
    ):
        if (work.folder / f"{name}.pt").exists():
            words = work.load_words(name, stock())
            for source, conversations in sets.items():
                vectors = embed_conversations(work.read_stock_embedder(), work.document_texts, conversations)
                pools = build_pools(conversations, vectors, size=EVALUATED_WORDS)[:MOST_WORD_POOLS]
                say(f"{name}, {source}: {evaluate_words(words, work.document_texts, pools, prefix=prefix)}")
    rerankers = load_all(work, "reranker", work.read_stock_reranker())
    if len(rerankers) == 1:
        return
    sets.pop("dictionary", None)
    found = evaluate_reranker(rerankers, work.read_stock_embedder(), work.document_texts, work.pair_texts, sets)
    say(write_table(found))


def load_all(work: Work, kind: str, stock: Encoder) -> dict[str, Encoder]:
    names = sorted(path.stem for path in work.folder.glob(f"{kind}-*.pt"))
    return {"stock": stock} | {name: work.load(name, stock) for name in names}


def write_weights(work: Work) -> None:
    """The embedder and the reranker as the int8 files that the service loads, if their steps have run."""
    embedders = dict.fromkeys(("embedder-12", "embedder-6"), work.read_stock_embedder)
    stocks = embedders | dict.fromkeys(("reranker-12", "reranker-6"), work.read_stock_reranker)
    for name, read_stock in stocks.items():
        if (work.folder / f"{name}.pt").exists():
            stock = work.folder / name.partition("-")[0] / "model.onnx"
            export(work.load(name, read_stock()), stock=stock, to=work.folder / f"{name}.onnx")
    if (work.folder / "words-6.pt").exists():
        words = work.load_words("words-6", work.read_stock_embedder())
        export(
            words.encoder,
            stock=work.folder / "embedder" / "model.onnx",
            to=work.folder / "words-6.onnx",
            head=words.head.weight,
        )


STEPS: dict[str, Callable[[Work], None]] = {
    "prepare": prepare,
    "embedder": tune_embedder,
    "reranker": tune_reranker,
    "distil-embedder": distil_embedders,
    "distil-reranker": distil_rerankers,
    "words": tune_word_teacher,
    "distil-words": distil_word_student,
    "evaluate": evaluate,
    "export": write_weights,
}


def say(text: str) -> None:
    print(f"[{time.monotonic() - STARTED:.0f} s] {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training")
    parser.add_argument("steps", nargs="+", choices=STEPS)
    parser.add_argument("--work", type=Path, required=True, help="the folder with data/, embedder/ and reranker/")
    parser.add_argument("--limit", type=int, help="texts of a conversation, for a trial")
    parser.add_argument(
        "--layers", type=int, nargs="*", default=list(STUDENT_LAYERS), help="of the rerankers to distil"
    )
    options = parser.parse_args()
    work = Work(options.work, limit=options.limit, student_layers=options.layers)
    for step in options.steps:
        say(step)
        STEPS[step](work)


if __name__ == "__main__":
    main()
