package ducklake.catalog.read.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakePath

import java.util.UUID

import scala.annotation.tailrec

/** A visible row of `ducklake_schema`.
  *
  * @param parent id of the schema around it
  */
private[schema] final case class SchemaRow(
    id: Long,
    uuid: UUID,
    name: String,
    path: LakePath,
    parent: Option[Long],
)

private[schema] object SchemaRow {

  /** The names of the schemas around each schema, outermost first. Errors: CorruptCatalog for a
    * schema inside a schema that does not exist, or inside itself.
    */
  def parents(rows: Vector[SchemaRow]): Map[Long, Vector[String]] = {
    val byId = rows.map(row => row.id -> row).toMap

    @tailrec
    def above(row: SchemaRow, names: Vector[String]): Vector[String] = row.parent match {
      case None => names
      case Some(id) =>
        byId.get(id) match {
          case Some(parent) if names.sizeIs < rows.size => above(parent, parent.name +: names)
          case _ =>
            throw new LakeException(
              LakeError.CorruptCatalog(s"schema ${row.name}", s"schema $id around it is not there")
            )
        }
    }
    rows.map(row => row.id -> above(row, Vector.empty)).toMap
  }
}
