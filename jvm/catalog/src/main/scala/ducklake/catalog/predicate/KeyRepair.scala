package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText

/** What is wrong with the stored values of a partition key.
  *
  * @param values the true values, which the statistics of the files prove, each with its files, in the
  *   order of their ids; None inside means NULL
  * @param unproven the number of files with a wrong value for which no other value is proven
  */
final case class KeyRepair(
    key: PartitionKey,
    values: Vector[(Option[String], Vector[DataFileId])],
    unproven: Long,
) {
  def fileCount: Long = values.map(_._2.size.toLong).sum
}

object KeyRepair {

  /** The keys of the table's current layout that have wrong values in these files.
    *
    * @param statistics of the columns of the keys; a file without them has no wrong value
    */
  def of(
      table: LakeTable,
      files: Vector[DataFile],
      statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
  ): Vector[KeyRepair] =
    for {
      spec <- table.partition.toVector
      own = files.filter(_.partition.exists(_.id == spec.id))
      key <- spec.keys
      repair = ofKey(table, key, own, statistics)
      if repair.values.nonEmpty || repair.unproven > 0
    } yield repair

  private def ofKey(
      table: LakeTable,
      key: PartitionKey,
      files: Vector[DataFile],
      statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
  ): KeyRepair = {
    val found = for {
      lakeType <- table.columns.find(_.id == key.column).map(_.dataType).toVector.collect {
        case known: LakeType.Primitive => known
      }
      file <- files
      stored <- file.partition.flatMap(_.values.get(key.index))
      known <- statistics.get(file.id).flatMap(_.get(key.column))
      verdict <- judged(key.transform, lakeType, known, stored)
    } yield file.id -> verdict
    val proven = found.collect { case (file, Some(value)) => value -> file }
    KeyRepair(
      key,
      proven.groupMap(_._1)(_._2).toVector.sortBy(_._1),
      found.count(_._2.isEmpty).toLong,
    )
  }

  /** None for a value that is not wrong; None inside for a wrong value without a proven one. A part of
    * an instant may be that of another time zone, and is wrong only when no zone has it.
    */
  private def judged(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: Option[String],
  ): Option[Option[Option[String]]] = {
    val proven = ProvenValue
      .of(transform, lakeType, known, Some(stored))
      .orElse(ProvenValue.byStatistics(transform, lakeType, known))
    val isOfZone = (transform match {
      case _: Transform.Calendar => true
      case Transform.Identity | Transform.Epoch(_) | Transform.Bucket(_) => false
    }) && ValueText.hasZone(lakeType)
    val isContradicted = ProvenValue.isContradicted(transform, lakeType, known, stored)
    val isOther = !isOfZone && proven.exists(_ != stored)
    Option.when(isContradicted || isOther)(proven.filter(_ != stored))
  }
}
