package ducklake.catalog.sql.write

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataTable

/** The rows of one INSERT into a metadata table. Each row is made from an object, and each column
  * has a function that gives its value in the row. The names of the columns are looked up once for
  * all rows.
  *
  * @param columns the columns of the INSERT, in the order of the table
  */
private[write] final class MetadataRows[A] private (
    val columns: Vector[String],
    values: Vector[A => Bind],
) {

  /** The values of a row, in the order of the columns. */
  def row(of: A): Vector[Bind] = values.map(_(of))
}

private[write] object MetadataRows {

  /** The columns that the table has in this version. Values of columns that only other versions
    * have are left out.
    *
    * Errors: IllegalArgumentException for a name that the table has in no version, for a name that
    * stands twice, and for a column of this version without a value.
    */
  def of[A](table: MetadataTable, version: FormatVersion)(
      values: (String, A => Bind)*
  ): MetadataRows[A] = {
    val names = values.map(_._1)
    refuse(table, "has no place for", names.diff(table.columns.map(_.name)))
    val byName = values.toMap
    val columns = table.at(version).columns.map(_.name)
    refuse(table, "gets no value for", columns.filterNot(byName.contains))
    new MetadataRows(columns, columns.map(byName))
  }

  /** Names that stand twice are left over by `diff` too. */
  private def refuse(table: MetadataTable, why: String, names: Seq[String]): Unit =
    if (names.nonEmpty)
      throw new IllegalArgumentException(s"${table.name} $why ${names.mkString(", ")}")
}
