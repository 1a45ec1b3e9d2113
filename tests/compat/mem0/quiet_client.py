"""mem0's published client, without the telemetry of its maker."""

import os

from django.conf import settings

# It reads both when it is loaded; in the folder it keeps a name for whoever uses it.
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(settings.TEST_FOLDER / "mem0")}

from mem0 import AsyncMemoryClient, MemoryClient

__all__ = ["AsyncMemoryClient", "MemoryClient"]
