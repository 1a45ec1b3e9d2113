"""A command's session: its output, and a client that is opened at its first use."""

from contextlib import ExitStack
from typing import Self
from uuid import UUID

from memoryplatform_client.cli.access import Access, find_access
from memoryplatform_client.cli.output import Output
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.models.operations import OperationDetail


class Session:
    def __init__(self, *, as_json: bool, profile: str | None) -> None:
        self.out = Output(as_json=as_json)
        self._profile = profile
        self._open = ExitStack()
        self._client: MemoryClient | None = None

    @property
    def access(self) -> Access:
        return find_access(self._profile)

    @property
    def client(self) -> MemoryClient:
        if self._client is None:
            access = self.access
            self._client = self._open.enter_context(MemoryClient(access.url, access.key))
        return self._client

    def wait_for(self, operation_id: UUID, description: str) -> OperationDetail:
        """Wait without a time limit. If the user interrupts the command, the service continues the operation."""
        with self.out.progress(description) as move:

            def show(operation: OperationDetail) -> None:
                progress = operation.progress
                move(done=progress.processed, total=progress.total or None, stage=progress.stage or operation.status)

            return self.client.operations.wait(operation_id, timeout=None, on_progress=show)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        self._open.close()
