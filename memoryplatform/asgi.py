"""The web process."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplatform.settings.production")
django_application = get_asgi_application()

from memoryplatform.server.body_limit import BodyLimit  # noqa: E402  # Django is set up now
from memoryplatform.server.lifespan import Lifespan  # noqa: E402

application = Lifespan(BodyLimit(django_application, max_bytes=settings.MAX_BODY_BYTES))
