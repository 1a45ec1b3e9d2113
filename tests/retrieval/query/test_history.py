from datetime import UTC, datetime

import pytest

from banks.dates import find_window
from retrieval.query.history import wants_history

ASKED_AT = datetime(2026, 8, 12, 14, 30, tzinfo=UTC)


def opens(query: str) -> bool:
    return wants_history(query, find_window(query, asked_at=ASKED_AT), asked_at=ASKED_AT)


@pytest.mark.parametrize(
    "query",
    [
        "Where did Ines use to live, I mean what town she used to live in?",
        "Where did Ines use to live?",
        "Didn't she use to smoke?",
        "Where did I work before?",
        "What was my previous job, before that one?",
        "What was Karl's previous town?",
        "Who had the prior claim?",
        "What is his old phone number?",
        "What was Karl's old address?",
        "Who is her ex-husband?",
        "Has Karl ever lived abroad?",
        "How did my opinion about running change?",
        "How has the plan changed over time?",
        "Who was formerly in charge?",
        "Wo habe ich früher gewohnt?",
        "Wie lautet ihre alte Telefonnummer?",
        "Was war seine vorherige Stelle?",
        "¿Dónde vivía antes?",
        "¿Cuál era su antigua dirección?",
        "Où travaillait-elle auparavant ?",
        "Quelle est son ancienne adresse ?",
        "Qual era il suo lavoro precedente?",
        "Wat was haar vorige baan?",
        "Qual era o antigo endereço dela?",
        "Где я раньше жил?",
        "Какая была прежняя работа Карла?",
        "我以前住在哪里",
    ],
)
def test_words_of_the_past_want_history(query: str) -> None:
    assert opens(query)


@pytest.mark.parametrize(
    "query",
    [
        "Where did Ines live before Porto?",
        "where did ines live before porto?",
        "Where did Ines live before she moved to Porto?",
        "Before moving to Porto, where did Ines live?",
        "What did Karl do before Siemens?",
        "What did Karl do before joining Siemens?",
        "Where did Karl work prior to Siemens?",
        "What car did Karl drive before the accident?",
        "Who was her manager before the merger?",
        "Wo hat Ines vor Porto gewohnt?",
        "Wo wohnte Ines, bevor sie nach Porto zog?",
        "Was hat Karl gemacht, bevor er zu Siemens gewechselt ist?",
        "Où habitait Ines avant Porto ?",
        "Qu'est-ce que Karl faisait avant Siemens ?",
        "¿Dónde vivía Ines antes de Oporto?",
        "¿Qué hacía Karl antes de mudarse?",
        "Dove abitava Ines prima di Porto?",
        "Waar woonde Ines voor Porto?",
        "Waar werkte Karl voordat hij verhuisde?",
        "Onde morava a Ines antes do Porto?",
        "Где жила Инес до Порту?",
        "Где работал Карл до того, как переехал?",
        "伊内斯来波尔图之前住在哪里",
    ],
)
def test_a_state_that_something_ended_wants_history(query: str) -> None:
    assert opens(query)


@pytest.mark.parametrize(
    "query",
    [
        "When did Ines live in Porto?",
        "Did Ines live in Porto?",
        "How long did Ines and her two sisters live in Porto?",
        "Which cities has Ines lived in?",
        "Where have I worked?",
        "How many times has Ines moved?",
        "How often did they change the plan?",
        "List all jobs Ines has had.",
        "List all of Karl's cars.",
        "What jobs did Ines have?",
        "What did Karl do for a living?",
        "Which team did Karl play for?",
        "Where was Ines living?",
        "Who was Karl's manager?",
        "How much was the rent?",
        "Was Karl married?",
        "Has Karl been married?",
        "Who worked at the mill?",
        "Which phone is the one Karl had?",
        "Wo hat Ines schon überall gewohnt?",
        "Welche Autos hatte Karl?",
        "Wie oft ist Ines umgezogen?",
        "Où a-t-elle habité ?",
        "¿En qué ciudades ha vivido Ines?",
        "In quali città ha vissuto Ines?",
        "Waar heeft Ines allemaal gewoond?",
        "Onde morou a Ines?",
        "Где жила Инес?",
        "Сколько раз Инес переезжала?",
        "伊内斯住过哪些城市",
    ],
)
def test_a_state_of_the_past_wants_history(query: str) -> None:
    assert opens(query)


@pytest.mark.parametrize(
    "query",
    [
        "Where did Ines live in February 2026?",
        "Where did Ines work last winter?",
        "Who was my dentist before 2020?",
        "Wo hat Ines letzten Winter gewohnt?",
        "Où habitait Ines en 2019 ?",
        "What did I eat the day before yesterday?",
    ],
)
def test_a_time_that_is_over_wants_history(query: str) -> None:
    assert opens(query)


@pytest.mark.parametrize(
    "query",
    [
        "Where do I live?",
        "Where does Ines live?",
        "When did she move?",
        "Where does Ines live this year?",
        "Where has Ines lived since 2019?",
        "How long has Ines lived in Porto?",
        "Where is Ines living?",
        "What jobs does Karl have?",
        "When did Karl go to the market?",
        "What did Ines buy?",
        "What did I have to bring?",
        "When was the concert?",
        "What has Karl bought?",
        "Has Ines called?",
        "Wo wohnt Ines?",
        "Was hat Karl gekauft?",
        "Où habite Ines ?",
        "¿Dónde vive Ines?",
        "Где живёт Инес?",
        "伊内斯住在哪里",
        "What is planned before Friday?",
        "Am I used to cold weather, would you say she is used to it?",
        "What did I buy before the trip to Rome?",
        "What did Karl cook before Ines arrived?",
        "What did she eat before breakfast?",
        "Was Karl tired before the race?",
        "Where did I live it up before dinner?",
        "WHAT DID SHE EAT BEFORE YOGA?",
        "What should I pack before moving to Porto?",
        "What should I see before Porto?",
        "What did we do the night before?",
        "Who is my old friend from school, my old friend Karl?",
        "How old is Karl?",
        "In our previous conversation you named a spice, which one?",
        "When is a change of tyres due?",
        "Hat Ines Angst vor Hunden?",
        "Was hat Ines vor dem Frühstück gegessen?",
        "Que dois-je faire avant de déménager ?",
        "Qu'est-ce que j'ai mangé avant le dîner ?",
        "Wat heb ik voor Ines gekocht?",
        "Сколько ехать до Порту?",
        "我早饭之前吃了什么",
    ],
)
def test_other_questions_do_not(query: str) -> None:
    assert not opens(query)


def test_the_day_before_yesterday_says_nothing_by_its_words() -> None:
    query = "What is the day before yesterday called?"
    window = find_window(query, asked_at=ASKED_AT)
    assert window is not None
    long_ago = datetime(2000, 1, 1, tzinfo=UTC)
    assert not wants_history(query, window, asked_at=long_ago)
