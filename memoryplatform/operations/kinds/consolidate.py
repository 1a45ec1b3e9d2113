"""What follows a retain: step by step, what is derived from memories is brought up to date with them."""

from collections.abc import Callable
from typing import Any

from banks.entities.describe import describe_entities
from banks.models import Bank
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.bank_of_run import load_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.registry import operation_kind
from memoryplatform.operations.run import Run
from memoryplatform.operations.submit import submit
from providers.registry import get_embedder
from providers.usage import Usage
from tenants.models import UsageRecord
from tenants.usage import record_usage

NAME = "consolidate"

Step = Callable[[Bank, PostRetain], Usage]


def describe_touched_entities(bank: Bank, post: PostRetain) -> Usage:
    return describe_entities(bank, post.entity_ids, get_embedder())


# Each may run again after a crash, and must come to the same.
STEPS: dict[str, Step] = {"describing entities": describe_touched_entities}


def hand_over(bank: Bank, post: PostRetain) -> Operation | None:
    """Call inside the tenant transaction that ends the retain: what it changed is then never forgotten."""
    return submit(bank.tenant_id, NAME, payload=post.write(), bank=bank) if post else None


@operation_kind(NAME, queue="background")
def consolidate(run: Run) -> dict[str, Any]:
    bank = load_bank(run)
    post = PostRetain.read(run.payload)
    usage = Usage()
    for done, (stage, step) in enumerate(STEPS.items()):
        run.report(stage, processed=done, total=len(STEPS))
        usage += step(bank, post)
    result = {"units": len(post.unit_ids), "entities": len(post.entity_ids)}
    with run.transaction() as operation:
        record_usage(
            run.tenant_id,
            UsageRecord.Kind.CONSOLIDATE,
            usage,
            bank_id=bank.bank_id,
            operation_id=operation.id,
        )
        run.complete(operation, result)
    return result
