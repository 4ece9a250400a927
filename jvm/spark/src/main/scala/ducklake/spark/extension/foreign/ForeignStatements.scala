package ducklake.spark.extension.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.DuckLakeException

import scala.util.matching.Regex

/** Refuses statements of other table formats that name a table of a lake. The error says what to do
  * instead. All other statements keep the parser's own error.
  */
object ForeignStatements {

  private val part = """(?:`(?:[^`]|``)++`|[A-Za-z_0-9]+)"""
  private val name = s"($part(?:\\s*\\.\\s*$part)*)"

  /** What may stand in front of a statement. */
  private[foreign] val gap = """(?:\s++|--[^\n]*+(?:\n|$)|/\*.*?\*/)*+"""

  /** A statement of another format.
    *
    * @param what the statement's name in the error
    * @param instead what to do instead, for the error
    * @param otherTable the name of a table that Spark would take the statement to be about; when
    *   that table exists, the statement is not refused
    */
  private final case class Foreign(
      pattern: Regex,
      what: String,
      instead: String,
      otherTable: Option[String] = None,
  )

  private def foreign(words: String, what: String, instead: String): Foreign =
    Foreign(s"(?is)$gap$words(?!\\w).*+".r, what, instead)

  private val compactHint =
    "Small files are put together by `CALL lake.system.merge_adjacent_files('schema.table')`."
  private val expireHint =
    "Old files go by `CALL lake.system.expire_snapshots(…)`, then " +
      "`CALL lake.system.cleanup_old_files(…)`."
  private val rollback =
    "`CALL lake.system.rollback_to_snapshot('schema.table', snapshot_version => 3)`"
  private val partitionHint =
    "Use `ALTER TABLE … SET PARTITIONED BY (…)` or `RESET PARTITIONED BY`: all keys at once."

  private val refusedBySpark: Vector[Foreign] = Vector(
    foreign(s"OPTIMIZE\\s+$name", "OPTIMIZE of", compactHint),
    foreign(s"REORG\\s+TABLE\\s+$name", "REORG of", compactHint),
    foreign(s"VACUUM\\s+(?:TABLE\\s+)?$name", "VACUUM of", expireHint),
    foreign(
      s"RESTORE\\s+(?:TABLE\\s+)?$name",
      "RESTORE of",
      s"It goes back by $rollback.",
    ),
    foreign(
      s"(?:CREATE|REPLACE|CREATE\\s+OR\\s+REPLACE)\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?$part" +
        s"(?:\\s*\\.\\s*$part)*\\s+(?:SHALLOW\\s+|DEEP\\s+)?CLONE\\s+$name",
      "CLONE of",
      "Copy the rows: CREATE TABLE … AS SELECT.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:ADD|DROP|REPLACE)\\s+PARTITION\\s+FIELD",
      "PARTITION FIELD of",
      partitionHint,
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+WRITE\\s+(?:LOCALLY|DISTRIBUTED|ORDERED|UNORDERED)",
      "WRITE … BY of",
      "Use `ALTER TABLE … SET SORTED BY (…)` or `RESET SORTED BY`; writes are distributed by the " +
        "partition keys.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:CREATE|REPLACE|CREATE\\s+OR\\s+REPLACE|DROP)\\s+(?:TAG|BRANCH)",
      "A branch or tag of",
      "DuckLake has neither: name a snapshot by VERSION AS OF.",
    ),
    foreign(
      s"ALTER\\s+TABLE\\s+$name\\s+(?:SET|DROP)\\s+IDENTIFIER\\s+FIELDS",
      "IDENTIFIER FIELDS of",
      "DuckLake has no keys of rows.",
    ),
    foreign(s"ALTER\\s+TABLE\\s+$name\\s+EXECUTE", "EXECUTE of", compactHint),
    foreign(
      s"CONVERT\\s+TO\\s+DELTA\\s+$name",
      "CONVERT TO DELTA of",
      "The table is one of a lake; write its rows to a Delta table.",
    ),
    foreign(
      s"UNDROP\\s+TABLE\\s+$name",
      "UNDROP of",
      s"It comes back by $rollback.",
    ),
    foreign(
      s"COPY\\s+INTO\\s+$name",
      "COPY INTO of",
      "Use INSERT INTO … SELECT * FROM parquet.`…`, or take files over where they are: " +
        "`CALL lake.system.add_data_files('schema.table', '…')`.",
    ),
    foreign(
      s"COPY\\s+$name\\s*(?:\\([^()]*\\)\\s*)?(?:TO|FROM)",
      "COPY of",
      "Write files by `INSERT OVERWRITE DIRECTORY '…' USING parquet SELECT …`, and read them by " +
        "INSERT INTO … SELECT * FROM parquet.`…`.",
    ),
  )

  /** Statements that Spark parses. It takes them for other statements (DESCRIBE of a column of a
    * table called `HISTORY`), or refuses them later with an error that does not help.
    */
  private val parsedBySpark: Vector[Foreign] = Vector(
    foreign(
      s"(?:DESCRIBE|DESC)\\s+HISTORY\\s+$name",
      "DESCRIBE HISTORY of",
      "Read the table's own table `snapshots`: SELECT * FROM lake.schema.table.snapshots.",
    ).copy(otherTable = Some("history")),
    foreign(
      s"(?:DESCRIBE|DESC)\\s+DETAIL\\s+$name",
      "DESCRIBE DETAIL of",
      "Use DESCRIBE EXTENDED, or read `lake.system.table_info`.",
    ).copy(otherTable = Some("detail")),
    foreign(
      s"SHOW\\s+PARTITIONS\\s+$name",
      "SHOW PARTITIONS of",
      "Read the table's own table `partitions`: SELECT * FROM lake.schema.table.partitions.",
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
      s"ALTER\\s+TABLE\\s+$name\\s+(?:ADD|DROP)\\s+CONSTRAINT",
      "A constraint of",
      "DuckLake has NOT NULL alone: ALTER TABLE … ALTER COLUMN … SET NOT NULL.",
    ),
  )

  /** Throws Unsupported for a statement of another format that Spark's parser accepts, when the
    * statement names a table of a lake.
    *
    * @param isOurs whether a table name of several parts belongs to a lake
    * @param isThere whether a name without schema is the name of an existing table of a lake
    */
  def refuseParsed(
      sql: String,
      isOurs: Vector[String] => Boolean,
      isThere: String => Boolean,
  ): Unit =
    find(parsedBySpark, sql).foreach { case (known, table) =>
      val isOfLake = table match {
        case Vector(bareName) => isThere(bareName)
        case parts => isOurs(parts)
      }
      if (isOfLake && !known.otherTable.exists(isThere)) throw refusal(known, table)
    }

  /** Throws Unsupported for a statement of another format that names a table of a lake. Does
    * nothing for other statements.
    *
    * @param isOurs whether a table name, given by its parts, belongs to a lake
    * @param cause the parser's error
    */
  def refuse(sql: String, isOurs: Vector[String] => Boolean, cause: Exception): Unit =
    find(refusedBySpark, sql).filter { case (_, table) => isOurs(table) }.foreach {
      case (known, table) =>
        val refused = refusal(known, table)
        refused.addSuppressed(cause)
        throw refused
    }

  /** The first statement that matches, and the name of the table in it. */
  private def find(statements: Vector[Foreign], sql: String): Option[(Foreign, Vector[String])] =
    statements.iterator
      .flatMap { known =>
        known.pattern
          .unapplySeq(sql)
          .flatMap(_.headOption)
          .map(table => (known, part.r.findAllIn(table).map(unquoted).toVector))
      }
      .nextOption()

  private def refusal(known: Foreign, table: Vector[String]): DuckLakeException =
    refusal(s"${known.what} ${table.mkString(".")}", known.instead)

  /** The error for a statement: what it is, and what to do instead. */
  private[foreign] def refusal(what: String, instead: String): DuckLakeException = {
    val error = LakeError.Unsupported(what, instead)
    new DuckLakeException(error, new LakeException(error))
  }

  private[foreign] def unquoted(name: String): String =
    if (name.startsWith("`")) name.drop(1).dropRight(1).replace("``", "`") else name
}
