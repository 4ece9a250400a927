package ducklake.spark.docs

import ducklake.spark.changes.FeedKind
import ducklake.spark.extension.TableFunctions
import ducklake.spark.metadata.FilesTable
import ducklake.spark.metadata.SnapshotsTable
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
import ducklake.spark.procedures.UndoCommit
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
      case _: AddDataFiles => ExampleLake.columns(AddDataFiles.schema)
      case _: FlushInlinedData =>
        "`schema_name` STRING, `table_name` STRING, `rows_flushed` BIGINT"
      case _: MergeAdjacentFiles | _: RewriteDataFiles =>
        ExampleLake.columns(CompactionResult.schema)
      case _: ExpireSnapshots => ExampleLake.columns(SnapshotsTable.schema)
      case _: CleanupOldFilesProcedure | _: DeleteOrphanedFiles => "`path` STRING"
      case _: RollbackToSnapshot | _: UndoCommit =>
        "`schema_name` STRING, `table_name` STRING, `snapshot_id` BIGINT"
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
       |`CALL lake.system.<name>(…)`, where `lake` is the catalog's name: DuckDB's functions without their
       |prefix `ducklake_`. Arguments go by position or by name (`schema => 's'`); those in brackets may be
       |left out. `table_name` may hold the schema (`'s.t'`) when no schema is given; else the schema is
       |`main`. The tables are made from the code.
       |
       |## Those that read
       |
       |${listed(reading)}
       |
       |The same are tables, except for `list_files` (`lake.t.files` tells more): see
       |[reading.md](reading.md). With the extension all of them are table functions under DuckDB's names,
       |the catalog first: `SELECT * FROM ducklake_list_files('lake', 't', snapshot_version => 2)`.
       |
       |$readingNotes
       |
       |## Change feeds
       |
       |$feeds
       |
       |$feedNotes
       |
       |## Those that change something
       |
       |${listed(changing)}
       |
       |$changingNotes
       |""".stripMargin

  // Their margins are stripped with the page's.
  private def readingNotes: String =
    """- `current_snapshot` is the one that the catalog is pinned to, where it is pinned, and `table_info`
      |  shows that one; `snapshots`, `options` and `settings` are those of the lake today.
      |- `last_committed_snapshot` is NULL while the session has committed none.
      |- `changes` of a snapshot has DuckDB's keys (`tables_created`, `inlined_insert`, …); what was created
      |  stands there by its name, everything else by its id.
      |- `list_files` takes a version or a time, not both."""

  private def feeds: String = {
    val rows = FeedKind.all.map { kind =>
      val own = kind.own.map { case (name, column) => s"`$name` ${column.sparkType.sql}" }
      Seq(
        s"`${kind.functionName}`",
        ChangeFeedProcedure.description(kind),
        "[`schema_name` STRING], `table_name` STRING, `start_snapshot` BIGINT or TIMESTAMP, " +
          "`end_snapshot` of the same type",
        (own :+ "the columns of the table").mkString(", "),
      )
    }
    table(Seq("procedure", "what it does", "arguments", "columns"), rows)
  }

  private def feedNotes: String =
    """A change feed is read in three ways:
      |
      |```
      |CALL lake.system.table_changes('main', 't', 3, 7)
      |SELECT * FROM ducklake_table_changes('lake', 'main', 't', 3, 7)
      |spark.read.option("start-snapshot", 3).option("end-snapshot", 7).table("lake.main.t.changes")
      |```
      |
      |- Both ends are included. A start time means the first snapshot at or after it, an end time the last at or
      |  before it. A range that ends before it begins is empty. A snapshot that is not there is an error that names
      |  the oldest and the newest that are; so is a range whose changes are no longer complete, because a snapshot
      |  has expired (`DUCKLAKE_CHANGES_EXPIRED`, which names the first good start).
      |- `change_type` is `insert`, `delete`, `update_preimage` or `update_postimage`: an update is a row id that one
      |  snapshot deletes and inserts. Merged and flushed files change nothing; `rewrite_data_files` shows an update of
      |  each row that it moves, with equal images.
      |- The table and its columns are those at the end of the range. A column of the table called `snapshot_id`,
      |  `rowid` or `change_type` gets `_1` behind its name in `table_changes`.
      |- The result of CALL travels through the driver, and 100,000 rows are its limit. The table function (with the
      |  extension) and the tables `changes`, `insertions` and `deletions` of a table are read by tasks, which open only
      |  files that the range touched: [reading.md](reading.md)."""

  private def changingNotes: String =
    """- `set_partitioned_by` and `set_sorted_by` take texts, such as `array('year(ts)', 'bucket(4, id)')` and
      |  `array('a DESC NULLS FIRST', '"b c"')`. Which keys there are, and DuckDB's words for the
      |  first five procedures, stand in [statements.md](statements.md).
      |- `set_not_null` is refused while the column has a NULL.
      |- `set_option` is for a table, a schema, or the lake when neither is given; it makes no snapshot.
      |  `skip_stats_columns` is for a table, and takes names of columns: `'a, "b c"'`.
      |- `set_commit_message` is for the next commit of this session: [writing.md](writing.md) tells the
      |  other ways.
      |- `add_data_files` takes a file, a folder, a pattern (`**` stands for folders of any depth) or an array of
      |  them, and adds all files in one commit, or none: `CALL lake.system.add_data_files('t', '/in/*.parquet')`.
      |  The files stay where they are, and the lake owns them from then on: compaction and expiry may delete
      |  them. Columns are found by name; `key=value` folders give columns and partition keys their values, and
      |  a partition key without a folder needs statistics that prove one value. Files without rows are left
      |  out. A file that lacks columns or has others, whose types do not fit, that contradicts its path, or
      |  that cannot be read is refused (`DUCKLAKE_CANNOT_ADD_FILE`), and so are a copy of a lake's file that has row ids or
      |  snapshots of that lake in it, and a file that a lake has already (`DUCKLAKE_FILE_ALREADY_REGISTERED`).
      |- `flush_inlined_data` moves rows and deletes that the catalog keeps into files, of a table, a schema or
      |  the whole lake, each table in a snapshot of its own, and tells the tables and their rows, those that
      |  were deleted since included. Time travel, row ids and change feeds stay as they were. Tables with the
      |  option `auto_compact` set to false are left alone. A value that no Parquet file can hold exactly is
      |  an error that names its column; that table stays as it is. When one of several tables fails, the
      |  others are flushed all the same, and the error at the end (`DUCKLAKE_FLUSH_INCOMPLETE`) names both.
      |- On PostgreSQL, where others commit at the same time, it is to be preferred to DuckDB's own: when that
      |  one commits at its second try, the deletes it has moved stay in the catalog, too, and DuckDB reads wrong
      |  rows from then on. Spark reads such a table right, and its flush puts it in order.
      |- `merge_adjacent_files` merges small files of a table, a schema or the whole lake: those smaller than the
      |  option `target_file_size`, without deletes, that were added under the same columns and have the same
      |  partition values. `min_file_size` and `max_file_size` (bytes) leave out smaller files, and files that are not
      |  smaller; `max_compacted_files` is the largest number of new files of each table. Each row of the result is
      |  a new file. Every snapshot, row ids and change feeds stay as they were. The old files are scheduled for
      |  deletion, and a query that reads them must end before `cleanup_old_files` deletes them. Each table has
      |  commits of its own, of at least 64 new files each; when others delete rows of some files meanwhile, what is left is
      |  planned anew. Tables with the option `auto_compact` set to false are left alone. Rows are copied with all
      |  their bits. Where values have to be converted
      |  ([decision 35](decisions/0035-rows-below-sparks-types.md)), a value that Spark cannot carry (nanoseconds, times in
      |  variants) is an error that names its column, and the table stays as it is; the other tables are merged
      |  (`DUCKLAKE_MAINTENANCE_INCOMPLETE`).
      |  [Decision 33](decisions/0033-merging-files.md) tells where it differs from DuckDB's.
      |- `rewrite_data_files` writes files anew whose share of deleted rows is at least `delete_threshold` (from 0 to 1;
      |  else the option `rewrite_delete_threshold`, 0.95), without these rows, grouped as `merge_adjacent_files` groups.
      |  Row ids stay, and so does every past snapshot, which reads the old files until it expires. The change feed of
      |  the new snapshot shows the rows that moved as updates to the same values, as after DuckDB's own. Each row of
      |  the result is a group of files that became one file, or none when all its rows are deleted. Commits, options
      |  and errors are as for merges. [Decision 34](decisions/0034-rewriting-files.md) tells where it differs from
      |  DuckDB's.
      |- `checkpoint` is for a daily job: it calls `flush_inlined_data`, `expire_snapshots`, `merge_adjacent_files`,
      |  `rewrite_data_files`, `cleanup_old_files` and `delete_orphaned_files` without arguments, in this order, so that
      |  the options of the lake decide. A step that fails stops no other; the error at the end names the steps that
      |  failed and those that are done (`DUCKLAKE_MAINTENANCE_INCOMPLETE`).
      |- `expire_snapshots` removes snapshots by id (`versions`) or by age (`older_than`, else the option
      |  `expire_older_than`; without any of them nothing happens), and shows them as `snapshots` does. The
      |  newest snapshot never expires. Whatever no other snapshot sees leaves the catalog too, and its files
      |  are scheduled for deletion. No snapshot is made. It works in transactions of about a third of a second
      |  each, so that others commit in between; when it ends early (`DUCKLAKE_MAINTENANCE_INCOMPLETE`), the
      |  next call does the rest. The driver needs about half a kilobyte for each snapshot of the lake.
      |  Give an age that no transaction of DuckDB reaches: one that commits after snapshots have expired that
      |  are newer than its own beginning does not see what they changed, and takes an id of theirs, whichever
      |  engine let them expire. Spark's commits are refused then.
      |- `cleanup_old_files` deletes files that were scheduled before `older_than`, else longer ago than the
      |  option `delete_older_than` says (two days), or all of them (`cleanup_all => true`): a query that
      |  began before the expiry may still read them. A file that the catalog still lists under any spelling
      |  of its path is kept and named in the log. A file that is gone counts as deleted; one that cannot be
      |  deleted stays scheduled, and the call fails at its end.
      |- `delete_orphaned_files` (also `remove_orphan_files`) deletes files that the catalog does not know,
      |  left by writers that were killed: those last written before `older_than`, else longer ago than
      |  `delete_older_than` says, or all of them. A writer that is at work has such files, too: use
      |  `cleanup_all => true` only while nobody writes. It looks into the folders of the lake's schemas, and
      |  takes only files with names that DuckDB and Spark give; DuckDB takes every Parquet file below the
      |  data path, those of another lake included. Two lakes must not share one data path: the call is refused when another
      |  lake in the same database does (`DUCKLAKE_SHARED_FOLDER`); a lake in another database cannot be seen.
      |- With `dry_run => true` these three change nothing and show what the same call would do. Files are
      |  listed and deleted in Spark tasks; the driver needs 8 bytes for each file of the lake and about half
      |  a kilobyte for each file that goes.
      |- `rollback_to_snapshot` makes a table what it was at a snapshot, given by version or by time: its rows with
      |  their row ids, columns, partition keys, sort order and comments. It is one new snapshot, and history stays.
      |  A table that was dropped or replaced comes back under the name that it had; a table that was renamed keeps its
      |  present name. Names, lake options and other tables stay as they are. Data files that only the present has
      |  end unread; files that only the past has are copied; of other files the rows that differ are written or
      |  deleted. When another commit changes the table meanwhile, nothing happens (`DUCKLAKE_COMMIT_CONFLICT`).
      |  Refused: snapshots that have expired, with the oldest that is left; a table that did not exist then; files
      |  that are gone from the storage. Rows that are written again keep every bit, but for files that store a column in
      |  different ways: there a value that Spark would lose is refused. [Decision 31](decisions/0031-going-back.md) says why.
      |- Without `table_name` the whole lake goes back, in one new snapshot: tables with their names and schemas,
      |  views and comments. Tables, views and schemas that came since are dropped; schemas that were dropped
      |  come back. Lake options stay, and a schema that comes back has its own again. It is refused when a macro is
      |  another one now, or its schema is another one of the same name. A row of the result is a table that changed.
      |- `undo_commit` takes back what one commit did to its tables, whatever later commits did to others; undo
      |  the new snapshot to have the commit again. It is refused when a later snapshot changed one of these
      |  tables (compactions do not count), and when the commit changed views, schemas or macros, or no table."""

  test("the page of procedures is what the code offers") {
    assertRecorded("procedures.md", page)
  }
}
