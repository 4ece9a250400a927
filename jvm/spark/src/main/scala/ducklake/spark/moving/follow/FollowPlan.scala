package ducklake.spark.moving.follow

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.option.MoveRecord
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.spark.moving.ColumnChanges
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.TypeProblems

/** A table of the lake that has moved.
  *
  * @param nextColumn one more than any column id that it ever had
  * @param inlinedRows the number of its rows in the catalog
  * @param changedBy the first snapshot after the move, as far as they are kept, that did anything to
  *   it
  */
private[moving] final case class MovedTable(
    table: LakeTable,
    record: MoveRecord,
    files: Vector[DataFile],
    nextColumn: ColumnId,
    inlinedRows: Long,
    changedBy: Option[SnapshotId],
)

/** What a source has changed since it moved into a table.
  *
  * @param columns the table's new columns; None when they are the same
  * @param added files that the table does not have
  * @param ended files that the source does not have any more
  * @param deleted files that had other deletes, each with the table's file; None when all its rows
  *   were deleted
  * @param changes of columns, for readers
  * @param refused what stands in the way: parts of a sentence
  */
private[moving] final case class FollowPlan(
    now: MovePlan,
    columns: Option[Vector[Column]],
    added: Vector[SourceFile],
    ended: Vector[DataFile],
    deleted: Vector[(SourceFile, Option[DataFile])],
    changes: Vector[String],
    refused: Vector[String],
) {
  def isEmpty: Boolean = columns.isEmpty && added.isEmpty && ended.isEmpty && deleted.isEmpty
}

private[moving] object FollowPlan {

  /** @param before the source when it moved last; Left: why it is not known */
  def of(moved: MovedTable, before: Either[String, SourceTable], now: MovePlan): FollowPlan = {
    val nothing =
      FollowPlan(now, None, Vector.empty, Vector.empty, Vector.empty, Vector.empty, Vector.empty)
    val known = now.source.origin
      .filter(origin => origin.table == moved.record.origin.table)
      .filter(origin => origin.format == moved.record.origin.format)
      .toRight("the table has moved from another one")
      .flatMap(_ => before)
    known match {
      case Left(why) => nothing.copy(refused = Vector(why))
      case Right(then) => between(moved, then, now)
    }
  }

  private def between(moved: MovedTable, before: SourceTable, now: MovePlan): FollowPlan = {
    val source = now.source
    val change = SourceChange.between(before, source)
    val placed = new PlacedFiles(moved.files)
    FollowPlan(
      now,
      Option.when(before.columns != source.columns)(source.columns),
      change.added,
      placed.without(source.files),
      change.deleted.map(file => file -> placed.of(file)),
      ColumnChanges.of(before.columns, source.columns),
      touched(moved, before, placed).toVector ++ source.refused ++ layout(moved, now) ++
        reserved(moved, source) ++ TypeProblems.of(before.columns, source.columns, keys(moved)),
    )
  }

  /** Whether the table is what the last move has left. Expired snapshots do not tell what they did,
    * so its state is compared, too.
    */
  private def touched(
      moved: MovedTable,
      before: SourceTable,
      placed: PlacedFiles,
  ): Option[String] = {
    val isLater = (snapshot: SnapshotId) => snapshot.value > moved.record.at.value
    val unknown = placed.without(before.files).count(file => !isLater(file.begin))
    def hasOwnFiles = moved.files.exists { file =>
      isLater(file.begin) || file.inlinedDeletes.nonEmpty ||
      file.deleteFiles.exists(deletes => isLater(deletes.begin))
    }
    def lacksFiles = before.files.exists { file =>
      file.recordCount.forall(_ > 0) && file.deletes.isEmpty && placed.of(file).isEmpty
    }
    def hasOwnColumns = shape(moved.table.columns) != shape(before.columns)
    moved.changedBy match {
      case Some(id) =>
        Some(s"snapshot ${id.value} of the lake has changed the table since it moved")
      case None if unknown > 0 =>
        Some(s"$unknown data files of the lake are not the source's: upkeep wrote them")
      case None =>
        Option.when(moved.inlinedRows > 0 || hasOwnFiles || lacksFiles || hasOwnColumns) {
          "the lake has changed the table since it moved"
        }
    }
  }

  private def shape(columns: Vector[Column]): Vector[Column] =
    columns.map { column =>
      val children = shape(column.children)
      column.copy(initialDefault = None, default = None, comment = None, children = children)
    }

  private def layout(moved: MovedTable, now: MovePlan): Option[String] = {
    Option.when(keys(moved) != now.keys)("its partition keys are not those with which it moved")
  }

  /** The partition keys of the table of the lake. */
  def keys(table: LakeTable): Vector[PartitionKey] =
    table.partition.fold(Vector.empty[PartitionKey])(_.keys)

  private def keys(moved: MovedTable): Vector[PartitionKey] = keys(moved.table)

  /** A later column of the lake would find the values of one that the lake has never seen. */
  private def reserved(moved: MovedTable, source: SourceTable): Option[String] = {
    val last = source.lastColumn.value
    val isUnknown = last >= moved.nextColumn.value && last > MovedFiles.greatest(source.columns)
    Option.when(isUnknown)("it got a column and lost it again since it moved")
  }
}
