from banks.embedding_texts import build_chunk_text, build_entity_text, build_episode_text


def test_each_kind_of_row_has_its_text() -> None:
    assert build_chunk_text("a", heading="# May", context="A call.") == "A call.\n# May\na"
    assert build_chunk_text("a", heading="# May") == "# May\na"
    assert (build_episode_text("They met.", thread="t"), build_episode_text("", thread="t")) == ("They met.", "t")
    assert (build_entity_text("Ana", "Ana runs."), build_entity_text("Ana", "")) == ("Ana: Ana runs.", "Ana")
