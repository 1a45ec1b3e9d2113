import re

from django.test import Client, override_settings


@override_settings(SERVESTATIC_USE_FINDERS=True)
def test_the_pages_find_their_scripts_and_styles() -> None:
    client = Client()
    page = client.get("/v1/docs").content.decode()
    assets = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert len(assets) >= 3
    for path in assets:
        assert client.get(path).status_code == 200, path
