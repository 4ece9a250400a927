package ducklake.spark.moving.iceberg

import org.apache.iceberg.DeleteFile
import org.apache.iceberg.Schema
import org.apache.iceberg.types.Types

import scala.jdk.CollectionConverters.ListHasAsScala

/** The columns by which equality deletes find rows.
  *
  * @param schemas all that the table ever had: a dropped column still deletes
  */
private[iceberg] final class IcebergEquality(schemas: Vector[Schema]) {

  /** The field ids of the compared columns, in order. */
  def columns(deletes: DeleteFile): Vector[Int] =
    deletes.equalityFieldIds.asScala.toVector.map(_.intValue).sorted

  /** What of the deletes a move cannot apply. A file that is older than a column with a default shows
    * the default in place of NULL.
    */
  def problem(deletes: DeleteFile): Option[String] =
    columns(deletes).flatMap(problemOf).headOption

  private def problemOf(id: Int): Option[String] = {
    val known = schemas.flatMap(schema => Option(schema.findField(id)).map(schema -> _))
    known.lastOption match {
      case None => Some(s"data files with equality deletes by an unknown column (field id $id)")
      case Some((schema, field)) =>
        val by = s"data files with equality deletes by the column `${schema.findColumnName(id)}`"
        if (known.exists { case (_, each) => Option(each.initialDefault).nonEmpty })
          Some(s"$by, which has a default")
        else
          Option.when(!isComparable(field))(s"$by of the type ${field.`type`}")
    }
  }

  private def isComparable(field: Types.NestedField): Boolean =
    IcebergColumns.primitive(field.`type`).nonEmpty
}
