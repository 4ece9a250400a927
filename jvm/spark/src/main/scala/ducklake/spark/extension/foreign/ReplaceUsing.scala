package ducklake.spark.extension.foreign

/** `INSERT INTO t REPLACE USING (a, b) SELECT …` as a MERGE: the rows of the table that have the
  * same values in these columns as a row of the query go, and all rows of the query come. Spark
  * has the syntax, behind a setting, and no plan for it.
  *
  * MERGE gives each row of its source one role, so each row of the query is there twice: as the key
  * of rows that go, and as a new row.
  */
object ReplaceUsing {

  private val part = ForeignStatements.part
  private val columnList = s"$part(?:\\s*,\\s*$part)*+"

  private val statement =
    (s"(?is)${ForeignStatements.gap}INSERT\\s+INTO\\s+(?:TABLE\\s+)?${ForeignStatements.name}" +
      s"\\s+(BY\\s+NAME\\s+)?REPLACE\\s+USING\\s*\\(\\s*($columnList)\\s*\\)(.*?)" +
      ForeignStatements.end).r

  /** The statement as a MERGE; None for other statements, and for tables outside of lakes.
    *
    * @param tableOf the table of a lake that a name means
    * @param columnsOf the columns of an existing table of a lake; None when there is no such table
    */
  def rewrite(
      sql: String,
      tableOf: Vector[String] => Option[StatementTable],
      columnsOf: Vector[String] => Option[Vector[String]],
  ): Option[String] =
    sql match {
      case statement(name, byName, keys, query) =>
        val parts = ForeignStatements.parts(name)
        for {
          table <- tableOf(parts)
          columns <- columnsOf(parts)
        } yield merge(table, ForeignStatements.parts(keys), rows(query, columns, Option(byName)))
      case _ => None
    }

  private def rows(query: String, columns: Vector[String], byName: Option[String]): String = {
    val names = columns.map(StatementTable.identifier).mkString("(", ", ", ")")
    s"(\n$query\n) AS `$Rows`" + byName.fold(names)(_ => "")
  }

  private def merge(table: StatementTable, keys: Vector[String], rows: String): String = {
    val isSame = keys.map(StatementTable.identifier).map(key => s"`$Target`.$key = `$Source`.$key")
    s"""MERGE INTO ${table.sql} AS `$Target`
       |USING (
       |  SELECT `$Rows`.*, `$IsKey`
       |  FROM $rows
       |  LATERAL VIEW explode(array(true, false)) `${IsKey}s` AS `$IsKey`
       |) AS `$Source`
       |ON `$Source`.`$IsKey` AND ${isSame.mkString(" AND ")}
       |WHEN MATCHED THEN DELETE
       |WHEN NOT MATCHED AND NOT `$Source`.`$IsKey` THEN INSERT *""".stripMargin
  }

  private val Target = "__ducklake_target"
  private val Source = "__ducklake_source"
  private val Rows = "__ducklake_rows"
  private val IsKey = "__ducklake_is_key"
}
