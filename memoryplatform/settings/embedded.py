"""The settings of `manage.py up` and of every command beside it. They read the data folder of `up`.

The database and broker in the data folder override DATABASE_URL and REDIS_URL, which name the account of the set-up for
`up`, not the service's own. Commands that need no database work before the first `up` too.
"""

import os
import secrets
import sys

from memoryplatform.embedded.address import is_loopback
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import find_data_dir
from memoryplatform.embedded.folder import read_environment as read_data_folder

UP_DATABASE_URL = os.environ.get("DATABASE_URL")
UP_DATABASE_OWNER_URL = os.environ.get("DATABASE_OWNER_URL")
UP_DATABASE_PLATFORM_URL = os.environ.get("DATABASE_PLATFORM_URL")
UP_REDIS_URL = os.environ.get("REDIS_URL")

NOT_STARTED = "postgresql://start-it-with-manage.py-up@127.0.0.1:1/memoryplatform"

try:
    os.environ.update(read_data_folder(find_data_dir(None)))
except StartError as error:
    sys.exit(str(error))
for name, value in {
    "SECRET_KEY": secrets.token_urlsafe(48),
    "API_KEY_SECRET": secrets.token_urlsafe(48),
    "DATABASE_URL": NOT_STARTED,
    "DATABASE_OWNER_URL": NOT_STARTED,
    "DATABASE_PLATFORM_URL": NOT_STARTED,
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "ALLOWED_HOSTS": "127.0.0.1,localhost,[::1]",
    "LOG_FORMAT": "console",
}.items():
    os.environ.setdefault(name, value)

from memoryplatform.settings.base import *  # noqa: E402  # base reads the environment that was just set

MAIL_LINK_URL = PUBLIC_URL or os.environ.get("UP_URL", MAIL_LINK_URL)  # `up` stores its own address
# `up` stores its host too. On loopback, receivers and models are on this machine. With another host, callers from
# outside would reach its network through them.
IS_ON_LOOPBACK = is_loopback(os.environ.get("UP_HOST", "127.0.0.1"))
if "webhook_private_addresses" not in env.model_fields_set:
    WEBHOOK_PRIVATE_ADDRESSES = IS_ON_LOOPBACK
if "own_llm_private_addresses" not in env.model_fields_set:
    OWN_LLM_PRIVATE_ADDRESSES = IS_ON_LOOPBACK
