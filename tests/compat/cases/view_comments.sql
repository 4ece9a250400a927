-- @case since=1.1
CREATE TABLE t (a INTEGER, b VARCHAR);
INSERT INTO t VALUES (1, 'x'), (NULL, '');
CREATE VIEW v AS SELECT a, b AS "odd Name" FROM t;
COMMENT ON VIEW v IS 'of the view';
COMMENT ON COLUMN v.a IS 'of a column';
COMMENT ON COLUMN v."odd Name" IS 'it''s of another';
COMMENT ON COLUMN v.a IS NULL;
ALTER VIEW v RENAME TO w;
