"""`/version`, `/v1/version` and `/health/live`, which Hindsight's clients call without a key."""

import time

from django.conf import settings
from django.http import HttpRequest, JsonResponse

VERSION = "1.1.0"  # of Hindsight's interface: its integrations refuse an older server
FEATURES = {
    "observations": True,
    "mcp": True,
    "worker": True,
    "bank_config_api": True,
    "bank_llm_health": False,
    "file_upload_api": True,
    "document_export_api": False,
    "document_import_api": False,
    "audit_log": True,
    "llm_trace": True,
    "store_document_text": True,
}
STARTED = time.monotonic()


def show_version(_request: HttpRequest) -> JsonResponse:
    """`service_version` is our own. The command `doctor` compares it with that of the client."""
    own = settings.SPECTACULAR_SETTINGS["VERSION"]
    return JsonResponse({"api_version": VERSION, "features": FEATURES, "service_version": own})


def show_life(_request: HttpRequest) -> JsonResponse:
    uptime = round(time.monotonic() - STARTED, 3)
    return JsonResponse({"status": "alive", "version": VERSION, "uptime_seconds": uptime})
