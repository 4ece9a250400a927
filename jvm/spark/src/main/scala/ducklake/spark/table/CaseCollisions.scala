package ducklake.spark.table

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.sql.SessionSettings

import java.util.Locale

/** Finds names that differ for DuckLake and are equal for Spark, such as `Ä` and `ä`. A statement
  * would use one column in place of the other, so tables with both names are neither read nor
  * written.
  */
private[table] object CaseCollisions {

  /** Errors: Unsupported when two columns, or two fields of a struct, have the same name for Spark.
    */
  def check(table: LakeTable): Unit =
    if (!SessionSettings.isCaseSensitive)
      equalNames(table.columns).foreach { case (first, second) =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"Reading or writing ${table.qualifiedName}, whose columns `$first` and `$second` Spark takes " +
              "for one,",
            "Set `spark.sql.caseSensitive` to true, or rename one of them with DuckDB.",
          )
        )
      }

  /** Two columns whose names are equal for Spark. One of the two names always has a character
    * beyond ASCII: ASCII names that differ for DuckLake also differ for Spark.
    */
  private def equalNames(columns: Vector[Column]): Option[(String, String)] = {
    val names = columns.map(_.name)
    val others = names.filter(_.exists(_ > 0x7f))
    others.iterator
      .flatMap(other => names.find(name => name != other && areEqual(name, other)).map(_ -> other))
      .nextOption()
      .orElse(columns.iterator.flatMap(column => equalNames(column.children)).nextOption())
  }

  /** Whether the two names are equal for Spark. Spark ignores case in both ways that Java has. */
  private def areEqual(left: String, right: String): Boolean =
    left.equalsIgnoreCase(right) || left.toLowerCase(Locale.ROOT) == right.toLowerCase(Locale.ROOT)
}
