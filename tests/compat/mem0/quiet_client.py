"""mem0's published client, without its vendor's telemetry."""

import os

from django.conf import settings

# The client reads both variables at import. It stores a user id in the folder.
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(settings.TEST_FOLDER / "mem0")}

from mem0 import AsyncMemoryClient, MemoryClient

__all__ = ["AsyncMemoryClient", "MemoryClient"]
