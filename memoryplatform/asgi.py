"""The web process."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplatform.settings.production")
django_application = get_asgi_application()

from memoryplatform.api.compat.unrouted import shape_error  # noqa: E402  # Django is set up now
from memoryplatform.api.mcp.routes import McpRoutes  # noqa: E402
from memoryplatform.server.api_handler import ApiRoutes  # noqa: E402
from memoryplatform.server.body_limit import BodyLimit  # noqa: E402
from memoryplatform.server.cors import Cors  # noqa: E402
from memoryplatform.server.lifespan import Lifespan  # noqa: E402

limited = BodyLimit(ApiRoutes(django_application), max_bytes=settings.MAX_BODY_BYTES, shape=shape_error)
web = Lifespan(Cors(limited))
application = McpRoutes(web, max_bytes=settings.MAX_BODY_BYTES)
