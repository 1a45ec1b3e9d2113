"""E-mail of a tenant's transaction: it is sent after the commit, and again if the server of mails or a worker fails."""

from typing import Any
from uuid import UUID

from django.core.mail import send_mail

from memoryplatform.operations.running.kind_names import SEND_MAIL
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import submit


def submit_mail(tenant_id: UUID, to: str, subject: str, text: str) -> None:
    """The courier of `mail_owners`. Call inside the tenant transaction that the mail is about."""
    submit(tenant_id, SEND_MAIL, payload={"to": to, "subject": subject, "text": text})


@operation_kind(SEND_MAIL, queue="notify", cancellable=False)
def send(run: Run) -> dict[str, Any]:
    """A worker that dies between the sending and the end of the operation sends the mail twice. None is lost."""
    send_mail(run.payload["subject"], run.payload["text"], None, [run.payload["to"]])
    with run.transaction() as operation:
        operation.payload = {}  # the address and the text are needed no more
        run.complete(operation, {})
    return {}
