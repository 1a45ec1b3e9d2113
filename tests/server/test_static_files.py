import re

from django.test import override_settings

from memoryplatform.server.handler import RequestHandler
from tests.server.test_cors import send


@override_settings(SERVESTATIC_USE_FINDERS=True)
def test_the_pages_find_their_scripts_and_styles() -> None:
    handler = RequestHandler()
    page = send("GET", "/v1/docs", handler).text
    assets = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert len(assets) >= 3
    for path in assets:
        assert send("GET", path, handler).status_code == 200, path
