package ducklake.spark.docs

/** The sections of `procedures.md` about the catalog database itself. */
private[docs] object CatalogSections {

  val text: String =
    """### recompute_statistics
      |
      |Computes the statistics of a table, of the tables of a schema or of all tables from those of their files and from inlined
      |rows.
      |
      |```sql
      |CALL lake.system.recompute_statistics('events');
      |```
      |
      |- The catalog has the smallest and the largest value of each column of a table. These never get narrower by themselves, also
      |  when the rows are long gone. Afterwards they are those of all rows that the catalog still has: of live files, of files
      |  that only past snapshots need, and of inlined rows. DuckDB uses them for past snapshots, too.
      |- The statistics of a file are those of all its rows, deleted ones too. Rewrite the files and expire the snapshots first.
      |- DuckDB answers MIN and MAX from them again when the table has no deleted rows left.
      |- The result has a row for each table whose statistics changed, with the new snapshot. It has no entry in `changes`.
      |
      |### repair_partition_values
      |
      |Gives the files of a table, of the tables of a schema or of all tables the partition values that their statistics prove, where
      |the stored ones are wrong.
      |
      |```sql
      |CALL lake.system.repair_partition_values('events', dry_run => true);
      |CALL lake.system.repair_partition_values('events');
      |```
      |
      |- Lakes that DuckDB's `iceberg_to_ducklake` has made have Iceberg's ordinals under `year`, `month`, `day` and `hour`: 54 for
      |  2024. Other writers spell values in their own way, or give a file a wrong bucket. Spark believes no value that the
      |  statistics contradict; DuckDB looks for one value of a bucket key in the files of its bucket alone, and misses rows.
      |- A value is wrong when the smallest or the largest value of the file contradicts it. The true one is stored when both have the
      |  same. A part of an instant is wrong only when it is that of no time zone.
      |- The result has a row for each key of the table's current layout with wrong values: `files_repaired` have true ones now, with
      |  `dry_run` would have them; `files_left` stay as they are, since nothing proves another value. Buckets of several
      |  values are among these: take the key away (`ALTER TABLE … RESET PARTITIONED BY`), or copy the table.
      |- Each table is a commit of its own, without an entry in `changes`. Earlier snapshots with the same files have the true values,
      |  too. Files of older layouts, and files that only past snapshots have, stay as they are.
      |
      |### cleanup_old_metadata
      |
      |Removes rows of the catalog that nothing needs, and that no expiry removes.
      |
      |```sql
      |CALL lake.system.cleanup_old_metadata(dry_run => true);
      |CALL lake.system.cleanup_old_metadata(inlined_tables => true);
      |```
      |
      |- Statistics, options and all other rows of tables that the catalog no longer has; statistics and partition values of such
      |  files; views, macros, tags, comments, partition keys and sort orders that no snapshot sees; parts of macros and name
      |  mappings without an owner.
      |- Past columns and schema versions, unless a snapshot sees them, a data file was made in their time, or an inlined table has
      |  them. Those of a table with inlined rows stay until `flush_inlined_data`.
      |- With `inlined_tables => true` also the inlined tables of past schema versions that have no row. The newest of each table
      |  stays, because DuckDB inserts into it. A session of DuckDB that has read the table before looks for the others, and fails, until
      |  it attaches the lake again (so it does after DuckDB's own flush in another session); sessions of Spark go on.
      |- The result has the number of rows for each metadata table; for `ducklake_inlined_data_tables` it is that of inlined
      |  tables. No snapshot is made, and all snapshots show what they did. Others commit in between, as with `expire_snapshots`;
      |  after a kill the next call does the rest.
      |
      |### vacuum_catalog
      |
      |`CALL lake.system.vacuum_catalog()` writes the catalog database anew, so that it holds no bytes of removed rows
      |([Erasing a person](erasing.md)).
      |
      |- SQLite: `VACUUM`, and the write-ahead log is emptied. PostgreSQL: `VACUUM (FULL, ANALYZE)` of the lake's tables, one after
      |  another; it needs their owner, and each table is locked while it is written. Nobody waits longer than `busy-timeout` for
      |  readers (`DUCKLAKE_CATALOG_BUSY`: run it again).
      |- A DuckDB file is refused (`DUCKLAKE_UNSUPPORTED`), with the statements that make a clean copy of it.""".stripMargin
}
