"""The openai package's errors as ours. Theirs hold the request, and with it the key, so none is kept as a cause."""

from typing import Any

import openai

from providers.endpoint.errors import EndpointError, ErrorClasses
from providers.endpoint.retry import parse_retry_after

TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
REQUEST_TIMEOUT = 408
DETAIL_CHARACTERS = 500


def build_failure(error: openai.OpenAIError, classes: ErrorClasses, *, secret: str | None) -> EndpointError:
    if isinstance(error, openai.APITimeoutError):
        return classes.timeout("The endpoint did not answer in time.")
    if isinstance(error, openai.APIStatusError):
        return build_status_failure(error, classes, secret=secret)
    return classes.unavailable(f"The endpoint could not be reached or broke off ({type(error).__name__}).")


def build_status_failure(error: openai.APIStatusError, classes: ErrorClasses, *, secret: str | None) -> EndpointError:
    message = f"The endpoint answered {error.status_code}."
    retry_after = parse_retry_after(error.response.headers)
    if error.status_code == TOO_MANY_REQUESTS:
        return classes.rate_limited(message, retry_after=retry_after)
    if error.status_code >= SERVER_ERROR or error.status_code == REQUEST_TIMEOUT:
        return classes.unavailable(message, retry_after=retry_after)
    return classes.refused(
        message, status=error.status_code, code=error.code, detail=redact(find_sentence(error.body), secret)
    )


def find_sentence(body: Any) -> str:
    sentence = body.get("message") if isinstance(body, dict) else body
    return sentence if isinstance(sentence, str) else ""


def redact(text: str, secret: str | None) -> str:
    return (text.replace(secret, "***") if secret else text)[:DETAIL_CHARACTERS]
