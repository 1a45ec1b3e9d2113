import pytest

from retrieval.analysis import analyse
from retrieval.query.language import find_language
from retrieval.types import RecallQuery
from tests.retrieval.factories import ASKED_AT


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Where did we have dinner?"),
        ("de", "Wo haben wir gestern gegessen?"),
        ("es", "¿Dónde está mi hermana ahora?"),
        ("fr", "Où est-ce que nous avons dîné ?"),
        ("it", "Dove abbiamo cenato e con chi?"),
        ("nl", "Waar hebben wij gegeten?"),
        ("pt", "Onde é que nós jantamos com ela?"),
        ("ru", "Где мы вчера ужинали?"),
        ("zh", "我们昨天在哪里吃饭"),
        ("ja", "昨日はどこで食べましたか"),
        ("ja", "東京大学 昨日の予定"),
        ("ko", "어제 어디에서 먹었어요?"),
        ("ar", "أين تناولنا العشاء؟"),
        ("he", "איפה אכלנו אתמול?"),
        ("hi", "हमने कल कहाँ खाया?"),
        ("th", "เมื่อวานเรากินที่ไหน"),
        ("el", "Πού φάγαμε χθες;"),
    ],
)
def test_the_language_of_a_question_is_detected(language: str, text: str) -> None:
    assert find_language(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "la semaine dernière"),
        ("nl", "twee weken geleden"),
        ("it", "il mese scorso"),
        ("pt", "semana passada"),
        ("es", "la semana pasada"),
        ("de", "im Mai"),
        ("pl", "w zeszłym tygodniu"),
        ("ja", "二週間前"),
        ("zh", "上周"),
        ("uk", "минулого тижня"),
        ("en", "last week"),
        ("en", "What did Ana say about mañana?"),
        ("de", "Was haben wir im August 2024 gemacht?"),
    ],
)
def test_time_words_decide_the_language_of_a_short_query(language: str, text: str) -> None:
    assert analyse(RecallQuery(text, ASKED_AT)).language == language


@pytest.mark.parametrize("text", ["Google", "12", "München Zürich", "😀 ok"])
def test_the_default_language_is_english(text: str) -> None:
    assert find_language(text) == "en"


def test_a_foreign_name_does_not_change_the_language() -> None:
    assert find_language("What did 张伟 say about the dinner with my sister?") == "en"
    assert find_language("Was hat Σωκράτης über das Essen gesagt?") == "de"
