from collections.abc import Generator
from typing import Any

from memoryplatform_client.facade.processing import OnProgress, Processing, ProcessProgress, ProcessResult
from memoryplatform_client.facade.runner import Runner
from memoryplatform_client.waiting import LONGEST


class ProcessTask:
    """A handle on the processing of the messages so far. The service works on them with or without this handle."""

    def __init__(self, runner: Runner, processing: Processing) -> None:
        self._runner = runner
        self._processing = processing

    async def progress(self) -> ProcessProgress:
        return await self._runner.run(self._processing.look())

    def progress_sync(self) -> ProcessProgress:
        return self._runner.run_sync(self._processing.look())

    async def wait(
        self,
        *,
        timeout: float | None = LONGEST,  # noqa: ASYNC109  # the same bound in both worlds, told as WaitTimedOut
        on_progress: OnProgress | None = None,
    ) -> ProcessResult:
        return await self._runner.run(self._processing.complete(timeout, on_progress))

    def wait_sync(self, *, timeout: float | None = LONGEST, on_progress: OnProgress | None = None) -> ProcessResult:
        return self._runner.run_sync(self._processing.complete(timeout, on_progress))

    def __await__(self) -> Generator[Any, None, ProcessResult]:
        return self.wait().__await__()
