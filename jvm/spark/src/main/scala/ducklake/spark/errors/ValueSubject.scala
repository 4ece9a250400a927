package ducklake.spark.errors

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** The column that error messages about a value name. */
final case class ValueSubject(column: String, lakeType: LakeType) {

  def refuse(value: String, why: String): Nothing =
    SparkErrors.failTask(LakeError.InvalidValue(column, value, TypeText.print(lakeType), why))
}
