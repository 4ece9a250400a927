package ducklake.spark.docs

/** The sections of the page of procedures about tables of other formats. */
private[docs] object MovingSections {

  val all: String =
    """### migrate_from_iceberg
      |
      |A table of Iceberg becomes a table of the lake. No data file is copied: the files are registered where they are.
      |
      |```sql
      |CALL lake.system.migrate_from_iceberg('/warehouse/db/trips', 'trips', dry_run => true);
      |CALL lake.system.migrate_from_iceberg('/warehouse/db/trips', 'trips', checksum => true);
      |```
      |
      |- The source is a metadata file (`….metadata.json`) or the folder of a table, whose newest metadata file counts: the one that
      |  `version-hint.text` names, or else that with the greatest number. It is read at its current snapshot. Or it is the name of a
      |  table in a catalog of the session, such as `ice.db.trips`: then the session has Iceberg's runtime for its Spark.
      |- Iceberg's library reads it; the session brings it: `--packages org.apache.iceberg:iceberg-core:1.12.0` (Spark 4.0 to 4.3).
      |- The result says what comes along, with numbers and bytes, what is left behind and what is in the way. With `dry_run` that is
      |  all, and the footers of all files are read for it; else the move is one commit, and nothing is changed when something is in the way (`DUCKLAKE_UNSUPPORTED`).
      |- With `checksum => true` all rows are read twice before the commit: as rows of the lake's table, and by the reader of the
      |  source's own format. Both must have the same number of rows and the same sum of their hashes; else nothing is changed
      |  (`DUCKLAKE_CANNOT_ADD_FILE`). A line `checksum` has both numbers. Floating numbers are their bits, NULL is no empty text, and
      |  nanoseconds are cut off. The reader of Iceberg is more than its core: `--packages
      |  org.apache.iceberg:iceberg-core:1.12.0,org.apache.iceberg:iceberg-data:1.12.0,org.apache.iceberg:iceberg-parquet:1.12.0`.
      |- The lake owns the files from then on, as with `add_data_files`: end all writes and the upkeep of the source before. Both would
      |  delete files that the other needs.
      |- So files that may belong to somebody else are in the way: those of a table with `gc.enabled = false`, as Iceberg's procedure
      |  `snapshot` makes it over the files of another table, and as catalogs with branches, such as Nessie, make all of theirs. With
      |  `allow_shared_files => true` it moves all the same, when you know that nobody else needs the files; later calls for the same table
      |  need it again. A table that `export_iceberg` made is always refused: its files belong to that lake.
      |- A second call with the same source and table brings what the source has changed since, in one commit: new files, ended files,
      |  deletes, columns. The table remembers the source and its version as its option `spark_moved_from`. The call is refused when
      |  the lake has changed the table since it moved, also by its upkeep, and when the source has lost the remembered version. See
      |  [a table that is still written](from-iceberg-and-delta.md#a-table-that-is-still-written).
      |- With `history => true` the snapshots of the source become snapshots of the lake, with their times, in one transaction. The lake must be new,
      |  or its newest snapshot older than all of them; else the call is refused. It does not go with `checksum`. See
      |  [with its history](from-iceberg-and-delta.md#with-its-history).
      |- The lines of the result, the types and the keys are in [the page of a move](from-iceberg-and-delta.md#moving-a-table-of-iceberg).
      |
      |### migrate_from_delta
      |
      |A table of Delta becomes a table of the lake. Its files are registered where they are; a file of which DuckDB would read
      |other values is written again, as a file of the lake.
      |
      |```sql
      |CALL lake.system.migrate_from_delta('/warehouse/rides', 'rides', dry_run => true);
      |CALL lake.system.migrate_from_delta('/warehouse/rides', 'rides', drop_unsupported => true);
      |```
      |
      |- The source is the folder of a table. It is read at its newest version. Or it is the name of a table in a catalog of the session,
      |  such as `spark_catalog.db.rides`, which says where the folder is.
      |- Delta's Kernel reads it; the session brings it: `--packages io.delta:delta-kernel-defaults:4.4.0` (Spark 4.0 to 4.3). A table
      |  with a feature that the Kernel does not know is refused. On Spark 4.0 so is a move for which it opens Parquet files: a table
      |  with a checkpoint, or `checksum`.
      |- The result is that of [migrate_from_iceberg](#migrate_from_iceberg). `data files to rewrite` counts the files that are written
      |  again. Of the files that cannot be moved a dry run names the first.
      |- Generated and identity columns, defaults, CHECK constraints, collations and lengths of texts are in the way. With
      |  `drop_unsupported` they are left behind; the rows stay as they are.
      |- The lake owns the files from then on: end all writes and the upkeep (VACUUM) of the source before.
      |- Files outside of the folder of the table are in the way, because they may belong to another table, as those of a shallow clone do;
      |  with `allow_shared_files => true` they move, too. A table that `export_delta` made is always refused: its files belong to that lake.
      |- A second call brings what the source has changed since, as with [migrate_from_iceberg](#migrate_from_iceberg). It is refused,
      |  too, when the log does not reach back to the version that moved last.
      |- `checksum => true` compares all rows, as with [migrate_from_iceberg](#migrate_from_iceberg); the reader is the Kernel's.
      |- With `history => true` the versions of the source become snapshots of the lake, as with [migrate_from_iceberg](#migrate_from_iceberg).
      |- The types, the keys and what is written again are in [the page of a move](from-iceberg-and-delta.md#moving-a-table-of-delta).
      |
      |### migrate_from_parquet
      |
      |A folder of Parquet files, or a table of them, becomes a new table of the lake. Files stay where they are, as with
      |[migrate_from_delta](#migrate_from_delta).
      |
      |```sql
      |CALL lake.system.migrate_from_parquet('/warehouse/clicks', 'clicks', dry_run => true);
      |CALL lake.system.migrate_from_parquet('/warehouse/clicks', 'clicks');
      |```
      |
      |- The source is a folder when it has a `/`, else the name of a table of the session, such as `spark_catalog.default.clicks`.
      |  Folders of Delta, Iceberg and Hudi are refused: they have files that are no longer rows. So are views, whose rows need not be
      |  all rows of files, and tables whose columns have defaults, which Spark shows for older files.
      |- The columns are those that Spark infers from all files, those of `key=value` folders last. Folders become partition keys.
      |- Files with INT96, with row ids of a lake or of Iceberg, and of a partition in a folder without its value are written again. So
      |  are files of Spark 2, or of a newer Spark that was asked for its calendar, with dates before 1582-10-15 or instants before
      |  1900, which Spark alone reads. A file that DuckDB reads in another way than Spark, such as JSON for a text or such instants
      |  in milliseconds, is refused.
      |- `checksum => true` compares all rows, as with [migrate_from_iceberg](#migrate_from_iceberg); the reader is Spark's, under the
      |  settings of the session.
      |- The lake owns the files from then on: end all other writes before.
      |
      |### export_delta and export_iceberg
      |
      |Show a snapshot of a table to readers of Delta or Iceberg that know no DuckLake. No data file is copied: a folder gets the metadata
      |of a table that has the same files.
      |
      |```sql
      |CALL lake.system.export_delta('events', '/shared/delta/events', dry_run => true);
      |CALL lake.system.export_delta('events', '/shared/delta/events', flush => true);
      |CALL lake.system.export_iceberg('events', '/shared/iceberg/events', keep_versions => 3);
      |CALL lake.system.export_delta(schema => 'main', path => '/shared/delta', dry_run => true);
      |```
      |
      |- Each call that finds a change writes the next version of the exported table. Old versions stay, so it has time travel, too. When
      |  the table is as the last version shows it, nothing is written; its snapshot gets its name again where the name was lost.
      |- Without `version`, the newest snapshot is shown; else the snapshot with this id or name.
      |- Deleted rows become deletion vectors of Delta, or position delete files of Iceberg, which tasks write into the folder.
      |- The result says what was written. With `dry_run` it says what would be, and each line `in the way` names something that the
      |  format cannot show. The call is refused then (`DUCKLAKE_UNSUPPORTED`), and no version is written. [The page of the way
      |  back](from-iceberg-and-delta.md#showing-a-table-to-readers-of-delta-and-iceberg) has the types and what else stands in the way.
      |- Inlined rows are in the way. With `flush => true` they are flushed first, also when the call is refused then; `dry_run` counts them as `rows to flush`.
      |- The snapshot gets a name, `export.<format>.<hash of the folder>.<snapshot>`, which the result shows. Expiry keeps the snapshot,
      |  and `cleanup_old_files` every file that was scheduled since an hour before the oldest exported snapshot. With `keep_versions => 3`
      |  only the newest three of the folder keep their names; `release_snapshot` takes one away. Versions that lost their files
      |  cannot be read any more. A call that fails leaves the name when its version is there all the same, or when the folder does
      |  not answer.
      |- Without `table_name`, all tables of `schema` are shown at one snapshot, each in a folder of its name below `path`; views are left
      |  out. The result has a line for each table: its version, and the bytes of added files; with `dry_run` its files, and the lines
      |  about what it needs and what is in its way. When one table cannot be shown, nothing is written. Versions are written table by
      |  table, so storage that fails leaves the tables before it written; the next call goes on.
      |- A folder with another table, or with versions of other writers, is refused (`DUCKLAKE_INVALID_ARGUMENT`). So is a log of Delta
      |  that lacks a version and has no checkpoint after it: no reader reads it. When a checkpoint is gone that readers would look for, the
      |  call writes a new one.
      |- Of two calls for one folder at the same time, one writes the version, and the other writes the next one or fails with
      |  `DUCKLAKE_INVALID_ARGUMENT` and may be called again. [Not on every object
      |  store](from-iceberg-and-delta.md#showing-a-table-to-readers-of-delta-and-iceberg).
      |- `export_delta` alone has `column_mapping => 'id'`, for readers that find columns by field ids. `export_iceberg` needs Iceberg's
      |  library, as `migrate_from_iceberg` does, and writes format 2; with `format_version => 3` deletes are deletion vectors,
      |  and columns may have nanoseconds.
      |""".stripMargin.trim
}
