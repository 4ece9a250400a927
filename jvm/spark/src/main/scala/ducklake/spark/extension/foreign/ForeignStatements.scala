package ducklake.spark.extension.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.DuckLakeException

import scala.util.matching.Regex

/** Refuses statements of other table formats that name a table of a lake. The error says what to do
  * instead, with the names of the statement. All other statements keep the parser's own error.
  */
object ForeignStatements {

  private[foreign] val part = """(?:`(?:[^`]|``)++`|[A-Za-z_0-9]+)"""
  private[foreign] val name = s"($part(?:\\s*\\.\\s*$part)*+)"

  /** Blanks and comments that may stand before or within a statement. */
  private[foreign] val gap = """(?:\s++|--[^\n]*+(?:\n|$)|/\*.*?\*/)*+"""

  private[foreign] val end = s"$gap;?+$gap"

  /** A statement of another format.
    *
    * @param what the statement's name in the error
    * @param instead what to do instead, for the error. The second argument is the text after the
    *   table's name.
    * @param otherTable the name of the table to which Spark would apply the statement; when that
    *   table exists, the statement is not refused
    * @param makesTable whether the named table need not exist, because the statement makes it
    */
  private[foreign] final case class Foreign(
      pattern: Regex,
      what: String,
      instead: (StatementTable, String) => String,
      otherTable: Option[String] = None,
      makesTable: Boolean = false,
  )

  private def foreign(
      words: String,
      what: String,
      instead: (StatementTable, String) => String,
  ): Foreign =
    Foreign(s"(?is)$gap$words(?!\\w)(.*+)".r, what, instead)

  private def foreign(words: String, what: String, instead: String): Foreign =
    foreign(words, what, (_, _) => instead)

  private[foreign] def foreign(
      words: String,
      what: String,
      instead: StatementTable => String,
  ): Foreign =
    foreign(words, what, (table, _) => instead(table))

  private def compaction(table: StatementTable): String =
    s"Small files are put together by `${table.call("merge_adjacent_files")}(${table.argument})`."

  private def rollback(table: StatementTable): String =
    s"`${table.call("rollback_to_snapshot")}(${table.argument}, snapshot_version => 3)`"

  private def keys(table: StatementTable): String =
    s"Use `ALTER TABLE ${table.sql} SET PARTITIONED BY (…)` or `RESET PARTITIONED BY`: all keys at " +
      "once."

  private val order = "(?is).*?\\bZORDER\\s+BY\\s*\\((.*)\\).*".r

  private def optimization(table: StatementTable, rest: String): String = rest match {
    case order(columns) =>
      s"Set the order of new files by `ALTER TABLE ${table.sql} SET SORTED BY ($columns)`, then put " +
        s"small files together by `OPTIMIZE ${table.sql}`."
    case _ => s"`OPTIMIZE ${table.sql}` puts the small files of all partitions together."
  }

  private val retention = "(?is)\\s*RETAIN\\s+([0-9]+)\\s+HOURS?\\b.*".r
  private val dryRun = "(?is).*\\bDRY\\s+RUN\\b.*".r

  /** How long Delta keeps files when a statement does not specify it. */
  private val usualHours = "168"

  /** Files belong to the snapshots of the whole lake, so no call cleans up after one table. */
  private def cleaning(table: StatementTable, rest: String): String = {
    val hours = rest match {
      case retention(number) => number
      case _ => usualHours
    }
    val until = s"older_than => now() - INTERVAL $hours HOURS"
    val dry = if (dryRun.matches(rest)) ", dry_run => true" else ""
    "Old files belong to the snapshots of the whole lake. Remove old snapshots by " +
      s"`${table.call("expire_snapshots")}($until$dry)`, then their files by " +
      s"`${table.call("cleanup_old_files")}($until$dry)`."
  }

  private val refusedBySpark: Vector[Foreign] = Vector(
    foreign(s"OPTIMIZE\\s+$name", "OPTIMIZE with more clauses of", optimization(_, _)),
    foreign(s"REORG\\s+TABLE\\s+$name", "REORG of", compaction(_)),
    foreign(s"VACUUM\\s+(?:TABLE\\s+)?$name", "VACUUM of", cleaning(_, _)),
    foreign(
      s"RESTORE\\s+(?:TABLE\\s+)?$name",
      "RESTORE of",
      table => s"It goes back by ${rollback(table)}.",
    ),
    foreign(
      s"(?:CREATE|REPLACE|CREATE\\s+OR\\s+REPLACE)\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?$part" +
        s"(?:\\s*\\.\\s*$part)*+\\s+(?:SHALLOW\\s+|DEEP\\s+)?CLONE\\s+$name",
      "CLONE of",
      table => s"Copy the rows: CREATE TABLE … AS SELECT * FROM ${table.sql}.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:ADD|DROP|REPLACE)\\s+PARTITION\\s+FIELD",
      "PARTITION FIELD of",
      keys(_),
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+WRITE\\s+(?:LOCALLY|DISTRIBUTED|ORDERED|UNORDERED)",
      "WRITE … BY of",
      table =>
        s"Use `ALTER TABLE ${table.sql} SET SORTED BY (…)` or `RESET SORTED BY`; writes are " +
          "distributed by the partition keys.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:CREATE|REPLACE|CREATE\\s+OR\\s+REPLACE|DROP)\\s+(?:TAG|BRANCH)",
      "A branch or tag of",
      table =>
        "DuckLake has no branches. Give a snapshot of the lake a name: " +
          s"`${table.call("keep_snapshot")}('name', 3)`, then `SELECT * FROM ${table.sql} VERSION AS OF 'name'`.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:SET|DROP)\\s+IDENTIFIER\\s+FIELDS",
      "IDENTIFIER FIELDS of",
      "DuckLake has no keys of rows.",
    ),
    foreign(s"ALTER\\s+TABLE\\s+$name\\s+EXECUTE", "EXECUTE of", compaction(_)),
    foreign(
      s"CONVERT\\s+TO\\s+DELTA\\s+$name",
      "CONVERT TO DELTA of",
      "The table is one of a lake; write its rows to a Delta table.",
    ),
    foreign(
      s"UNDROP\\s+TABLE\\s+$name",
      "UNDROP of",
      table => s"It comes back by ${rollback(table)}.",
    ),
    foreign(
      s"COPY\\s+INTO\\s+$name",
      "COPY INTO of",
      table =>
        s"Use INSERT INTO ${table.sql} SELECT * FROM parquet.`…`, or take files over where they are: " +
          s"`${table.call("add_data_files")}(${table.argument}, '…')`.",
    ),
    foreign(
      s"COPY\\s+$name\\s*(?:\\([^()]*\\)\\s*)?(?:TO|FROM)",
      "COPY of",
      table =>
        "Write files by `INSERT OVERWRITE DIRECTORY '…' USING parquet SELECT * FROM " +
          s"${table.sql}`, and read them by INSERT INTO ${table.sql} SELECT * FROM parquet.`…`.",
    ),
  )

  /** Statements that Spark parses. It takes them for other statements (DESCRIBE of a column of a
    * table called `HISTORY`), or refuses them later with an unhelpful error.
    */
  private val parsedBySpark: Vector[Foreign] = Vector(
    foreign(
      s"(?:DESCRIBE|DESC)\\s+HISTORY\\s+$name",
      "DESCRIBE HISTORY of",
      table =>
        s"`DESCRIBE HISTORY ${table.sql}` takes only LIMIT more. Read the table's own table " +
          s"`snapshots`: SELECT * FROM ${table.sql("snapshots")}.",
    ).copy(otherTable = Some("history")),
    foreign(
      s"(?:DESCRIBE|DESC)\\s+DETAIL\\s+$name",
      "DESCRIBE DETAIL of",
      table =>
        s"Use DESCRIBE EXTENDED ${table.sql}, or read the table `table_info` in the schema `system` of " +
          s"lake ${table.lake}.",
    ).copy(otherTable = Some("detail")),
    foreign(
      s"SHOW\\s+PARTITIONS\\s+$name",
      "SHOW PARTITIONS with more clauses of",
      table =>
        "Read the table's own table `partitions`: SELECT * FROM " +
          s"${table.sql("partitions")} WHERE partition['key'] = 'value'.",
    ),
    foreign(
      s"ANALYZE\\s+TABLE\\s+$name",
      "ANALYZE TABLE of",
      "Each write keeps statistics of the table and of its files: there is nothing to compute.",
    ),
    foreign(
      s"(?:MSCK\\s+)?REPAIR\\s+TABLE\\s+$name",
      "REPAIR TABLE of",
      "The catalog alone knows the files of a table, and folders are never searched.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:(?:ADD|DROP)\\s+(?:IF\\s+(?:NOT\\s+)?EXISTS\\s+)?PARTITION\\s*(?=\\()|" +
        "RECOVER\\s+PARTITIONS)",
      "PARTITION of",
      "Partitions come and go with their rows: INSERT and DELETE.",
    ),
    foreign(
      s"INSERT\\s+INTO\\s+(?:TABLE\\s+)?$name\\s+(?:AS\\s+$part\\s+)?(?:BY\\s+NAME\\s+)?REPLACE\\s+ON",
      "INSERT … REPLACE ON of",
      table =>
        s"Use INSERT INTO ${table.sql} REPLACE USING (…) for columns that are equal, REPLACE WHERE for " +
          s"a condition on the table alone, or else MERGE INTO ${table.sql}.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:ADD|DROP)\\s+CONSTRAINT",
      "A constraint of",
      table => s"DuckLake has NOT NULL alone: ALTER TABLE ${table.sql} ALTER COLUMN … SET NOT NULL.",
    ),
  )

  /** Throws Unsupported for a statement of another format that Spark's parser accepts, when the
    * statement names a table of a lake.
    *
    * @param tableOf the table of a lake that a name of several parts means
    * @param isThere whether a name without schema is the name of an existing table of a lake
    */
  def refuseParsed(
      sql: String,
      tableOf: Vector[String] => Option[StatementTable],
      isThere: String => Boolean,
  ): Unit =
    find(parsedBySpark ++ LaterSyntax.parsed, sql).foreach { found =>
      val table = found.name match {
        case Vector(bareName) if !found.known.makesTable && !isThere(bareName) => None
        case parts => tableOf(parts)
      }
      table.filterNot(_ => found.known.otherTable.exists(isThere)).foreach { known =>
        throw refusal(found, known)
      }
    }

  /** Throws Unsupported for a statement of another format that names a table of a lake. Does
    * nothing for other statements.
    *
    * @param tableOf finds the table of a lake by the parts of its name
    * @param cause the parser's error
    */
  def refuse(
      sql: String,
      tableOf: Vector[String] => Option[StatementTable],
      cause: Exception,
  ): Unit =
    find(refusedBySpark ++ LaterSyntax.notParsed, sql).foreach { found =>
      tableOf(found.name).foreach { table =>
        val refused = refusal(found, table)
        refused.addSuppressed(cause)
        throw refused
      }
    }

  /** A statement that matches.
    *
    * @param name the name of the table in the statement
    * @param rest the text after the matched words
    */
  private final case class Found(known: Foreign, name: Vector[String], rest: String)

  private def find(statements: Vector[Foreign], sql: String): Iterator[Found] =
    statements.iterator.flatMap { known =>
      known.pattern.unapplySeq(sql).collect { case List(table, rest) =>
        Found(known, parts(table), rest)
      }
    }

  private def refusal(found: Found, table: StatementTable): DuckLakeException =
    refusal(
      s"${found.known.what} ${found.name.mkString(".")}",
      found.known.instead(table, found.rest),
    )

  /** The error for a statement: what it is, and what to do instead. */
  private[foreign] def refusal(what: String, instead: String): DuckLakeException = {
    val error = LakeError.Unsupported(what, instead)
    new DuckLakeException(error, new LakeException(error))
  }

  /** The parts of a name in a statement. */
  private[foreign] def parts(name: String): Vector[String] =
    part.r.findAllIn(name).map(unquoted).toVector

  private[foreign] def unquoted(name: String): String =
    if (name.startsWith("`")) name.drop(1).dropRight(1).replace("``", "`") else name
}
