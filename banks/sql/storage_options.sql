-- A scan reads the vector of every row and hardly another column. By default, pgvector moves the vector into the side
-- table as soon as a row is over 2 KB, which a fact of three sentences is, and each read costs another look-up.
ALTER TABLE banks_memoryunit
    ALTER COLUMN embedding SET STORAGE MAIN, ALTER COLUMN second_embedding SET STORAGE MAIN,
    SET (toast_tuple_target = 4080);
ALTER TABLE banks_chunk
    ALTER COLUMN embedding SET STORAGE MAIN, ALTER COLUMN second_embedding SET STORAGE MAIN,
    SET (toast_tuple_target = 4080);
ALTER TABLE banks_episode
    ALTER COLUMN embedding SET STORAGE MAIN, ALTER COLUMN second_embedding SET STORAGE MAIN,
    SET (toast_tuple_target = 4080);
ALTER TABLE banks_relationship
    ALTER COLUMN embedding SET STORAGE MAIN, ALTER COLUMN second_embedding SET STORAGE MAIN,
    SET (toast_tuple_target = 4080);

-- A block of the text index is rewritten for every batch that has its word. With room on the page, the new version is
-- beside the old one and no index entry is written; without it, the table grows until a vacuum comes. Packed numbers
-- don't shrink, so Postgres does not try to compress them.
ALTER TABLE banks_postingblock
    ALTER COLUMN postings SET STORAGE EXTERNAL,
    SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
