"""A split entity takes back the evidence that belonged to the other entity."""

from banks.curation.merging import merge_entities
from banks.curation.splitting import Split
from banks.locking import lock_memory
from banks.models import Bank, Entity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.entities import split
from memoryplatform.operations.models import Operation
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import Said, believe, check_replay, learn, list_causes, read_opinion, see

CRASHED = "A drone of Falcon Labs crashed."
SOLD = "KL Robotics sold ten drones."


def test_evidence_of_the_other_entity_is_withdrawn_and_its_own_stays(bank: Bank) -> None:
    see(bank, "Falcon Labs makes drones.", "Falcon Labs")
    opinion = believe(bank, "I think KL Robotics is innovative.", see(bank, "KL Robotics sells drones.", "KL Robotics"))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        entities = Entity.objects.of_bank(bank)
        falcon = merge_entities(bank, entities.get(name="Falcon Labs"), [entities.get(name="KL Robotics").id])
    crashed, sold = see(bank, CRASHED, "Falcon Labs"), see(bank, SOLD, "KL Robotics")
    learn(bank, Said({CRASHED: "weaken", SOLD: "reinforce"}), crashed, sold)
    assert list_causes(bank, opinion.id) == ["formed", "weaken", "reinforce"]
    split(BankAccess(bank.tenant_id), bank.bank_id, falcon.id, Split(names=("KL Robotics",)))
    assert read_opinion(bank, opinion.id).confidence == 0.85
    with tenant_transaction(bank.tenant_id):
        waiting = Operation.objects.for_tenant(bank.tenant_id).filter(kind="consolidate", status="pending")
        weighed = [unit_id for operation in waiting for unit_id in operation.payload["unit_ids"]]
    assert weighed == [str(crashed)]
    check_replay(bank, opinion.id)
