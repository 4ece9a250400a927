package ducklake.spark.parquet.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.spark.errors.ValueSubject
import ducklake.spark.types.VariantTexts
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData

/** Checks the texts of a row, also inside nested values, and refuses a row with a text that is not
  * UTF-8. A text that is not UTF-8 makes DuckDB fail at every query of the column.
  */
final class TextConverters private (checks: Array[(Int, TextConverters.Check)]) {

  private val ordinals = checks.map(_._1)
  private val parts = checks.map(_._2)

  /** Errors: InvalidValue. */
  def check(row: InternalRow): Unit = {
    // A plain loop: it runs for every row.
    var at = 0
    while (at < ordinals.length) {
      if (!row.isNullAt(ordinals(at))) parts(at)(row, ordinals(at))
      at += 1
    }
  }
}

object TextConverters {

  /** Checks one value, which is not NULL. */
  private trait Check {
    def apply(from: SpecializedGetters, ordinal: Int): Unit
  }

  /** The checks for rows of these columns; None when no column holds texts. */
  def of(columns: Vector[Column]): Option[TextConverters] = {
    val checks = columns.map(of).zipWithIndex.collect { case (Some(check), at) => at -> check }
    Option.when(checks.nonEmpty)(new TextConverters(checks.toArray))
  }

  private def of(column: Column): Option[Check] = {
    val children = column.children.map(of)
    column.dataType match {
      case LakeType.Varchar | LakeType.Json =>
        val subject = ValueSubject(column.name, column.dataType)
        Some { (from, at) =>
          val text = from.getUTF8String(at)
          if (!Utf8.isValid(text)) refuse(s"`$text`", subject)
        }
      case LakeType.Variant =>
        val subject = ValueSubject(column.name, column.dataType)
        Some { (from, at) =>
          val variant = from.getVariant(at)
          if (!VariantTexts.areUtf8(variant.getValue, variant.getMetadata, Utf8.isValid))
            refuse("a variant", subject)
        }
      case LakeType.ListType => children.head.map(list)
      case LakeType.StructType => Option.when(children.exists(_.nonEmpty))(struct(children))
      case LakeType.MapType => Option.when(children.exists(_.nonEmpty))(map(children))
      case _: LakeType.Primitive => None
    }
  }

  private def list(element: Check): Check = (from, at) => each(from.getArray(at), element)

  private def struct(fields: Vector[Option[Check]]): Check = { (from, at) =>
    val value = from.getStruct(at, fields.length)
    fields.indices.foreach { field =>
      if (!value.isNullAt(field)) fields(field).foreach(_(value, field))
    }
  }

  private def map(parts: Vector[Option[Check]]): Check = { (from, at) =>
    val value = from.getMap(at)
    parts(0).foreach(each(value.keyArray(), _))
    parts(1).foreach(each(value.valueArray(), _))
  }

  private def each(items: ArrayData, check: Check): Unit = {
    // A plain loop: it runs for every item of every row.
    var at = 0
    while (at < items.numElements()) {
      if (!items.isNullAt(at)) check(items, at)
      at += 1
    }
  }

  private def refuse(value: String, subject: ValueSubject): Nothing =
    subject.refuse(value, "it is no UTF-8, which DuckDB cannot read")
}
