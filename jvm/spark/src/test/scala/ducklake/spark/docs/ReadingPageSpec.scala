package ducklake.spark.docs

import ducklake.spark.metadata.MetadataTableFinder
import ducklake.spark.metadata.SystemTables
import ducklake.spark.read.MetadataColumns
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.connector.catalog.Identifier

/** `jvm/docs/reading.md`: what SELECT finds beside the columns of tables, and at which snapshot. */
final class ReadingPageSpec extends RecordedPage {

  private lazy val lake: SessionLake = ExampleLake.session

  private def hiddenColumns: String = {
    val shown = MetadataColumns.asArray.filterNot(_.name.startsWith("_ducklake_"))
    val rows = shown.map(c => Seq(s"`${c.name}`", c.dataType.sql, c.comment))
    table(Seq("column", "type", "value"), rows.toVector)
  }

  private def tables(namespace: String, names: Seq[String]): String = {
    val found = new MetadataTableFinder(lake)
    val rows = names.flatMap { name =>
      lake.current().flatMap(found.find(_, Identifier.of(Array(namespace), name))).map { made =>
        val columns = made.columns().map(c => s"`${c.name}` ${c.dataType.sql}")
        Seq(s"`lake.$namespace.$name`", columns.mkString(", "))
      }
    }
    table(Seq("table", "columns"), rows)
  }

  private def aboutTables: String = tables("t", Seq("files", "partitions", "snapshots", "options"))

  private def aboutTheLake: String = tables("system", SystemTables.names)

  // Their margins are stripped with the page's.
  private val timeTravel =
    """## Time travel
      |
      || where | how |
      || --- | --- |
      || SQL | `lake.t VERSION AS OF 3`, `lake.t TIMESTAMP AS OF '2026-01-31 12:00:00'` |
      || SQL with the extension | also DuckDB's `lake.t AT (VERSION => 3)`, `AT (TIMESTAMP => …)` |
      || read option, a snapshot | `versionAsOf`, `snapshot-version`, `snapshot-id` |
      || read option, a time | `timestampAsOf`, `snapshot-time`; `as-of-timestamp` in milliseconds since 1970 |
      || whole catalog, then read-only | the keys `snapshot-version` and `snapshot-time` ([configuration.md](configuration.md)) |
      || Python | `lake.at(version=3)`, `lake.at(time=…)` |
      |
      |A read option that is none of these is an error.
      |
      |A time means the newest snapshot at or before it; without a zone it is in the session's. A table has the
      |name and the columns that it had then. A snapshot that is not there is an error that names the oldest
      |and the newest that are.
      |
      |Without the extension Spark fixes the columns before it shows a lake any option but `versionAsOf` and
      |`timestampAsOf`: the others then work where the columns are those of today, and are an error where
      |they are not."""

  private val oneSnapshot =
    """## One snapshot
      |
      |A statement that names a table more than once reads it at one snapshot. With the extension, it reads all tables of
      |one lake at one snapshot: the newest at which each table still has the columns with which Spark analysed the
      |statement. Without the extension, different tables may be read one commit apart. A table with `VERSION AS OF` is
      |read at that version. A SELECT writes nothing, and between statements no lock or transaction is held."""

  private val planning =
    """## What is not read
      |
      |- Files whose partition values or statistics cannot match a filter are not opened, nor are row groups and pages
      |  inside of files. Joins drop files while they run (Spark's dynamic partition pruning and runtime filters).
      |- `LIMIT` without a filter opens no more files than it needs.
      |- Without a filter or GROUP BY, `count(*)` is answered from the catalog, and `count(c)`, `min(c)` and `max(c)`
      |  are where the statistics are exact and speak of the very rows: none deleted, none kept in the catalog. For texts
      |  the catalog has to say that a bound is a value: lakes of 1.1 do, for files that Spark wrote and texts of up to
      |  256 bytes.
      |- Spark's `spark.sql.files.maxPartitionBytes`, `openCostInBytes` and `minPartitionNum` decide how files make
      |  tasks, big files split by row group. `spark.sql.sources.v2.bucketing.enabled` lets tables with the same
      |  keys join without a shuffle. Statistics of columns are read with `spark.sql.cbo.enabled` or
      |  `spark.sql.cbo.planStats.enabled` only.
      |
      |EXPLAIN and Spark's UI show it: `lake.main.t snapshot 7 (filters [id >= 2], 2 of 3 files)` for a read, and for a filter that
      |chooses no files why: `left to Spark [name LIKE '%x': no minimum and maximum can decide it]`;
      |`COUNT(*) of lake.main.t at snapshot 7, from the catalog` for an answer without one. A write says what it
      |does (`append to lake.main.t`)."""

  private val changeFeeds =
    """## Change feeds
      |
      |`lake.s.t.changes`, `.insertions` and `.deletions` have the rows that snapshots inserted into the table and
      |deleted from it: [procedures.md](procedures.md) tells what they hold. Read options name the range:
      |`start-snapshot` or `start-timestamp`, which is required, and `end-snapshot` or `end-timestamp`; without an end it
      |is the newest snapshot, or that of the time travel. In SQL:
      |`SELECT * FROM lake.main.t.changes WITH ('start-snapshot' = '3')`. The columns are those of the end, or of the
      |version in `versionAsOf`; without the extension those of today. Insertions and deletions have the hidden
      |columns `rowid` and `snapshot_id`, the snapshot that inserted or deleted the row.
      |
      |Only data files and delete files that the range touched are opened, each of them once. Filters on columns of the table
      |skip row groups; filters on the snapshot (`=`, `<`, `BETWEEN`, …) and
      |on the type of the change leave out files. Images of updates find each other by the row ids of the files that the
      |same snapshot changed, without a shuffle.
      |
      |Spark's clause CHANGES reads the same, in SQL and as `spark.read.changes("lake.main.t")`:
      |
      |```
      |SELECT * FROM lake.main.t CHANGES FROM VERSION 3 TO VERSION 7
      |  WITH (computeUpdates = 'true', deduplicationMode = 'netChanges')
      |```
      |
      |- Versions are snapshots; `TIMESTAMP`, `EXCLUSIVE` and `INCLUSIVE` work, and without an end it is the newest.
      |- The columns are the table's, then `rowid`, `_change_type`, `_commit_version` and `_commit_timestamp`.
      |- `_change_type` is `insert` or `delete`; with `computeUpdates` also `update_preimage` and `update_postimage`, which
      |  need no shuffle. Net changes are Spark's own, by `rowid`, and need one.
      |- Rows that `rewrite_data_files` moved are no changes. With `deduplicationMode = 'none'` and `computeUpdates` they are
      |  updates with equal images, as in `table_changes`.
      |
      |Changes are not read as streams: Spark says that the table does not support it."""

  private def page: String =
    s"""# Reading
       |
       |What SELECT finds in a lake called `lake` beside its tables' columns. The tables of columns on this page are
       |made from the code. `lake.t` is `lake.main.t`. Names match without regard to case, and are shown as they were
       |created. The name of a view needs the schema: `lake.main.v`. One that DuckDB made is read when its text is valid in Spark
       |and surely means the same there ([statements.md](statements.md#views)).
       |
       |*Inlined* rows and deletes are those that the catalog database itself keeps, because they are few; a *registered*
       |file is one that existed before `add_data_files` made it a data file of a table.
       |
       |$timeTravel
       |
       |$oneSnapshot
       |
       |## Hidden columns
       |
       |Every table has them; `*` leaves them out. Where the table has a column of the same name, the name means that column.
       |
       |$hiddenColumns
       |
       |`filename` is the path as DuckDB shows it, or the name of an inlined table; rows there have no
       |`file_row_number`. Names that begin with `_ducklake_` are the connector's own.
       |
       |## Tables about a table
       |
       |`SELECT * FROM lake.s.t.files`, or `SELECT * FROM lake.t.files` where no schema is called `t`. Where a real table has
       |that name, the name means that table. Time travel works for all of them but `snapshots` and `options`.
       |
       |$aboutTables
       |
       |- `delete_count` of a file counts deletes in delete files and in the catalog.
       |- The keys of `partition` are the transforms as DESCRIBE prints them (`c`, `year(ts)`, `bucket(4, id)`), or
       |  numbers in files of an older layout; the values are the stored texts. A file without partition values has NULL.
       |- `snapshots` are those that changed the table.
       |- `options` has a row for each option that exists, with the value that counts for this table, and where that value was
       |  set: `TABLE`, `SCHEMA`, `GLOBAL` (the lake), `CATALOG KEY`, `DEFAULT`.
       |
       |$changeFeeds
       |
       |## Tables about the lake
       |
       |`SELECT * FROM lake.system.snapshots`, and so on. SHOW SCHEMAS does not list `system`; where a real schema has this
       |name, its own tables come first. The first six tables have [procedures](procedures.md) of the same name and columns.
       |
       |$aboutTheLake
       |
       |`settings` has a row also when there is no lake yet: `address` is the place where the connector looks for it,
       |`lake_exists` is false, `data_path` is where its files would go. A lake that is not there looks empty. The log says
       |so once for each catalog, when a statement lists or reads it.
       |
       |$planning
       |
       |## Not there yet
       |
       |Streaming reads (`readStream`), of changes too.
       |""".stripMargin

  test("the page about reading is what the code offers") {
    assertRecorded("reading.md", page)
  }
}
