package ducklake.spark.docs

import ducklake.spark.changes.FeedKind
import ducklake.spark.extension.TableFunctions
import ducklake.spark.metadata.FilesTable
import ducklake.spark.metadata.SnapshotsTable
import ducklake.spark.moving.MoveLine
import ducklake.spark.procedures.AddDataFiles
import ducklake.spark.procedures.ChangeFeedProcedure
import ducklake.spark.procedures.CleanupOldFilesProcedure
import ducklake.spark.procedures.CompactionResult
import ducklake.spark.procedures.DeleteOrphanedFiles
import ducklake.spark.procedures.ExpireSnapshots
import ducklake.spark.procedures.FlushInlinedData
import ducklake.spark.procedures.LakeChange
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.procedures.ListFilesProcedure
import ducklake.spark.procedures.MergeAdjacentFiles
import ducklake.spark.procedures.Procedures
import ducklake.spark.procedures.RewriteDataFiles
import ducklake.spark.procedures.RollbackToSnapshot
import ducklake.spark.procedures.TransactionProcedure
import ducklake.spark.procedures.UndoCommit
import ducklake.spark.procedures.moving.ExportDelta
import ducklake.spark.procedures.moving.ExportIceberg
import ducklake.spark.procedures.moving.MigrateFromDelta
import ducklake.spark.procedures.moving.MigrateFromIceberg
import ducklake.spark.procedures.moving.MigrateFromParquet
import ducklake.spark.procedures.upkeep.Checkpoint
import ducklake.spark.procedures.upkeep.CheckpointRow
import ducklake.spark.procedures.upkeep.CleanupOldMetadata
import ducklake.spark.procedures.upkeep.KeepSnapshot
import ducklake.spark.procedures.upkeep.RecomputeStatistics
import ducklake.spark.procedures.upkeep.RepairPartitionValues
import ducklake.spark.procedures.upkeep.RegisterReader
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** `jvm/docs/procedures.md`: every procedure with its arguments and the columns it gives. */
final class ProceduresPageSpec extends RecordedPage {

  private lazy val all: Vector[LakeProcedure] = new Procedures(ExampleLake.session).plain

  private lazy val (reading, changing) = {
    val functions = TableFunctions.all.map(_._1.funcName.stripPrefix("ducklake_")).toSet
    all.partition(p => functions(p.name()))
  }

  private def argument(parameter: ProcedureParameter): String = {
    val named = s"`${parameter.name()}` ${parameter.dataType().sql}"
    if (Option(parameter.defaultValue()).isEmpty) named else s"[$named]"
  }

  private def columns(procedure: LakeProcedure): String =
    procedure match {
      case _: ListFilesProcedure => ExampleLake.columns(FilesTable.listSchema)
      case _: LakeChange => "`Success` BOOLEAN; no row"
      case _: MigrateFromIceberg | _: MigrateFromDelta | _: MigrateFromParquet | _: ExportDelta |
          _: ExportIceberg =>
        ExampleLake.columns(MoveLine.schema)
      case _: AddDataFiles => ExampleLake.columns(AddDataFiles.schema)
      case _: CleanupOldMetadata => ExampleLake.columns(CleanupOldMetadata.schema)
      case _: FlushInlinedData =>
        "`schema_name` STRING, `table_name` STRING, `rows_flushed` BIGINT"
      case _: MergeAdjacentFiles | _: RewriteDataFiles =>
        ExampleLake.columns(CompactionResult.schema)
      case _: RecomputeStatistics => ExampleLake.columns(RecomputeStatistics.schema)
      case _: RepairPartitionValues => ExampleLake.columns(RepairPartitionValues.schema)
      case _: Checkpoint => ExampleLake.columns(CheckpointRow.schema)
      case _: ExpireSnapshots => ExampleLake.columns(SnapshotsTable.expirySchema)
      case _: CleanupOldFilesProcedure | _: DeleteOrphanedFiles => "`path` STRING"
      case _: RollbackToSnapshot | _: UndoCommit =>
        "`schema_name` STRING, `table_name` STRING, `snapshot_id` BIGINT"
      case _: KeepSnapshot | _: RegisterReader => ExampleLake.columns(KeepSnapshot.schema)
      case _: TransactionProcedure => ExampleLake.columns(TransactionProcedure.schema)
      case other => ExampleLake.columns(other.result(InternalRow.empty).schema)
    }

  private def listed(procedures: Vector[LakeProcedure]): String = {
    val rows = procedures.map { p =>
      val arguments = p.parameters().map(argument).mkString(", ")
      Seq(s"`${p.name()}`", p.description(), arguments, columns(p))
    }
    table(Seq("procedure", "what it does", "arguments", "columns"), rows)
  }

  private def page: String =
    s"""# Procedures
       |
       |`CALL lake.system.<name>(…)`, where `lake` is the catalog's name. The procedures are DuckDB's functions without their
       |prefix `ducklake_`. Arguments are given by position or by name (`schema => 's'`); those in brackets may be
       |left out. An argument that is given must not be NULL (`DUCKLAKE_INVALID_ARGUMENT`), but for those of `set_commit_message`.
       |`table_name` may contain the schema (`'s.t'`) when no schema is given; without any schema it is `main`. The tables on this
       |page are made from the code. The tests run the statements, on a table `events` with the columns `id`, `kind` and `day`.
       |
       |## Procedures that read
       |
       |${listed(reading)}
       |
       |```sql
       |CALL lake.system.snapshots();
       |CALL lake.system.list_files('events', snapshot_version => 2);
       |```
       |
       |All of them but `list_files` are tables too; for files there is `lake.t.files`, which shows more
       |([reading.md](reading.md)). With the extension all of them are also table functions under DuckDB's names, with the catalog's
       |name as first argument:
       |
       |```sql
       |SELECT * FROM lake.system.snapshots;
       |SELECT * FROM lake.main.events.files;
       |SELECT * FROM ducklake_list_files('lake', 'events', snapshot_version => 2);
       |```
       |
       |$readingNotes
       |
       |## Change feeds
       |
       |$feeds
       |
       |$feedNotes
       |
       |## Procedures that change something
       |
       |${listed(changing)}
       |
       |$changingNotes
       |
       |${CatalogSections.text}
       |""".stripMargin

  // Their margins are stripped with the page's.
  private def readingNotes: String =
    """- In a catalog that is pinned to a snapshot, `current_snapshot` and `table_info` show that snapshot; `snapshots`,
      |  `options` and `settings` show the lake as it is today.
      |- `last_committed_snapshot` is NULL until the session has made a commit.
      |- The column `changes` has DuckDB's keys (`tables_created`, `inlined_insert`, …). Its values are the names of things that
      |  were created, and the ids of all others.
      |- `list_files` takes a version or a time, not both."""

  private def feeds: String = {
    val rows = FeedKind.all.map { kind =>
      val own = kind.own.map { case (name, column) => s"`$name` ${column.sparkType.sql}" }
      Seq(
        s"`${kind.functionName}`",
        ChangeFeedProcedure.description(kind),
        "[`schema_name` STRING], `table_name` STRING, `start_snapshot` and `end_snapshot`: " +
          "BIGINT (an id), STRING (a name or a time; a whole number is an id) or TIMESTAMP",
        (own :+ "the columns of the table").mkString(", "),
      )
    }
    table(Seq("procedure", "what it does", "arguments", "columns"), rows)
  }

  private def feedNotes: String =
    """```sql
      |CALL lake.system.table_changes('main', 'events', 3, 7);
      |CALL lake.system.table_insertions('main', 'events', 3, 7);
      |CALL lake.system.table_deletions('main', 'events', 3, 7);
      |```
      |
      |The result passes through the driver and may have 100,000 rows. [Change feed](change-feed.md) describes the rows, and the
      |ways to read them by tasks, without this limit."""

  private def changingNotes: String =
    s"""### Layout, options, messages
      |
      |```sql
      |CALL lake.system.set_partitioned_by('events', array('kind', 'year(day)'));
      |CALL lake.system.set_sorted_by('events', array('kind DESC NULLS FIRST', 'id'));
      |CALL lake.system.reset_partitioned_by('events');
      |CALL lake.system.reset_sorted_by('events');
      |CALL lake.system.set_not_null('events', 'id');
      |CALL lake.system.set_option('target_file_size', '64MB');
      |CALL lake.system.set_option('skip_stats_columns', 'kind, day', table_name => 'events');
      |CALL lake.system.set_commit_message('me', 'why');
      |```
      |
      |- `set_partitioned_by` and `set_sorted_by` take an array of texts. A name with a space or a dot is quoted inside its text:
      |  `array('"b c"')`. [statements.md](statements.md) has all keys, and DuckDB's words for the first five procedures.
      |- `set_not_null` is refused while the column has a NULL. The name of the column may be quoted as in SQL (`` `a b` ``, `"a b"`).
      |- `set_option` sets an option of a table or of a schema; when neither is given, of the lake. It makes no snapshot.
      |  `skip_stats_columns` is an option of tables alone; its value is a list of column names: `'a, "b c"'`.
      |- `set_commit_message` is for the next commit of this session. [writing.md](writing.md#author-and-message-of-a-commit) has the
      |  other ways.
      |
      |### add_data_files
      |
      |Existing Parquet files become data files of a table. They are called *registered* files.
      |
      |```sql
      |CALL lake.system.add_data_files('events', '/in/*.parquet');
      |CALL lake.system.add_data_files('events', array('/more/a.parquet', '/more/b.parquet'), allow_missing => true);
      |```
      |
      |- The path is a file, a folder, a pattern (`**` stands for folders of any depth) or an array of them. All files are added
      |  in one commit, or none.
      |- The files stay where they are, and the lake owns them from then on. After merging, rewriting and expiry `cleanup_old_files`
      |  deletes those below the data path, and with `outside_data_path => true` the others; DuckDB's function deletes all.
      |- Columns are found by name. Folders called `key=value` give columns and partition keys their values. A partition key
      |  without such a folder needs statistics which prove that all rows have the same value.
      |- From the first registered file on, filters on keys of the kind `bucket(n, c)` leave out files of the table by their
      |  statistics alone: DuckDB registers files also below a folder with another value.
      |- A column of Parquet's NULL type (pandas and Arrow write columns without a value so) fits every column that may be NULL.
      |- Timestamps of old writers, whose files have only Parquet's converted type (`TIMESTAMP_MICROS`, `TIMESTAMP_MILLIS`), are local
      |  times, as for DuckDB: they fit TIMESTAMP_NTZ and not TIMESTAMP.
      |- A file without rows is left out.
      |
      |Refused with `DUCKLAKE_CANNOT_ADD_FILE`:
      |
      |- a file that lacks a column of the table (without `allow_missing`) or has a column that the table lacks (without
      |  `ignore_extra_columns`);
      |- a file with a column whose type does not fit that of the table's column;
      |- a file whose rows contradict the values in its path;
      |- a file that cannot be read, or that DuckDB cannot read: brotli, BSON, a blob of GeoParquet, maps whose entries are not
      |  called `key` and `value`, the smallest timestamp or date of Parquet, the encoding BYTE_STREAM_SPLIT of anything but
      |  floating numbers;
      |- a file in the calendar of Spark 2 with dates before 1582-10-15, instants before 1900, or no minimum of them (as INT96);
      |- a copy of a lake's file, when it contains row ids or snapshots of that lake.
      |
      |Refused with `DUCKLAKE_FILE_ALREADY_REGISTERED`: a file that this lake, or another lake that can be seen, has already
      |([limits](limits.md#maintenance)). A symbolic link and its file are one file.
      |
      |${MovingSections.all}
      |
      |### flush_inlined_data
      |
      |Moves inlined rows and inlined deletes, which the catalog database keeps, into files.
      |
      |```sql
      |CALL lake.system.flush_inlined_data();
      |CALL lake.system.flush_inlined_data('events');
      |```
      |
      |- It flushes a table, a schema or the whole lake. Each table gets a snapshot of its own. The result has a row for each table;
      |  `rows_flushed` counts all rows that were moved, also those that were deleted since.
      |- Time travel, row ids and change feeds stay as they were.
      |- Tables with the option `auto_compact` set to false are left alone.
      |- A value that no Parquet file can hold exactly is an error that names its column; that table stays as it is. When one of
      |  several tables fails, the others are flushed nevertheless, and the error at the end (`DUCKLAKE_FLUSH_INCOMPLETE`) names
      |  the tables that were flushed and those that were not. When commits of others come in between, a table is tried up to four
      |  times.
      |- On PostgreSQL, use this call in place of DuckDB's own flush when others may commit at the same time. When DuckDB's flush
      |  has to retry its commit, the deletes that it moved to files stay in the catalog too, and DuckDB reads wrong rows from then
      |  on. Spark reads such a table right, and Spark's flush repairs it.
      |
      |### merge_adjacent_files
      |
      |Merges small files of a table, a schema or the whole lake into larger files.
      |
      |```sql
      |CALL lake.system.merge_adjacent_files();
      |CALL lake.system.merge_adjacent_files('events', max_file_size => 16777216);
      |CALL lake.system.merge_adjacent_files('events', apply_deletes => true, show_partitions => true);
      |CALL lake.system.merge_adjacent_files('events', where => "day >= DATE '2026-11-01'");
      |```
      |
      |- It merges files that are smaller than the option `target_file_size`, never had deletes, were added under the same columns
      |  and have the same partition values. `min_file_size` leaves out files below that size, `max_file_size` leaves out files of
      |  that size and above (both in bytes). `max_compacted_files` is the largest number of new files for each table.
      |- With `apply_deletes => true` small files with deleted rows are written together without these rows first, as
      |  `rewrite_data_files` does it, and then merged with the others. Such a file is left alone when there is no other small
      |  file of its partition. Old snapshots forbid nothing: they read the old files, which stay until these snapshots have
      |  expired. The change feed shows the rows of such files as updates to the same values
      |  ([decision 15](decisions/15-rewriting-files.md)).
      |- With `where`, a condition on the columns of a table, only a part of the table is merged: the files that may hold rows
      |  for which the condition is true, by their partition values and the bounds of their columns, as Iceberg's
      |  `rewrite_data_files` chooses them. Such a file is taken with all its rows. A part of the condition that neither partition
      |  values nor bounds decide (`i % 2 = 0`, `rand() < 0.5`, a condition on elements of an array) is refused by name: it would choose
      |  all files.
      |- Each row of the result is a new file. `show_partitions => true` adds the column `partition`, a map of keys and values.
      |- Snapshots, row ids and change feeds stay as they were. The old files are scheduled for deletion, and a query that reads
      |  them must end before `cleanup_old_files` deletes them.
      |- Each table has commits of its own, of up to 64 new files each, or 8 for each core where that is more. When others delete rows
      |  of some files meanwhile, the rest is planned anew.
      |- Tables with the option `auto_compact` set to false are left alone.
      |- Rows are copied bit by bit. Where values have to be converted ([decision 14](decisions/14-merging-files.md)),
      |  a value that Spark cannot carry (nanoseconds, times in variants) is an error that names its column. Its file and those that
      |  would have become one with it stay as they are, as beside a file that is missing or damaged. All others are merged, and the
      |  error comes at the end (`DUCKLAKE_MAINTENANCE_INCOMPLETE`).
      |- [Decision 14](decisions/14-merging-files.md) lists the differences from DuckDB's procedure.
      |
      |### rewrite_data_files
      |
      |Writes files with many deleted rows anew, without these rows.
      |
      |```sql
      |CALL lake.system.rewrite_data_files('events');
      |CALL lake.system.rewrite_data_files('events', delete_threshold => 0.3);
      |CALL lake.system.rewrite_data_files('events', delete_threshold => 0, where => "day >= DATE '2026-11-01'");
      |```
      |
      |- It rewrites files whose share of deleted rows is at least `delete_threshold`, a number from 0 to 1. Without the argument
      |  the option `rewrite_delete_threshold` counts (0.95). Files are grouped as `merge_adjacent_files` groups them.
      |- With `where` only files that may hold rows for which the condition is true are rewritten, as with
      |  `merge_adjacent_files`.
      |- Row ids stay as they were. So does every past snapshot, which reads the old files until it expires.
      |- The change feed of the new snapshot shows the rows that moved as updates to the same values, as after DuckDB's own rewrite.
      |- Each row of the result is a group of files that became one file, or none when all its rows are deleted.
      |- Commits, options and errors are as for merges. [Decision 15](decisions/15-rewriting-files.md) lists the differences
      |  from DuckDB's procedure.
      |
      |### checkpoint
      |
      |All upkeep in one call, for a daily job.
      |
      |```sql
      |CALL lake.system.checkpoint();
      |```
      |
      |It calls `flush_inlined_data`, `expire_snapshots`, `merge_adjacent_files`, `rewrite_data_files`, `recompute_statistics`,
      |`cleanup_old_files` and `delete_orphaned_files` without arguments, in this order, so that the options of the lake decide.
      |
      |- Small files with deleted rows are merged too; with `apply_deletes => false` they are not.
      |- The result has a row for each step and table, and a row with a note for a step that had nothing to do: what was flushed,
      |  expired, merged, rewritten and deleted, and how often commits of others made a step plan anew (`conflicts`). A table that
      |  the option `auto_compact` leaves out has a row that says so. The log has the same, and how long each step took.
      |- `recompute_statistics` takes tables of which rows are gone, as long as they have no more than 100,000 statistics of files
      |  (files times columns).
      |- When a step fails, the others are done nevertheless. The error at the end (`DUCKLAKE_MAINTENANCE_INCOMPLETE`) names the
      |  steps that failed and those that are done.
      |
      |### expire_snapshots
      |
      |Removes old snapshots, and schedules the files that only they needed for deletion.
      |
      |```sql
      |CALL lake.system.expire_snapshots(older_than => now() - INTERVAL 7 DAYS, dry_run => true);
      |CALL lake.system.expire_snapshots(versions => array(2, 3));
      |```
      |
      |- Snapshots are chosen by id (`versions`) or by age (`older_than`, else the option `expire_older_than`). Without any of them
      |  nothing happens. The newest snapshot never expires. The result shows the expired snapshots as `snapshots` does; of more than
      |  10,000, the 10,000 oldest.
      |- Snapshots [with a name](#keep_snapshot-and-release_snapshot) stay, also those in `versions`. The result shows those that would
      |  have expired, with their names in `kept_as`, which is NULL for snapshots that expired.
      |- Snapshots that [readers](#register_reader-and-forget_reader) have not read stay, too: their names are in `kept_for`. The
      |  readers that registered too long ago, and lose a snapshot, are in `strands`; they are forgotten.
      |- The snapshot of a [transaction](transactions.md) that is open in a session of the same Spark stays: `an open transaction` is in
      |  `kept_for`. Those of other processes are not known.
      |- Rows of the catalog that no remaining snapshot sees are removed. No snapshot is made. By age, the last epochs of streams that
      |  were not seen for 30 days go, too ([streaming](streaming.md#writing-a-stream)).
      |- It works in transactions of about a third of a second each, so that others commit in between. When it ends early
      |  (`DUCKLAKE_MAINTENANCE_INCOMPLETE`), the next call does the rest. The driver's memory does not grow with the number of
      |  snapshots ([limits](limits.md#memory)).
      |- Keep snapshots longer than DuckDB's longest transaction. If snapshots that are newer than the start of an open DuckDB
      |  transaction expire, its commit does not see what they changed and takes one of their ids, whichever engine removed them.
      |  Spark refuses such a commit of its own.
      |
      |### keep_snapshot and release_snapshot
      |
      |`keep_snapshot` gives a snapshot a name and keeps it from `expire_snapshots` and `checkpoint`; `release_snapshot` takes the name
      |away.
      |
      |```sql
      |CALL lake.system.keep_snapshot('year end', snapshot_version => 3);
      |SELECT count(*) FROM lake.events VERSION AS OF 'year end';
      |CALL lake.system.table_changes('events', 'year end', 7);
      |CALL lake.system.release_snapshot('year end');
      |```
      |
      |- Without `snapshot_version` it is the newest snapshot. The result is its id.
      |- A name is any text that is not blank and not a whole number. A snapshot may have several names; a name that another snapshot
      |  has is refused (`DUCKLAKE_INVALID_ARGUMENT`), so a name never moves by accident.
      |- All files that the snapshot needs stay, for all tables of the lake, however they are compacted since.
      |- A name is an option of the lake, `spark_kept_snapshot.<name>`. No snapshot is made, and a rollback leaves names as they are.
      |- DuckDB carries the names along, and its `ducklake_expire_snapshots` and CHECKPOINT know nothing of them. To read a name whose
      |  snapshot is gone is an error (`DUCKLAKE_NO_SUCH_SNAPSHOT`); `lake.system.named_snapshots` shows it without a time.
      |
      |### register_reader and forget_reader
      |
      |`register_reader` says how far a program outside of Spark has read a table, and keeps that snapshot and all later ones from
      |`expire_snapshots` and `checkpoint`. `forget_reader` ends this. Streams of Spark [register themselves](streaming.md#readers-and-expiry).
      |
      |```sql
      |CALL lake.system.register_reader('warehouse', 'events', snapshot_version => 5);
      |SELECT * FROM lake.system.readers;
      |CALL lake.system.forget_reader('warehouse', 'events');
      |```
      |
      |- Without `snapshot_version` it is the newest snapshot. The result is its id. Register again after each read: the last call counts,
      |  and the snapshot may also be an earlier one, if it is still there.
      |- The name is any text that is not blank, and may be used for several tables. Without a table `forget_reader` forgets the name for
      |  all of them; a stream that runs registers itself again.
      |- A reader keeps snapshots for as long as the lake option `reader-retention` says (`set_option`; 7 days, and at least 2 hours).
      |- A reader is an option of its table, `spark_reader.<name>`. No snapshot is made. It is gone with its table when an expiry
      |  removes the last trace of it.
      |- DuckDB carries readers along, and its `ducklake_expire_snapshots` and CHECKPOINT know nothing of them.
      |
      |### cleanup_old_files and delete_orphaned_files
      |
      |`cleanup_old_files` deletes files that are scheduled for deletion. `delete_orphaned_files` (also called
      |`remove_orphan_files`) deletes files that the catalog does not know, which writers left when they were killed.
      |
      |```sql
      |CALL lake.system.cleanup_old_files(dry_run => true);
      |CALL lake.system.cleanup_old_files(older_than => now() - INTERVAL 2 DAYS);
      |CALL lake.system.delete_orphaned_files(dry_run => true);
      |```
      |
      |- `cleanup_old_files` deletes files that were scheduled before `older_than`. Without it the option `delete_older_than` says
      |  how long ago (two days), and `cleanup_all => true` deletes all: a query that began before the expiry may still read them.
      |- A scheduled file that the catalog still lists, under any spelling of its path, is kept and named in the log. A file that
      |  is gone counts as deleted. A file that cannot be deleted stays scheduled, and the call fails at its end.
      |- `delete_orphaned_files` deletes unknown files that were last written before `older_than`. Without it `delete_older_than`
      |  counts, and `cleanup_all => true` takes all of them. The files of a writer at work are unknown too, and its commit does not look
      |  whether they are still there: use `cleanup_all` only while nobody writes, and keep `delete_older_than`, which `checkpoint` obeys, longer
      |  than the longest statement takes. Those of an open [transaction](transactions.md) of the same Spark are known, and stay.
      |- It looks into the folders of the lake's schemas only, and takes only files with names that DuckDB and Spark give. DuckDB's
      |  function takes every Parquet file below the data path, also those of another lake. A symbolic link to a folder that is not
      |  below the data path is not followed, and a folder to which several links lead is looked into once.
      |- Two lakes must not share one data path. The call is refused when another lake in the same database does so
      |  (`DUCKLAKE_SHARED_FOLDER`); a lake in another database cannot be seen.
      |- With `dry_run => true` these two procedures and `expire_snapshots` change nothing and show what the same call would do.
      |- Files are listed and deleted in Spark tasks. The driver needs 8 bytes for each file of the lake. `cleanup_old_files` has 50,000
      |  scheduled files in memory at a time; its result shows the paths, of more than 10,000 only 10,000 of them.
      |  `delete_orphaned_files` needs about half a kilobyte for each file that is deleted, and the path of each folder.
      |
      |### rollback_to_snapshot
      |
      |Makes a table, or the whole lake, what it was at a past snapshot.
      |
      |```sql
      |CALL lake.system.rollback_to_snapshot('events', snapshot_version => 5);
      |CALL lake.system.rollback_to_snapshot('events', snapshot_time => TIMESTAMP '2026-01-31 12:00:00');
      |CALL lake.system.rollback_to_snapshot(snapshot_version => 3);
      |```
      |
      |- `snapshot_version` is a snapshot's id, or its [name](#keep_snapshot-and-release_snapshot).
      |- The table's rows with their row ids, its columns, partition keys, sort order and comments are those of that snapshot. The
      |  rollback is one new snapshot, and history stays.
      |- A table that was dropped or replaced comes back under the name that it had. A table that was renamed keeps its present name.
      |  Lake options and other tables stay as they are.
      |- A data file that only the present has is removed from the table without reading it. A file that only the past has is copied.
      |  In other files the rows that differ are written or deleted.
      |- When another commit changes the table meanwhile, nothing happens (`DUCKLAKE_COMMIT_CONFLICT`).
      |- Refused: a snapshot that has expired (the error names the oldest that is left), a table that did not exist then, and files
      |  that are gone from the storage.
      |- Rows that are written again keep every bit. In files that store a column in different ways, a value that Spark would lose
      |  is refused. [Decision 12](decisions/12-going-back.md) says why.
      |
      |Without `table_name` the whole lake goes back in one new snapshot: tables with their names and schemas, views and comments.
      |
      |- Tables, views and schemas that were created since are dropped. Schemas that were dropped come back, with their own options.
      |  The options of the lake stay as they are.
      |- It is refused when a macro has changed, or when its schema is now another schema of the same name.
      |- Each row of the result is a table that changed.
      |
      |### begin_transaction, commit_transaction, rollback_transaction
      |
      |Make one snapshot of several statements on any number of tables, or none. See [transactions](transactions.md).
      |
      |```sql
      |CALL lake.system.begin_transaction(author => 'Ada', message => 'two statements');
      |UPDATE lake.events SET kind = 'z' WHERE id = 5;
      |UPDATE lake.events SET kind = 'y' WHERE id = 6;
      |CALL lake.system.commit_transaction();
      |```
      |
      |`begin_transaction` returns the snapshot that all statements read, and `commit_transaction` the new one, NULL when nothing
      |changed. `rollback_transaction` drops the statements.
      |
      |### undo_commit
      |
      |Takes back what one commit did to its tables, whatever later commits did to others.
      |
      |```sql
      |CALL lake.system.undo_commit(7);
      |```
      |
      |- Undo the new snapshot to have the commit again.
      |- It is refused when a later snapshot changed one of these tables (compactions do not count), when the commit changed views,
      |  schemas or macros, and when it changed no table."""

  test("the page of procedures is what the code offers") {
    assertRecorded("procedures.md", page)
  }
}
