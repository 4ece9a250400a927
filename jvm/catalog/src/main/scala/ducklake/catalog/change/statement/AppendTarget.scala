package ducklake.catalog.change.statement

import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** The table that rows are appended to, with its ids. This commit gives a new table its ids.
  *
  * @param before its statistics before these rows; None when the table never had rows
  */
private[statement] final case class AppendTarget(
    id: TableId,
    partition: Option[PartitionId],
    columns: Vector[Column],
    before: Option[TableStatistics],
) {
  lazy val leaves: Map[ColumnId, LakeType.Primitive] = LeafColumns.of(columns)

  def entry(at: SnapshotId): FileEntry = FileEntry(FileSnapshots.at(at), partition, leaves)
}

private[statement] object AppendTarget {

  def of(plan: CommitDraft, target: TableTarget, context: CommitContext): AppendTarget =
    target match {
      case TableTarget.Existing(table) =>
        val known = plan.statistics.get(table.id).orElse {
          context.tables.get(table.id).flatMap(_.statistics)
        }
        val keyed = table.partition.filter(_.keys.nonEmpty)
        val layout = keyed.map(spec => plan.layout(table.id, spec.id))
        AppendTarget(table.id, layout, table.columns, known)
      case TableTarget.Created(uuid) =>
        val made = plan.created(uuid)
        AppendTarget(made.id, made.partition, made.definition.columns, plan.statistics.get(made.id))
    }
}
