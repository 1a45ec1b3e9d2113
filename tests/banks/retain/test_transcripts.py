"""Which texts are transcripts, and which only look like one."""

import pytest

from banks.retain.transcripts import find_turns, list_speakers

CLAUDE_CODE = "[role: user]\nI moved to Porto.\n[user:end]\n\n[role: assistant]\nHow nice!\n[assistant:end]"
JSON = '[{"role": "user", "content": "I moved to \\"Porto\\"."}, {"role": "assistant", "content": "Nice."}]'
NAMED_JSON = '{"messages": [{"speaker": "Ana", "text": "Hi."}, {"speaker": "Ben", "text": "Hello."}]}'
RECIPE = "Ingredients: flour, eggs\nMethod: Mix it all.\nServes: 4\nTime: 20 minutes"
HEADERS = "Host: example.org\nAccept: text/html\nSet-Cookie: a=1\nSet-Cookie: b=2\nServer: nginx\nVary: Accept"
PYTHON = "class Cat:\n    Name: str = 'Tom'\n    Age: int = 3\n    Name: str = 'Bob'"
MINUTES = "Minutes of May\n\nAna: will write the report.\nBen: will read it.\nAna: will print it."

TRANSCRIPTS = [
    ("Ana: Hi!\nBen: Hello.\nAna: Bye.", ["Ana", "Ben", "Ana"]),
    ("Ana: Hi!\n\nBen: Hello.\n\nAna: Bye.", ["Ana", "Ben", "Ana"]),
    ("Ana: Hi!\nBen: Hello.\nBen: Are you there?", ["Ana", "Ben", "Ben"]),
    ("Ana: One.\n\nAnother line.\n\nBen: Two.\n\nAna: 3.\n\nBen: 4.\n\nAna: 5.", ["Ana", "Ben", "Ana", "Ben", "Ana"]),
    ("**Ana:** Hi!\n**Ben:** Hello.\n**Ana:** Bye.", ["Ana", "Ben", "Ana"]),
    ("**Ana**: Hi!\n**Ben**: Hello.\n**Ana**: Bye.", ["Ana", "Ben", "Ana"]),
    ("[Ana]: Hi!\n[Ben]: Hello.\n[Ana]: Bye.", ["Ana", "Ben", "Ana"]),
    ("[user]: Hi!\n[assistant]: Hello.", ["User", "Assistant"]),
    ("Human: Hi!\nAI: Hello.", ["User", "Assistant"]),
    ("User: I like tea.", ["User"]),
    ("User: A list?\nAssistant: Yes.\n\n- Paris: big\n- Rome: old\n\nSummary: two.", ["User", "Assistant"]),
    ("User: Fix it.\nAssistant: So:\n```\nUser: root\n```\nDone.", ["User", "Assistant"]),
    (CLAUDE_CODE, ["User", "Assistant"]),
    (JSON, ["User", "Assistant"]),
    (NAMED_JSON, ["Ana", "Ben"]),
    ("Speaker 1: Hi!\nSpeaker 2: Hello.\nSpeaker 1: Bye.", ["Speaker 1", "Speaker 2", "Speaker 1"]),
    ("Ludwig van Beethoven: Hi!\nO'Neil Jr.: Hello.\nO'Neil Jr.: Hm.", ["Ludwig van Beethoven"] + ["O'Neil Jr."] * 2),
    ("Søren: Hej!\nÅse: Hej.\nSøren: Farvel.", ["Søren", "Åse", "Søren"]),
    ("田中: こんにちは。\n鈴木: はい。\n田中: では。", ["田中", "鈴木", "田中"]),
    ("  Ana: Hi!\r\n  Ben: Hello.\r\n  Ana: Bye.\r\n", ["Ana", "Ben", "Ana"]),
]
DOCUMENTS = [
    "",
    "It rained all day.",
    "Note: buy milk",
    "Note: buy milk\nNote: call Ana\nNote: pay the rent",
    "Andrew: Ooo",  # one line alone shows no conversation
    "Subject: Party\nFrom: Ana\nTo: Ben\nDate: 3 May",
    "Subject: Party",
    "Step 1: Mix.\nStep 2: Bake.\nStep 1: Mix again.",
    "Q: What is it?\nA: A bank.\nQ: Since when?\nA: Since May.",
    RECIPE,
    HEADERS,
    PYTHON,
    MINUTES,
    "INFO: started\nINFO: ready\nERROR: disk full\nINFO: stopped",
    "2024-05-03 10:00:01 INFO: started\n2024-05-03 10:00:02 INFO: ready",
    "name: web\nuser: root\nimage: nginx\nuser: admin",
    "User: root\nPassword: secret\nHost: db",
    "https://example.org\nhttps://example.com\nhttps://example.org",
    "Opening hours: 10:30 to 12:00\nClosing day: Monday",
    "**Pros:** cheap\n**Cons:** slow\n**Pros:** small\n**Cons:** loud",
    "# Plan\n\nAna: writes.\nBen: reads.\nAna: prints.",
    "Paris: the capital of France.\nRome: the capital of Italy.",
    "Ana: writes the report.\nIt is due in May.\nBen reads it.\nAna: prints it.\nThen it is sent.",
    '[{"name": "Chair", "text": "Of oak."}, {"name": "Table", "text": "Of pine."}]',
    '{"role": "user", "content": "A single object."}',
    '[{"role": "user"}]',
    '[{"role": "user", "content": "cut off',
    "[role: user]\nNo end.",
    "Before.\n[role: user]\nHi.\n[user:end]",
    "```\nAna: Hi!\nBen: Hello.\nAna: Bye.\n```",
    "- Ana: Hi!\n- Ben: Hello.\n- Ana: Bye.",
    "The Committee For The Protection Of All The Birds: Hi!\nThe Committee For The Protection Of All The Birds: Bye.",
]


@pytest.mark.parametrize(("text", "speakers"), TRANSCRIPTS)
def test_the_turns_of_a_transcript_are_found(text: str, speakers: list[str]) -> None:
    assert [turn.speaker for turn in find_turns(text)] == speakers


@pytest.mark.parametrize("text", [text for text, _ in TRANSCRIPTS if "\\" not in text])
def test_the_words_of_a_turn_are_characters_of_the_text(text: str) -> None:
    turns = find_turns(text)

    assert all(turn.words == text[turn.start : turn.end] != "" for turn in turns)
    assert all(turn.block_start < turn.start <= turn.end <= turn.block_end for turn in turns)


@pytest.mark.parametrize("text", DOCUMENTS)
def test_a_text_that_only_looks_like_a_transcript_stays_a_document(text: str) -> None:
    assert find_turns(text) == []


def test_the_lines_after_a_label_belong_to_its_turn() -> None:
    turns = find_turns("Ana: One.\nBen: Two.\nAna: Three.\nBen: Four.\nAna: Five,\nand six.")

    assert [turn.words for turn in turns] == ["One.", "Two.", "Three.", "Four.", "Five,\nand six."]


def test_escaped_words_in_json_are_read_and_point_at_their_string() -> None:
    turn = find_turns(JSON)[0]

    assert turn.words == 'I moved to "Porto".'
    assert JSON[turn.start : turn.end] == 'I moved to \\"Porto\\".'


def test_a_message_in_json_may_have_a_moment() -> None:
    dated = '{"role": "user", "content": "Hi.", "timestamp": "2024-05-03T10:00:00+02:00"}'
    text = f'[{dated}, {{"role": "ai", "content": "Yo."}}]'
    moments = [turn.said_at and turn.said_at.isoformat() for turn in find_turns(text)]

    assert moments == ["2024-05-03T10:00:00+02:00", None]


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Andrew: Ooo", ["Andrew"]),
        ("Andrew: Ooo\nand more", ["Andrew"]),
        ("Ana: writes.\nBen reads.\nAna: prints.", []),
        ("Note: buy milk", []),
        ("Step 1: Mix.", []),
        ("It rained.", []),
    ],
)
def test_a_single_line_may_have_a_speaker(text: str, speakers: list[str]) -> None:
    assert list_speakers(text) == speakers


def test_a_known_transcript_may_have_one_turn() -> None:
    assert [turn.words for turn in find_turns("Andrew: Ooo", is_known=True)] == ["Ooo"]
