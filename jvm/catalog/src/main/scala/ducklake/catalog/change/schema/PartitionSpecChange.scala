package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType

/** Changes of a table's partition spec. They apply to new files.
  *
  * Source: DuckDB 1.5.5, observed (format 8.1 and 8.4); ours,
  * jvm/docs/statements.md, "Partition keys".
  */
object PartitionSpecChange {

  /** A partition key that names its column. */
  final case class NamedKey(column: String, transform: Transform)

  /** Sets the keys by which new files are partitioned; no keys: new files are not partitioned. A
    * repeated key counts once.
    *
    * Errors: InvalidChange for an unknown column, for a transform that the column's type does not
    * support, and for a bucket key on a table that has rows: DuckDB would prune the existing files,
    * which have no bucket.
    */
  def set(draft: TableDraft, by: Vector[NamedKey]): SchemaChange.Result = {
    val keys = by.map(key(draft, _))
    keys.collectFirst { case Left(error) => Left(error) }.getOrElse {
      val found = keys.flatMap(_.toOption).distinct
      val numbered = found.zipWithIndex.map { case ((column, transform), index) =>
        PartitionKey(index, column.id, transform)
      }
      if (numbered == draft.definition.partition) Right(draft)
      else
        noHashOverRows(draft, found)
          .map(_ => draft.copy(definition = draft.definition.copy(partition = numbered)))
    }
  }

  /** Whether the new definition changes the partition keys and has a bucket key. */
  def bringsHash(table: LakeTable, definition: TableDefinition): Boolean =
    !table.partition.exists(_.keys == definition.partition) &&
      definition.partition.exists(key => isHash(key.transform))

  private def isHash(transform: Transform): Boolean =
    transform match {
      case Transform.Bucket(_) => true
      case Transform.Identity | Transform.Epoch(_) | _: Transform.Calendar => false
    }

  private def key(draft: TableDraft, by: NamedKey): Either[LakeError, (Column, Transform)] = {
    val text = by.transform match {
      case Transform.Identity => by.column
      case other => s"${TransformText.print(other)} of ${by.column}"
    }
    val action = s"partition ${draft.table} by `$text`"
    ColumnTree.find(draft.definition.columns, Vector(by.column)) match {
      case None => Left(LakeError.InvalidChange(action, "there is no such column"))
      case Some(column) =>
        column.dataType match {
          case primitive: LakeType.Primitive if TransformValue.accepts(by.transform, primitive) =>
            Right((column, by.transform))
          case _ =>
            Left(LakeError.InvalidChange(action, "the column's type has no such key"))
        }
    }
  }

  private def noHashOverRows(
      draft: TableDraft,
      keys: Vector[(Column, Transform)],
  ): Either[LakeError, Unit] = {
    val hash = keys.collectFirst { case (column, transform) if isHash(transform) => column.name }
    (hash, draft.rows) match {
      case (Some(column), RowPresence.HasRows) =>
        Left(
          LakeError.InvalidChange(
            s"partition ${draft.table} by a hash of `$column`",
            "the table has rows, and DuckDB would pass over the files that hold them when it " +
              "looks for one value. Create a table with this layout and copy the rows",
          )
        )
      case _ => Right(())
    }
  }
}
