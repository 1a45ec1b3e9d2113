"""Names that consist of time words, and times that look like names."""

from datetime import UTC, datetime

import pytest

from timewords import find_dates, find_window

MOMENT = datetime(2026, 7, 31, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    "text",
    [
        "What does Tomorrow Corporation make?", "Did I like Yesterday by the Beatles?", "Have we heard Yesterday?",
        "Did I like Ruby Tuesday?", "Who is Man Friday?", "Who is Anna Sunday?", "Who starred in Friday Night Lights?",
        "We saw Monday Mornings United live.", "What is the Good Friday Agreement?", "Have I been on Christmas Island?",
        "Who is Mr. Friday?", "Was hat Frau Sonntag gesagt?", "Wer ist Herr Freitag?", "¿Quién es Domingo?",
        "Plácido Domingo sang", "Chi è Domenica Rossi?", "Domenica Rossi", 'Who sang "September"?',
        "Who sang „September“?", "What does 'Friday' mean?", "Have I seen Groundhog Day?",
        "Did I watch Halloween?", "Was Independence Day, the movie, any good?", "Who was in the film Black Friday?",
        "Onde fica a Rua 25 de Março?", "¿Dónde está la calle 2 de Mayo?",
        "Wo ist die Straße des 17. Juni?", "Où est la rue du 4 Septembre ?", "via 20 settembre",
    ],
)  # fmt: skip
def test_a_name_is_no_time(text: str) -> None:
    assert find_window(text, asked_at=MOMENT) is None
    assert find_dates(text, said_at=MOMENT) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What did I do Yesterday?", "Yesterday"),
        ("What Did I Hear Yesterday By The Lake?", "Yesterday"),
        ("DID ANN CALL YESTERDAY BY PHONE", "YESTERDAY"),
        ("Yesterday Anna Smith called.", "Yesterday"),
        ("Ann said: Yesterday by noon all was done.", "Yesterday by noon"),
        ("What did I do Tomorrow Morning?", "Tomorrow Morning"),
        ("On Friday Anna Smith came.", "Friday"),
        ("Last Christmas Anna Smith came.", "Last Christmas"),
        ("I met Anna Friday.", "Friday"),
        ("Who is at home Sunday?", "Sunday"),
        ("We saw Mr. Friday on Sunday.", "Sunday"),
        ("Meine Frau war Freitag beim Arzt.", "Freitag"),
        ("Ich habe meine Frau Freitag getroffen.", "Freitag"),
        ("El Domingo fui a misa.", "Domingo"),
        ("What did I do Yesterday at work?", "Yesterday"),
        ("WHO CAME CHRISTMAS ANNA SMITH ASKED", "CHRISTMAS"),
        ("Christmas Anna Smith came to us.", "Christmas"),
        ("Am Montag Morgen war ich krank.", "Montag"),
        ("El Domingo Pedro fue a misa.", "Domingo"),
        ('"yesterday"', "yesterday"),
        ('What happened in "March 2024"?', "March 2024"),
        ("What did I watch on Independence Day?", "Independence Day"),
        ("What did I watch Halloween night?", "Halloween night"),
        ("On Independence Day the band was late.", "Independence Day"),
        ("El 25 de marzo fui a la calle Mayor.", "25 de marzo"),
    ],
)
def test_a_time_that_only_looks_like_a_name_is_a_time(text: str, words: str) -> None:
    assert [found.text for found in find_dates(text, said_at=MOMENT)] == [words]
