package ducklake.spark.table

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.SessionSettings

import java.util.Locale

/** Names that are two for DuckLake and one for Spark: `Ä` and `ä`. A statement would take one column for
  * the other, so that nothing reads or writes such a table.
  */
private[table] object NamesOfSpark {

  /** Errors: Unsupported where two columns, or two fields of a struct, have one name for Spark. */
  def check(table: LakeTable): Unit =
    if (!SessionSettings.isCaseSensitive)
      clash(table.columns).foreach { case (one, other) =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"Reading or writing ${table.qualifiedName}, whose columns `$one` and `$other` Spark takes " +
              "for one,",
            "Set `spark.sql.caseSensitive` to true, or rename one of them with DuckDB.",
          )
        )
      }

  /** Names of A to Z alone are different for DuckLake only if they are for Spark. */
  private def clash(columns: Vector[Column]): Option[(String, String)] = {
    val names = columns.map(_.name)
    val others = names.filter(_.exists(_ > 0x7f))
    others.iterator
      .flatMap(one => names.find(name => name != one && isOne(name, one)).map(_ -> one))
      .nextOption()
      .orElse(columns.iterator.flatMap(column => clash(column.children)).nextOption())
  }

  /** Spark folds names in both ways that Java has. */
  private def isOne(left: String, right: String): Boolean =
    left.equalsIgnoreCase(right) || left.toLowerCase(Locale.ROOT) == right.toLowerCase(Locale.ROOT)
}
