-- Messages are append-only: the service may only fill in where a message belongs.
REVOKE UPDATE ON banks_message FROM memoryplatform_service, memoryplatform_platform;
GRANT UPDATE (episode_id, extracted_at) ON banks_message TO memoryplatform_service;

-- This function alone writes the text of a stored message, and it writes blanks only. Row-level security holds inside it
-- too, because it is forced on the owner.
CREATE FUNCTION blank_message(wanted uuid, starts int[], ends int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    words text;
BEGIN
    SELECT content INTO words FROM banks_message WHERE id = wanted FOR UPDATE;
    FOR place IN 1 .. cardinality(starts) LOOP
        words := overlay(
            words placing repeat(' ', least(ends[place], length(words)) - starts[place])
            from starts[place] + 1 for least(ends[place], length(words)) - starts[place]
        );
    END LOOP;
    UPDATE banks_message SET content = words WHERE id = wanted;
END
$$;

REVOKE ALL ON FUNCTION blank_message FROM PUBLIC;
GRANT EXECUTE ON FUNCTION blank_message TO memoryplatform_service;
