package ducklake.spark.moving.delta

import io.delta.kernel.types.DataType
import io.delta.kernel.types.StringType
import io.delta.kernel.types.StructField

import scala.jdk.CollectionConverters.MapHasAsScala

/** Definitions of a table of Delta that only later writes need, and that lakes do not have. */
private[delta] object DeltaDefinitions {

  def of(field: StructField, path: Vector[String]): Vector[String] = {
    val keys = field.getMetadata.getEntries.asScala.keys.toVector
    val text = path.mkString(".")
    Vector(
      Option.when(keys.contains("delta.generationExpression"))(s"the generated column `$text`"),
      Option.when(keys.exists(_.startsWith("delta.identity.")))(s"the identity column `$text`"),
      Option.when(keys.contains("CURRENT_DEFAULT"))(s"the default of column `$text`"),
      Option.when(keys.contains("delta.invariants"))(s"the invariant of column `$text`"),
      Option.when(keys.contains("__CHAR_VARCHAR_TYPE_STRING"))(s"the length of column `$text`"),
    ).flatten
  }

  def ofType(delta: DataType, path: String): Vector[String] = delta match {
    case text: StringType if !text.isUTF8BinaryCollated =>
      Vector(s"the collation of column `$path`")
    case _ => Vector.empty
  }

  /** @param configuration of the table */
  def of(configuration: Map[String, String]): Vector[String] =
    configuration.keys.toVector.sorted.collect { case s"delta.constraints.$name" =>
      s"the CHECK constraint `$name`"
    }
}
