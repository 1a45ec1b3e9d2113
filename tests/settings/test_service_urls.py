from memoryplatform.settings.service_urls import parse_database_url


def test_keepalive_parameters_of_the_url_apply() -> None:
    options = parse_database_url("postgresql://service@db/memories?keepalives_idle=30")["OPTIONS"]
    assert [options[f"keepalives_{name}"] for name in ("idle", "interval", "count")] == ["30", 10, 3]
