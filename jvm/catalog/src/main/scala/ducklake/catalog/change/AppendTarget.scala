package ducklake.catalog.change

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId
import ducklake.catalog.types.LakeType

/** The table that rows are appended to, with its ids: those of an existing table, or those that
  * this commit gives a new table.
  *
  * @param before its statistics before these rows; None when the table never had rows
  */
private[change] final case class AppendTarget(
    id: TableId,
    partition: Option[PartitionId],
    columns: Vector[Column],
    before: Option[TableStatistics],
) {
  lazy val leaves: Map[ColumnId, LakeType.Primitive] = LeafColumns.of(columns)

  def entry(at: SnapshotId): FileEntry = FileEntry(FileSnapshots.at(at), partition, leaves)
}

private[change] object AppendTarget {

  def of(plan: CommitPlan, target: TableTarget, context: CommitContext): AppendTarget =
    target match {
      case TableTarget.Existing(table) =>
        val known = plan.statistics.get(table.id).orElse {
          context.tables.get(table.id).flatMap(_.statistics)
        }
        val keyed = table.partition.filter(_.keys.nonEmpty)
        AppendTarget(table.id, keyed.map(_.id), table.columns, known)
      case TableTarget.Created(uuid) =>
        val made = plan.created(uuid)
        AppendTarget(made.id, made.partition, made.definition.columns, plan.statistics.get(made.id))
    }
}
