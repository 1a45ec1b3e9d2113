"""Every error as one sentence and an exit code."""

from dataclasses import dataclass

from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.plain_text import in_one_line
from memoryplatform_client.errors import (
    APIError,
    ConnectionFailed,
    MemoryPlatformError,
    NotFound,
    OperationNotCompleted,
    PermissionDenied,
    Unauthenticated,
    UnreadableAnswer,
    WaitTimedOut,
)


class CommandFailed(Exception):
    def __init__(self, detail: str, exit_code: Exit = Exit.FAILED) -> None:
        super().__init__(detail)
        self.exit_code = exit_code


class BadUsage(CommandFailed):
    def __init__(self, detail: str) -> None:
        super().__init__(detail, Exit.USAGE)


@dataclass(frozen=True)
class Failure:
    """`sentence` includes the error code and the request id, if there are any."""

    sentence: str
    exit_code: Exit
    detail: str
    code: str = ""
    request_id: str = ""


EXPECTED = (CommandFailed, MemoryPlatformError, OSError)


def describe(error: Exception) -> Failure:
    match error:
        case APIError():
            return Failure(
                in_one_line(str(error)), exit_of(error), in_one_line(error.detail), error.code, error.request_id
            )
        case UnreadableAnswer():
            detail = f"The answer is not one of this service: {in_one_line(str(error))}"
            return Failure(detail, Exit.FAILED, detail, "unreadable_answer", error.request_id)
        case OSError():
            detail = in_one_line(f"{error.filename}: {error.strerror}" if error.filename else str(error))
            return Failure(detail, Exit.FAILED, detail, "file")
        case _:
            detail = in_one_line(str(error))
            return Failure(detail, exit_of(error), detail, code_of(error))


def exit_of(error: Exception) -> Exit:
    match error:
        case CommandFailed():
            return error.exit_code
        case NotFound():
            return Exit.NOT_FOUND
        case Unauthenticated() | PermissionDenied():
            return Exit.DENIED
        case ConnectionFailed():
            return Exit.UNREACHABLE
        case _:
            return Exit.FAILED


def code_of(error: Exception) -> str:
    match error:
        case ConnectionFailed():
            return "unreachable"
        case OperationNotCompleted():
            return "operation_not_completed"
        case WaitTimedOut():
            return "wait_timed_out"
        case CommandFailed(exit_code=Exit.USAGE):
            return "usage"
        case _:
            return "failed"
