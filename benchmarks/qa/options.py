"""The options of `benchmark qa`, as one table for the command line and for the suite."""

from dataclasses import dataclass

from django.core.management.base import CommandError

from benchmarks.option_table import OptionTable, option, split

MODES = ("recall", "reflect", "rag", "full-context")


@dataclass(frozen=True)
class QAOptions(OptionTable):
    mode: str = option("recall", f"comma-separated: {', '.join(MODES)}")
    engine: str = option("builtin", "the engine of retain and recall; llm uses LLM_*", choices=("builtin", "llm"))
    tokens: int = option(4_096, "tokens of memories that the reader may see", type=int)
    budget: str = option("mid", "the budget of recall and reflect", choices=("low", "mid", "high"))
    top_k: int = option(10, "chunks that the reader sees in the mode rag", type=int)
    reader_url: str | None = option(None, "endpoint of the reader, with READER_API_KEY (default: LLM_REFLECT_*)")
    reader_model: str | None = option(None, "model of the reader")
    judge_url: str | None = option(None, "endpoint of the judge, with JUDGE_API_KEY (default: LLM_JUDGE_*)")
    judge_model: str | None = option(None, "model of the judge")
    parallel: int = option(8, "questions that are asked at once", type=int)
    timeout: float = option(600.0, "seconds that a call may take", type=float)
    conversations: str | None = option(None, "a number, or comma-separated names of conversations")
    types: str | None = option(None, "comma-separated types of questions")
    questions_per_type: int | None = option(None, "most questions of each type", type=int)
    seed: int = option(0, "seed of the choice of questions", type=int)
    token_cap: int | None = option(None, "stop before the run takes more tokens", type=int)
    cost_cap: float | None = option(None, "stop before the run costs more, by MODEL_PRICES", type=float)

    def __post_init__(self) -> None:
        unknown = set(self.modes) - set(MODES)
        if unknown or not self.modes:
            raise CommandError(f"--mode takes {', '.join(MODES)}.")
        for role in ("reader", "judge"):
            url, model = getattr(self, f"{role}_url"), getattr(self, f"{role}_model")
            if bool(url) != bool(model):
                raise CommandError(f"Give both --{role}-url and --{role}-model, or neither.")
        if min(self.tokens, self.top_k, self.parallel, self.timeout) <= 0:
            raise CommandError("--tokens, --top-k, --parallel and --timeout are above 0.")

    @property
    def modes(self) -> list[str]:
        return split(self.mode)
