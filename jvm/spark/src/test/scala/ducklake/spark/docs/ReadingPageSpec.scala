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

  private def aboutTables: String =
    tables("t", Seq("files", "columns", "partitions", "snapshots", "options"))

  private def aboutTheLake: String = tables("system", SystemTables.names)

  // Their margins are stripped with the page's.
  private val timeTravel =
    """## Time travel
      |
      |```sql
      |SELECT * FROM lake.events VERSION AS OF 3;
      |SELECT * FROM lake.events TIMESTAMP AS OF '2026-01-31 12:00:00';
      |```
      |
      |With the extension DuckDB's clause does the same:
      |
      |```sql
      |SELECT * FROM lake.events AT (VERSION => 3);
      |SELECT * FROM lake.events AT (TIMESTAMP => TIMESTAMP '2026-01-31 12:00:00');
      |```
      |
      |In Python a snapshot or a time is an argument, or a read option:
      |
      |```python
      |lake.at(version=3).table("events").to_df().show()
      |lake.at(time="2026-01-31 12:00:00").table("events").to_df().show()
      |spark.read.option("versionAsOf", 3).table("lake.events").show()
      |```
      |
      || where | names |
      || --- | --- |
      || read option, a snapshot | `versionAsOf`, `snapshot-version`, `snapshot-id` |
      || read option, a time | `timestampAsOf`, `snapshot-time`; `as-of-timestamp` in milliseconds since 1970 |
      || the whole catalog, which is read-only then | the keys `snapshot-version` and `snapshot-time` ([configuration.md](configuration.md)) |
      |
      |A version is a snapshot's id, or the name that [`keep_snapshot`](procedures.md#keep_snapshot-and-release_snapshot) has given to it:
      |`VERSION AS OF 'year end'`, `AT (VERSION => 'year end')`, the read options for a snapshot, and `lake.at(name="year end")` in
      |Python; also the bounds of [change feeds](change-feed.md#the-range), the start of a stream, and `rollback_to_snapshot`.
      |`lake.system.named_snapshots` lists the names.
      |
      |- A time means the newest snapshot at or before it. A time without a zone is in the session's zone.
      |- A table has the name and the columns that it had then.
      |- A snapshot that does not exist is an error, which names the oldest and the newest snapshot that are there. An unknown read
      |  option is an error too.
      |- Without the extension, Spark asks for the columns of a table before it passes on any option but `versionAsOf` and
      |  `timestampAsOf`. So the other options work only where the table had the columns of today; elsewhere they are an error."""

  private val oneSnapshot =
    """## One snapshot
      |
      |A statement that names a table more than once reads it at one snapshot. With the extension, it reads all tables of
      |one lake at one snapshot: the newest at which each table still has the columns with which Spark analysed the
      |statement. DELETE, UPDATE and MERGE read them at the snapshot of the table that they change; when a column of another table
      |was changed at that moment, they fail with `DUCKLAKE_CONCURRENT_CHANGE`. Without the extension, different tables may be read at
      |snapshots one commit apart. A table with `VERSION AS OF` is read at that version. A SELECT writes nothing. Between
      |statements Spark holds no lock and no transaction."""

  private val planning =
    """## What is not read
      |
      |```sql
      |EXPLAIN SELECT * FROM lake.events WHERE id >= 20;
      |EXPLAIN SELECT count(*) FROM lake.events;
      |```
      |
      |- Files whose statistics or buckets cannot match a filter are not opened. Other partition values leave out nothing that the
      |  statistics would not ([decision 22](decisions/22-what-is-proven.md)). Inside a file, row groups and pages that
      |  cannot match are skipped, beside deleted rows too. Joins leave out files while they run (Spark's dynamic partition pruning
      |  and runtime filters).
      |- The columns that filters compare with values are read first, and the others only for row groups and pages that have a row
      |  which may match and is not deleted; so are the values that a join looks for. `SELECT`, `UPDATE`, `DELETE` and `MERGE` gain
      |  where few rows match, or where they stand together: a point look-up in files that are not sorted reads one column, and the
      |  others in one row group. It is left out where it cannot gain ([decision 33](decisions/33-late-materialisation.md)). The metrics of
      |  a scan count the rows and row groups that were skipped. `late-materialization` turns it off for a catalog.
      |- Of a VARIANT only the columns are read that hold the values which a query takes from it by `variant_get`, `try_variant_get` or a
      |  cast, where the file has such columns, as files of DuckDB do. It needs the extension and Spark's setting
      |  `spark.sql.variant.pushVariantIntoScan`, which is on from Spark 4.1 on. A query that also needs the variant itself reads it
      |  whole; so do change feeds and streams ([decision 36](decisions/36-values-of-variants.md)).
      |- `LIMIT` without a filter opens no more files than it needs. `ORDER BY … LIMIT … OFFSET …` opens only files that can hold the
      |  first rows, by the bounds of the columns that are sorted by, and in them only row groups and pages that can; `EXPLAIN` shows
      |  `first 100 by id ASC NULLS FIRST`. It gains where the files' ranges differ, as in a table that was written in order. Which of
      |  several rows with equal keys are the first is as open as in Spark. With a filter it needs the extension, and files whose rows all
      |  meet the filter by their bounds ([decision 34](decisions/34-first-rows.md)).
      |- Without a filter and without GROUP BY, `count(*)` is answered from the catalog. So are `count(c)`, `min(c)` and `max(c)`
      |  when the table has neither deleted nor inlined rows and the statistics of its files are exact. As in DuckDB, `min(c)` and
      |  `max(c)` believe the bounds of files that were added; `count(c)` reads such a table. The smallest and largest
      |  text need a catalog that says that a bound is a value: lakes of 1.1 do so, for files that Spark wrote and texts of up
      |  to 256 bytes.
      |- `GROUP BY` and `DISTINCT` of identity partition keys are answered so too, and aggregates with a filter that keeps all rows of a file or
      |  none (with the extension): `count(*) … WHERE day = DATE'2026-11-01'` by day. It takes files without delete files, and
      |  no inlined rows among those that count ([decision 35](decisions/35-aggregates-by-file.md)).
      |- Spark's settings `spark.sql.files.maxPartitionBytes`, `spark.sql.files.openCostInBytes` and
      |  `spark.sql.files.minPartitionNum` decide how files become tasks; big files are split by row group.
      |- `spark.sql.sources.v2.bucketing.enabled` lets tables with the same keys join without a shuffle.
      |- A scan has the size of what it reads in its files, so that Spark chooses the same joins as over the same files without a lake
      |  (`spark.sql.autoBroadcastJoinThreshold` and the like). Deleted rows and files that cannot match do not count; inlined rows do.
      |- Scalar subqueries that differ only in what they compute from a table read it once (with the extension), as
      |  `SELECT (SELECT min(id) …), (SELECT sum(id) …)` with the same WHERE.
      |- Statistics of columns are read only with `spark.sql.cbo.enabled` or `spark.sql.cbo.planStats.enabled`.
      |
      |EXPLAIN and Spark's UI show what is read:
      |
      |- `lake.main.events snapshot 7 (filters [id IS NOT NULL, id >= 20], 2 of 3 files)`: a read with its filters and its files;
      |- `left to Spark [kind LIKE '%x': no minimum and maximum can decide it]`: why a filter leaves out no files;
      |- `COUNT(*) of lake.main.events at snapshot 7, from the catalog`: an answer for which no file is opened;
      |- `append to lake.main.events`: what a write does."""

  private val changeFeeds =
    """## Change feeds
      |
      |`lake.main.events.changes`, `.insertions` and `.deletions` have the rows that snapshots inserted into the table and deleted
      |from it. [Change feed](change-feed.md) has all ways to read them.
      |
      |```sql
      |SELECT * FROM lake.main.events.changes WITH ('start-snapshot' = '3');
      |```"""

  private val byFormat =
    """## By format
      |
      |`format("ducklake")` names a table of a registered lake, or a lake that is not registered, by its address:
      |
      |```python
      |spark.read.format("ducklake").load("lake.main.events").show()
      |reader = spark.read.format("ducklake").option("uri", "ducklake:sqlite:lake.sqlite")
      |reader.option("table", "main.events").option("versionAsOf", 3).load().show()
      |```
      |
      |`df.write`, `readStream` and `writeStream` take the same. Options, time travel and errors are as with `spark.table`,
      |`saveAsTable` and `toTable`.
      |
      |- The name is the argument of `load`, `save` and `start`, or one of the options `path` and `table`. It is written as in SQL, with
      |  backticks where SQL needs them. It begins with the catalog of a lake, or is a name in the session's current lake (`USE lake`). A
      |  name that leads to no lake is an error, and so are a path, several names, and no name at all.
      |- With `uri` the name is one in that lake: `events`, `main.events`, `main.events.changes`.
      |- Beside `uri`, all [settings of a catalog](configuration.md) are options: `data-path`, `password-file`, `hadoop.…`.
      |  `snapshot-version`, `snapshot-time` and `isolation-level` are options of the read or the write then, as everywhere. A setting
      |  without `uri` is an error: the lake is registered already, with its own.
      |- A lake by `uri` gets a catalog in this session, `ducklake_` with twelve digits, which SHOW CATALOGS shows once it was used. The
      |  digits come from the settings, but not from passwords, nor from values of `jdbc.…` and `hadoop.…`. The same settings lead to the
      |  same catalog, so the lake is opened once.
      |- A secret among the options is kept in the session's settings, as that of a registered catalog; Spark hides it in plans and in
      |  its UI by `spark.redaction.regex`. A password file, or a catalog in the settings, keeps it out of the program.
      |- Views are read by `spark.table` only: Spark looks for tables here. So is the clause CHANGES, but for
      |  [Delta's words](from-iceberg-and-delta.md#options) for it.
      |- Spark looks for the lake in the session that is active in its thread. Beside a `newSession()` that may be another one when a
      |  frame is written: Spark then finds no catalog."""

  private def ofTables: String =
    s"""## Hidden columns
       |
       |Every table has them; `*` leaves them out. Where the table has a column of the same name, the name means that column.
       |
       |```sql
       |SELECT id, rowid, snapshot_id, filename, file_row_number FROM lake.events;
       |```
       |
       |$hiddenColumns
       |
       |`filename` is the path as DuckDB shows it. Of an inlined row it is the name of the table of the catalog database that keeps
       |it; such a row has no `file_row_number`. Names that begin with `_ducklake_` are the connector's own.
       |
       |## Tables about a table
       |
       |```sql
       |SELECT * FROM lake.main.events.files;
       |SELECT * FROM lake.main.events.files VERSION AS OF 3;
       |SELECT * FROM lake.events.columns;
       |SELECT * FROM lake.events.partitions;
       |SELECT * FROM lake.events.snapshots;
       |SELECT * FROM lake.events.options;
       |```
       |
       |The schema may be left out where no schema has the table's name. Where a real table has such a name, the name means that
       |table. Time travel works for all of them but `snapshots` and `options`.
       |
       |$aboutTables
       |
       |- `delete_count` of a file counts deletes in delete files and in the catalog. Where two DuckDBs left two delete files, `delete_file` is the
       |  younger one, and rows that both name count twice.
       |- `columns` has the ids of columns, which stay when a column is renamed, and DuckLake's types. A nested column follows the column
       |  that it belongs to, whose id is its `parent_column`.
       |- The keys of `partition` are the transforms as DESCRIBE prints them (`c`, `year(ts)`, `bucket(4, id)`), or
       |  numbers in files of an older layout. A stored value that the bounds of the file contradict is not shown; when they prove another
       |  value, that is shown. A file without partition values has NULL.
       |- `snapshots` shows the snapshots that changed the table. With the session extension `DESCRIBE HISTORY lake.events` shows them
       |  from the newest on (`LIMIT 5` is understood), and `SHOW PARTITIONS lake.events` shows `partitions`.
       |- `options` has a row for each option that exists, with the value that counts for this table, and where that value is
       |  set: `TABLE`, `SCHEMA`, `GLOBAL` (the lake), `CATALOG KEY`, `DEFAULT`."""

  private def page: String =
    s"""# Reading
       |
       |What SELECT finds in a lake called `lake`, besides the columns of its tables. The tables of columns on this page are
       |made from the code. The tests run the statements, on a table `events` with the columns `id`, `kind` and `day`.
       |
       |`lake.events` is `lake.main.events`. Names match without regard to the case of the letters A to Z, as in DuckDB, and are shown
       |as they were created. The name of a view needs the schema: `lake.main.v`. Spark reads a view of DuckDB only when every part
       |of its text has the same meaning in Spark ([statements.md](statements.md#views)). The [glossary](glossary.md) explains words
       |such as *snapshot*, *inlined* and *registered*.
       |
       |$timeTravel
       |
       |$byFormat
       |
       |$oneSnapshot
       |
       |$ofTables
       |
       |$changeFeeds
       |
       |## Tables about the lake
       |
       |```sql
       |SELECT * FROM lake.system.snapshots;
       |SELECT * FROM lake.system.table_info WHERE table_name = 'events';
       |SELECT * FROM lake.system.tables VERSION AS OF 3;
       |```
       |
       |SHOW SCHEMAS does not list `system`. Where a real schema has this name, its own tables come first. The first six tables
       |have [procedures](procedures.md) of the same name and columns.
       |
       |$aboutTheLake
       |
       |`tables` leaves views out. `names` are the names that lead to a schema, the outermost first: in lakes of version 1.1 a schema
       |may lie in another one.
       |
       |`settings` has a row also when there is no lake yet: `address` is where the connector looks for it, `lake_exists` is false,
       |and `data_path` is where its files would go. `transaction_begun` is when the open [transaction](transactions.md) of the
       |session began, NULL without one. A lake that does not exist looks empty. The log says so once for each
       |catalog, when a statement lists or reads it, and `Lake` in Python warns. The lake is made by the first commit: a statement that
       |fails leaves none at a mistyped address.
       |
       |$planning
       |
       |## Streams
       |
       |`spark.readStream.table("lake.main.events")` reads a table as a stream: see [streaming](streaming.md).
       |""".stripMargin

  test("the page about reading is what the code offers") {
    assertRecorded("reading.md", page)
  }
}
