package ducklake.files.parquet

import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.NameMapping
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Names

/** How fields on one level of a file's schema are matched with columns. */
sealed trait FieldLookup {

  /** The field of the file that holds this column, and how the fields below it are matched. */
  def find(column: Column, fields: Vector[FileNode]): Option[(FileNode, FieldLookup)]

  /** How the children of this column are matched when it is the element, key or value of a list or
    * map. An element, key or value itself is found by the structure, not by id or name.
    */
  def within(column: Column): FieldLookup
}

object FieldLookup {

  /** The rule for a file: its name mapping if it has one, otherwise its field ids. A file without
    * field ids on the top level is matched by the position among the table's columns.
    *
    * @param order the table's columns in order
    *
    * Source: DuckDB 1.5.5, format 2.3 and 12.
    */
  def of(
      mapping: Option[NameMapping],
      fields: Vector[FileNode],
      order: Vector[ColumnId],
  ): FieldLookup =
    mapping match {
      case Some(names) => ByMapping(names.columns)
      case None if fields.exists(_.id.nonEmpty) => ById
      case None => ByPosition(order)
    }

  private case object ById extends FieldLookup {
    def find(column: Column, fields: Vector[FileNode]): Option[(FileNode, FieldLookup)] =
      fields.find(_.id.exists(_.toLong == column.id.value)).map(_ -> this)

    def within(column: Column): FieldLookup = this
  }

  private final case class ByMapping(mapped: Vector[MappedColumn]) extends FieldLookup {
    def find(column: Column, fields: Vector[FileNode]): Option[(FileNode, FieldLookup)] =
      for {
        entry <- mapped.find(entry => entry.target == column.id && !entry.isPartition)
        field <- named(entry.sourceName, fields)
      } yield (field, ByMapping(entry.children))

    def within(column: Column): FieldLookup =
      ByMapping(mapped.find(_.target == column.id).fold(Vector.empty[MappedColumn])(_.children))
  }

  private final case class ByPosition(order: Vector[ColumnId]) extends FieldLookup {
    def find(column: Column, fields: Vector[FileNode]): Option[(FileNode, FieldLookup)] =
      fields.lift(order.indexOf(column.id)).map(_ -> ByName)

    def within(column: Column): FieldLookup = ByName
  }

  private case object ByName extends FieldLookup {
    def find(column: Column, fields: Vector[FileNode]): Option[(FileNode, FieldLookup)] =
      named(column.name, fields).map(_ -> this)

    def within(column: Column): FieldLookup = this
  }

  private def named(name: String, fields: Vector[FileNode]): Option[FileNode] =
    Names.find(fields, name)(_.name)
}
