from datetime import UTC, datetime

import pytest

from timewords import find_dates, find_window, with_absolute_dates

MOMENT = datetime(2026, 5, 5, 9, 0, tzinfo=UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Who arrives on Sunday?", "2026-05-10"),
        ("Am I free on Saturday?", "2026-05-09"),
        ("Does Ben work on Tuesday?", "2026-05-05"),
        ("Is the office closed on Monday?", "2026-05-11"),
        ("Which trains leave on May 12?", "2026-05-12"),
        ("What have I got on Friday?", "2026-05-08"),
        ("What are we doing in August?", "2026-08-01"),
        ("Who is coming for Christmas?", "2026-12-25"),
        ("Where did I say that I am going on Friday?", "2026-05-08"),
        ("What are we doing over the weekend?", "2026-05-09"),
        ("Does the gym open at 8 am on Sunday?", "2026-05-10"),
        ("Which meeting was moved to Friday?", "2026-05-08"),
        ("Was wurde auf den 20. Mai verschoben?", "2026-05-20"),
        ("Was mache ich am Freitag?", "2026-05-08"),
        ("Was machen wir im August?", "2026-08-01"),
        ("Was machen wir am 3. August?", "2026-08-03"),
        ("Habe ich am 20. Mai etwas vor?", "2026-05-20"),
        ("Muss ich am Montag arbeiten?", "2026-05-11"),
    ],
)
def test_a_question_in_the_present_asks_about_the_next_one(query: str, first: str) -> None:
    window = find_window(query, asked_at=MOMENT)
    assert window is not None
    assert window.start is not None
    assert window.start.date().isoformat() == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What did we cook on Saturday?", "2026-05-02"),
        ("Has Anna called on Monday?", "2026-05-04"),
        ("Is it true that Lena moved in July?", "2025-07-01"),
        ("What is the name of the hotel we stayed at in August?", "2025-08-01"),
        ("Do you remember our trip in August?", "2025-08-01"),
        ("Do I have photos from Sunday?", "2026-05-03"),
        ("What is new since Friday?", "2026-05-01"),
        ("dinner with Ann on Friday", "2026-05-01"),
        ("Was habe ich am Freitag gegessen?", "2026-05-01"),
        ("Was ist am Freitag passiert?", "2026-05-01"),
        ("Was kochte ich am Sonntag?", "2026-05-03"),
        ("Wat is er gebeurd op vrijdag?", "2026-05-01"),
    ],
)
def test_a_question_about_the_past_and_a_fragment_ask_about_the_last_one(query: str, first: str) -> None:
    window = find_window(query, asked_at=MOMENT)
    assert window is not None
    assert window.start is not None
    assert window.start.date().isoformat() == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("The dentist appointment is on May 20.", "2026-05-20"),
        ("We are getting married on June 20.", "2026-06-20"),
        ("She gets paid on May 29.", "2026-05-29"),
        ("Meet me on Thursday at five.", "2026-05-07"),
        ("They were getting married on June 20 when it rained.", "2025-06-20"),
        ("I have a job interview on Thursday.", "2026-05-07"),
        ("The training is on Tuesday.", "2026-05-12"),
        ("We're moving to Graz in September.", "2026-09-01"),
        ("The lease ends on June 30.", "2026-06-30"),
        ("The match is at 8 p.m. on Saturday.", "2026-05-09"),
        ("I bought a tent because we are camping in July.", "2026-07-01"),
        ("I was told that the exam is on Friday.", "2026-05-08"),
        ("She told me on Sunday that she is pregnant.", "2026-05-03"),
        ("I'm so happy, we won the cup on Saturday!", "2026-05-02"),
        ("I am glad that I quit in March.", "2026-03-01"),
        ("I'm still happy from finishing the race on April 10th.", "2026-04-10"),
        ("Here's a picture of us in July.", "2025-07-01"),
        ("Monday 8-9 am works.", "2026-05-11"),
        ("My band plays its first gig at the Engelsburg on 23 May", "2026-05-23"),
        ("My sister marries Tom on 12 September.", "2026-09-12"),
        ("She turns 40 on 3 June.", "2026-06-03"),
        ("Booked the Alpenrose chalet in Zell am See for 22 to 28 April.", "2027-04-22"),
        ("We reserved a table for 3 April.", "2027-04-03"),
        ("I got two tickets for April 3.", "2027-04-03"),
        ("I signed us up for April 3.", "2027-04-03"),
        ("I arranged it for her birthday on 3 April.", "2027-04-03"),
        ("I booked a flight and went to Rome for 3 April.", "2026-04-03"),
        ("We moved to Rome in April.", "2026-04-01"),
        ("Ich habe ein Hotel für den 22. bis 28. März gebucht.", "2027-03-22"),
        ("Gebucht ist der Tisch für den 3. März.", "2027-03-03"),
        ("Ich habe für den 3. März gekocht.", "2026-03-03"),
        ("The exhibition runs from 3 June to 20 July.", "2026-06-03"),
        ("Our neighbours move out on 31 May.", "2026-05-31"),
        ("Tom and Ann fly to Rome on 20 May.", "2026-05-20"),
        ("The flat is ours from the first of December", "2026-12-01"),
        ("I am on holiday from 1 June.", "2026-06-01"),
        ("I work from home from 15 May.", "2026-05-15"),
        ("The flat was ours from the first of December.", "2025-12-01"),
        ("My photos are mostly from 3 June.", "2025-06-03"),
        ("There is mail from 3 July.", "2025-07-03"),
        ("What is in the letter from 3 July?", "2025-07-03"),
        ("The plays of 23 November are all sold out.", "2025-11-23"),
        ("Photos of our visits on 3 July.", "2025-07-03"),
        ("Am Freitag fliege ich nach Wien.", "2026-05-08"),
        ("Die Wohnung gehört uns ab dem 1. Dezember.", "2026-12-01"),
        ("Papa geht am 31. Juli in Rente.", "2026-07-31"),
        ("Papa ging am 31. Juli in Rente.", "2025-07-31"),
        ("Am Freitag bin ich nach Wien geflogen.", "2026-05-01"),
    ],
)
def test_a_statement_is_dated_by_the_verb_of_its_clause(text: str, first: str) -> None:
    date = find_dates(text, said_at=MOMENT)[0]
    assert date.start is not None
    assert date.start.date().isoformat() == first


@pytest.mark.parametrize(
    "text",
    [
        "We play football on Tuesdays.", "We usually meet on Friday.", "I have a class every Thursday at 7:30 pm.",
        "I am free on Wednesday evenings.", "My birthday is on May 20.", "Christmas is my favourite holiday.",
        "July is the hottest month.", "I love hiking in October.", "Mein Geburtstag ist am 20. Mai.",
        "Wir treffen uns jeden Freitag.", "One may decide to stay.",
    ],
)  # fmt: skip
def test_a_habit_is_no_single_day(text: str) -> None:
    assert find_dates(text, said_at=MOMENT) == []


@pytest.mark.parametrize(
    "text",
    [
        "I finished the half marathon in 2 hours and 4 minutes.", "I drove to Munich in 3 hours.",
        "I wrote the book in two years.", "In six months she learned Spanish.", "The flat was sold in a few days.",
        "I'd finished it in 2 hours.", "Ich bin in 3 Stunden nach M\u00fcnchen gefahren.",
    ],
)  # fmt: skip
def test_how_long_something_took_is_no_time_to_come(text: str) -> None:
    assert find_dates(text, said_at=MOMENT) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'll call you in two weeks.", "The bus leaves in two weeks.", "I'm so excited for the concert in two weeks.",
        "I was told the exam is in two weeks.", "She said she'd be back in two weeks.",
        "The doctor told me to come back in two weeks.", "I booked a flight to Rome in two weeks.",
        "I got a dentist appointment in two weeks.", "We got engaged and marry in two weeks.",
        "The used car arrives in two weeks.", "Ich habe in zwei Wochen eine Pr\u00fcfung.",
        "Ich habe in zwei Wochen einen Flug gebucht.",
    ],
)  # fmt: skip
def test_future_words_count_from_the_moment_of_speech_beside_a_past_verb_too(text: str) -> None:
    [date] = find_dates(text, said_at=MOMENT)
    assert date.start is not None
    assert date.start.date().isoformat() == "2026-05-19"


def test_a_plan_is_stored_with_the_day_to_come() -> None:
    text = "My exam is on Friday, and we hike in September. Two weeks by train."
    assert with_absolute_dates(text, said_at=MOMENT) == (
        "My exam is on Friday (Friday, May 8, 2026), and we hike in September (September 2026). Two weeks by train."
    )


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("I rent the room until March.", "2027-04-01"),
        ("I live in Berlin until the end of December.", "2027-01-01"),
        ("Until December Ann lives in Rome.", "2027-01-01"),
        ("Mei stays in Leeds till April 3.", "2027-04-04"),
        ("I lived there until March.", "2026-04-01"),
        ("I sat there until Friday.", "2026-05-02"),
        ("The party was postponed until March.", "2027-04-01"),
        ("We moved in with Ann until March.", "2026-04-01"),
    ],
)
def test_until_means_the_next_date_unless_the_sentence_is_in_the_past(text: str, end: str) -> None:
    (found,) = find_dates(text, said_at=MOMENT)
    assert found.end is not None
    assert found.end.date().isoformat() == end


def test_a_question_for_everything_until_a_month_means_the_past() -> None:
    window = find_window("notes until December", asked_at=MOMENT)
    assert window is not None
    assert window.end is not None
    assert window.end.year == 2026


@pytest.mark.parametrize(
    ("query", "end"),
    [
        ("What's left to do until March?", "2027-04-01"),
        ("What to read until March?", "2027-04-01"),
        ("Welche Termine bis März?", "2027-04-01"),
        ("Where did I live until March?", "2026-04-01"),
        ("Wo war ich bis März?", "2026-04-01"),
        ("How long did we stay until March?", "2026-04-01"),
        ("How many days before Christmas did she call?", "2025-12-25"),
    ],
)
def test_a_question_for_ongoing_things_until_a_month_means_the_next_one(query: str, end: str) -> None:
    window = find_window(query, asked_at=MOMENT)
    assert window is not None
    assert window.start is None
    assert window.end is not None
    assert window.end.date().isoformat() == end


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("How long until Christmas?", "2026-12-25"),
        ("How many days until my exam on April 14?", "2027-04-14"),
        ("How many days are there till Tuesday?", "2026-05-12"),
        ("How many weeks to Christmas?", "2026-12-25"),
        ("Wie viele Tage noch bis Weihnachten?", "2026-12-25"),
        ("Combien de jours jusqu'à Noël ?", "2026-12-25"),
        ("¿Cuántos días faltan para Navidad?", "2026-12-25"),
        ("¿Cuántos días hasta Navidad?", "2026-12-25"),
        ("Quanti giorni mancano a Natale?", "2026-12-25"),
        ("Quanti giorni fino a Natale?", "2026-12-25"),
        ("Quantos dias até o Natal?", "2026-12-25"),
        ("Hoeveel dagen tot Kerstmis?", "2026-12-25"),
    ],
)
def test_a_question_for_the_days_until_a_date_is_about_that_date(query: str, day: str) -> None:
    window = find_window(query, asked_at=MOMENT)
    assert window is not None
    assert window.start is not None
    assert window.last is not None
    assert (window.start.date().isoformat(), window.last.date().isoformat()) == (day, day)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I'm moving to Berlin Mitte next month.", "2026-06-01"),
        ("Ann moved to Mitte in March.", "2026-03-01"),
        ("Wir treffen uns Mitte April.", "2027-04-11"),
    ],
)
def test_mitte_is_a_quarter_in_an_english_sentence(text: str, first: str) -> None:
    (found,) = find_dates(text, said_at=MOMENT)
    assert found.start is not None
    assert found.start.date().isoformat() == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("From December 1 I work part time.", "2026-12-01"),
        ("The rent goes up to 1,150 euros from January 1.", "2027-01-01"),
        ("If they take me I'd work in Leeds from December.", "2026-12-01"),
        ("I live in Rome since March.", "2026-03-01"),
        ("The scar is from July.", "2026-07-01"),
    ],
)
def test_a_state_begins_ahead_and_lasts_since_a_past_day(text: str, first: str) -> None:
    date = find_dates(text, said_at=datetime(2026, 11, 14, tzinfo=UTC))[0]
    assert date.start is not None
    assert date.start.date().isoformat() == first
