from memoryplatform.settings.databases import parse_database_url


def test_what_the_url_says_of_keeping_a_connection_alive_holds() -> None:
    options = parse_database_url("postgresql://service@db/memories?keepalives_idle=30")["OPTIONS"]
    assert [options[f"keepalives_{name}"] for name in ("idle", "interval", "count")] == ["30", 10, 3]
