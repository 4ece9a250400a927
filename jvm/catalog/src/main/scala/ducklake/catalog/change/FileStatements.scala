package ducklake.catalog.change

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataTables
import ducklake.catalog.sql.WriteSql
import ducklake.catalog.types.BoundText
import ducklake.catalog.types.LakeType

/** Rows of single files. */
private[change] final class FileStatements(sql: WriteSql) {

  def add(
      plan: CommitPlan,
      table: TableId,
      file: NewDataFile,
      partition: Option[PartitionId],
      rowIdStart: Option[Long],
      leaves: Map[ColumnId, LakeType.Primitive],
  ): CommitPlan = {
    val id = plan.nextFileId
    val values = file.partition.filter(_ => partition.nonEmpty)
    val row = Vector[Bind](
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(plan.at.value),
      Bind.Absent,
      Bind.Absent,
      Bind.Text(file.path),
      Bind.Flag(true),
      Bind.Text("parquet"),
      Bind.Number(file.recordCount),
      Bind.Number(file.sizeBytes),
      Bind.Number(file.footerSize),
      Bind.of(rowIdStart),
      Bind.of(partition.filter(_ => values.nonEmpty).map(_.value)),
      Bind.Absent,
      Bind.Absent,
      Bind.Absent,
    )
    plan
      .copy(nextFileId = id + 1)
      .run(Vector(sql.insert(MetadataTables.DataFile, row)))
      .run(sql.insert(MetadataTables.FileColumnStats, statistics(id, table, file, leaves)))
      .run(sql.insert(MetadataTables.FilePartitionValue, partitionValues(id, table, values)))
  }

  def addDelete(plan: CommitPlan, table: TableId, file: NewDeleteFile): CommitPlan = {
    val id = plan.nextFileId
    val row = Vector[Bind](
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(plan.at.value),
      Bind.Absent,
      Bind.Number(file.dataFile.value),
      Bind.Text(file.path),
      Bind.Flag(true),
      Bind.Text("parquet"),
      Bind.Number(file.deleteCount),
      Bind.Number(file.sizeBytes),
      Bind.Number(file.footerSize),
      Bind.Absent,
      Bind.Absent,
    )
    plan.copy(nextFileId = id + 1).run(Vector(sql.insert(MetadataTables.DeleteFile, row)))
  }

  private def statistics(
      id: Long,
      table: TableId,
      file: NewDataFile,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): Vector[Vector[Bind]] =
    file.statistics.toVector.sortBy(_._1.value).flatMap { case (column, known) =>
      leaves.get(column).map(statisticsRow(id, table, column, known, _))
    }

  private def statisticsRow(
      id: Long,
      table: TableId,
      column: ColumnId,
      known: ColumnStatistics,
      lakeType: LakeType.Primitive,
  ): Vector[Bind] = {
    val (min, max) = BoundText.of(known.min, known.max, lakeType)
    Vector(
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(column.value),
      Bind.of(known.sizeBytes),
      Bind.of(known.valueCount),
      Bind.of(known.nullCount),
      Bind.ofText(min),
      Bind.ofText(max),
      Bind.ofFlag(known.containsNan),
      Bind.Absent,
    )
  }

  private def partitionValues(
      id: Long,
      table: TableId,
      values: Option[Vector[Option[String]]],
  ): Vector[Vector[Bind]] =
    values.toVector.flatten.zipWithIndex.map { case (value, index) =>
      Vector(
        Bind.Number(id),
        Bind.Number(table.value),
        Bind.Number(index.toLong),
        Bind.ofText(value),
      )
    }
}
