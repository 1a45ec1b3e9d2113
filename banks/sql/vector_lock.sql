-- Takes the lock of a bank's memory, or of a thread, and checks that the vectors of a writer are of the model whose
-- column they go to: they were made before the lock was taken, and the bank may have changed its model since. Returns
-- the state of a change, or null if they are of another model. Each statement sees the rows of its own time.
CREATE FUNCTION lock_vectors(lock_name text, wanted uuid, slot smallint, model text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    state text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(lock_name, 0));
    SELECT CASE
        WHEN vector_slot = slot AND embedding_model = model THEN vector_change
        WHEN vector_slot <> slot AND other_embedding_model = model AND vector_change <> 'clearing' THEN vector_change
    END INTO state FROM banks_bank WHERE id = wanted;
    RETURN CASE WHEN FOUND THEN state ELSE '' END;
END
$$;
