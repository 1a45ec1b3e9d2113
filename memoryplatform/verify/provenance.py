"""Where rows come from: sources of memories, passages, names of entities. Nothing here is derived."""

from memoryplatform.verify.check import BankCheck, find_in_bank

# A fact without a source can't be shown to be said, nor go with its source. People and models write opinions and
# observations, whose evidence is checked with their revisions.
UNSOURCED = """
SELECT unit.id FROM banks_memoryunit AS unit
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.network IN ('world', 'experience')
  AND NOT EXISTS (
    SELECT FROM banks_unitsource AS source WHERE source.tenant_id = unit.tenant_id AND source.unit_id = unit.id
  )
"""
WITHOUT_ORIGIN = """
SELECT source.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS unit ON unit.tenant_id = source.tenant_id AND unit.id = source.unit_id
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s
  AND num_nonnulls(source.message_id, source.chunk_id, source.episode_id, source.other_unit_id) <> 1
"""
BEYOND_TEXT = """
SELECT source.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS unit ON unit.tenant_id = source.tenant_id AND unit.id = source.unit_id
LEFT JOIN banks_message AS message ON message.tenant_id = source.tenant_id AND message.id = source.message_id
LEFT JOIN banks_chunk AS chunk ON chunk.tenant_id = source.tenant_id AND chunk.id = source.chunk_id
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s
  AND source."end" > length(coalesce(message.content, chunk.text))
"""
MISPLACED_PARTS = """
SELECT part.id FROM banks_chunkpart AS part
JOIN banks_chunk AS chunk ON chunk.tenant_id = part.tenant_id AND chunk.id = part.chunk_id
JOIN banks_message AS message ON message.tenant_id = part.tenant_id AND message.id = part.message_id
WHERE chunk.tenant_id = %(tenant_id)s AND chunk.bank_id = %(bank_id)s
  AND substring(chunk.text FROM part.start + 1 FOR part."end" - part.start)
      <> substring(message.content FROM part.message_start + 1 FOR part.message_end - part.message_start)
"""
OTHER_TEXTS = """
SELECT id FROM banks_document
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND content_hash <> sha256(convert_to(text, 'UTF8'))
"""
# A retain writes the text first. Until it has cut it, and if it never does, the passages are those of the former text.
MISQUOTING = """
SELECT chunk.id FROM banks_chunk AS chunk
JOIN banks_document AS document ON document.tenant_id = chunk.tenant_id AND document.id = chunk.document_id
WHERE chunk.tenant_id = %(tenant_id)s AND chunk.bank_id = %(bank_id)s
  AND chunk.text <> substring(document.text FROM chunk.start + 1 FOR chunk."end" - chunk.start)
  AND NOT EXISTS (
    SELECT FROM operations_operation AS operation
    WHERE operation.tenant_id = chunk.tenant_id AND operation.bank_id = chunk.bank_id AND operation.kind = 'retain'
      AND operation.status <> 'completed' AND operation.updated_at >= document.updated_at
  )
"""
HOMELESS_CHUNKS = """
SELECT id FROM banks_chunk
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND num_nonnulls(document_id, episode_id) <> 1
"""
UNSTATED = """
SELECT stated.id FROM banks_relationship AS stated
WHERE stated.tenant_id = %(tenant_id)s AND stated.bank_id = %(bank_id)s AND NOT EXISTS (
    SELECT FROM banks_relationshipsource AS source
    WHERE source.tenant_id = stated.tenant_id AND source.relationship_id = stated.id
)
"""
UNNAMED = """
SELECT entity.id FROM banks_entity AS entity
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s AND NOT EXISTS (
    SELECT FROM banks_entityname AS known WHERE known.tenant_id = entity.tenant_id AND known.entity_id = entity.id
)
"""
UNUSED_ENTITIES = """
SELECT entity.id FROM banks_entity AS entity
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s
  AND NOT EXISTS (
    SELECT FROM banks_mention AS mention WHERE mention.tenant_id = entity.tenant_id AND mention.entity_id = entity.id
  )
  AND NOT EXISTS (
    SELECT FROM banks_relationship AS stated
    WHERE stated.tenant_id = entity.tenant_id AND entity.id IN (stated.subject_id, stated.object_id)
  )
"""

CHECKS = [
    BankCheck("provenance: every fact has a source", find_in_bank(UNSOURCED)),
    BankCheck("provenance: a source names one origin", find_in_bank(WITHOUT_ORIGIN)),
    BankCheck("provenance: a quoted span is inside its text", find_in_bank(BEYOND_TEXT)),
    BankCheck("provenance: a passage quotes its messages", find_in_bank(MISPLACED_PARTS)),
    BankCheck("provenance: a document has the text that was hashed", find_in_bank(OTHER_TEXTS)),
    BankCheck("provenance: a passage quotes its document", find_in_bank(MISQUOTING)),
    BankCheck("provenance: a passage is of a document or an episode", find_in_bank(HOMELESS_CHUNKS)),
    BankCheck("provenance: every relationship has a source", find_in_bank(UNSTATED)),
    BankCheck("provenance: every entity has a name", find_in_bank(UNNAMED)),
    BankCheck("provenance: no entity is without a mention", find_in_bank(UNUSED_ENTITIES)),
]
