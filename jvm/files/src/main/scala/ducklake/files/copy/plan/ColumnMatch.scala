package ducklake.files.copy.plan

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.FieldLookup
import ducklake.files.parquet.FileNode
import org.apache.parquet.schema.Type

/** A column without children in a new file, and where a file has it.
  *
  * @param to the path of the column in the new file; for a variant, the path of its group
  * @param from the path in the file
  */
private[plan] final case class ColumnMatch(to: Vector[String], from: Vector[String])

private[plan] object ColumnMatch {

  /** The parts of a column that a file has: all, or no part when the file lacks a column whose
    * default is NULL. None when the values cannot be copied: the file lacks a part, lacks a column
    * whose default is not known, or stores another kind of column.
    *
    * @param blank the column in a file of new rows
    * @param defaults the columns whose defaults are known
    */
  def of(
      column: Column,
      blank: Type,
      fields: Vector[FileNode],
      lookup: FieldLookup,
      defaults: Set[ColumnId],
  ): Option[Vector[ColumnMatch]] =
    lookup.find(column, fields) match {
      case Some((found, below)) => parts(column, blank, Vector(blank.getName), found, below)
      case None =>
        Option.when(column.initialDefault.isEmpty || defaults(column.id))(Vector.empty)
    }

  private def parts(
      column: Column,
      blank: Type,
      to: Vector[String],
      found: FileNode,
      lookup: FieldLookup,
  ): Option[Vector[ColumnMatch]] =
    (column.dataType, found) match {
      case (LakeType.Variant, FileNode.Group(_, _, fields)) =>
        fields.collectFirst { case FileNode.Leaf(Metadata, _, path, _) =>
          Vector(ColumnMatch(to, path.init))
        }
      case (_: LakeType.Primitive, leaf: FileNode.Leaf) =>
        Some(Vector(ColumnMatch(to, leaf.path)))
      case (LakeType.StructType, FileNode.Group(_, _, fields)) =>
        val each = column.children.map { child =>
          val field = blank.asGroupType.getType(child.name)
          lookup.find(child, fields).flatMap { case (part, inner) =>
            parts(child, field, to :+ field.getName, part, inner)
          }
        }
        all(each)
      case (LakeType.ListType, FileNode.Repeated(_, _, element)) =>
        inside(column, blank, to, Vector(element), lookup)
      case (LakeType.MapType, FileNode.Entries(_, _, key, value)) =>
        inside(column, blank, to, Vector(key, value), lookup)
      case _ => None
    }

  /** The parts below the repeated group of a list or map. */
  private def inside(
      column: Column,
      blank: Type,
      to: Vector[String],
      found: Vector[FileNode],
      lookup: FieldLookup,
  ): Option[Vector[ColumnMatch]] = {
    val repeated = blank.asGroupType.getType(0).asGroupType
    val each = column.children.zip(found).zipWithIndex.map { case ((child, part), at) =>
      val field = repeated.getType(at)
      parts(child, field, to :+ repeated.getName :+ field.getName, part, lookup.within(child))
    }
    all(each)
  }

  private def all(each: Vector[Option[Vector[ColumnMatch]]]): Option[Vector[ColumnMatch]] =
    Option.when(each.forall(_.nonEmpty))(each.flatten.flatten)

  private val Metadata = "metadata"
}
