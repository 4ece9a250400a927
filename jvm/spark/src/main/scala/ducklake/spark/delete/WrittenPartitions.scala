package ducklake.spark.delete

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText
import ducklake.spark.partitioning.WriteKey

/** The partitions for which a write has rows. The statistics of a data file may prove the partition
  * of its rows ([[ProvenValue]]). The test takes one look-up in a set for each file, for any number
  * of partitions.
  *
  * @param partitions the text of each key's value, None for NULL, as [[PartitionKeyReader]] gives
  *   it
  * @param statistics of the columns of the keys, by file
  */
private[delete] final class WrittenPartitions(
    keys: Vector[WriteKey],
    partitions: Set[Vector[Option[String]]],
    statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
) {
  import WrittenPartitions.isDecisive
  import WrittenPartitions.isLasting

  /** Indexes of the keys by which a file can be left out. */
  private val decisive: Vector[Int] = keys.indices.toVector.filter(at => isDecisive(keys(at)))

  private val wanted: Set[Vector[Option[String]]] =
    partitions.map(texts => decisive.map(texts(_)))

  /** Whether all rows of the file are in the partitions, so that the file may be ended without
    * being read. Statistics of other writers do not suffice for that; values that a registered file
    * takes from its path do.
    */
  def holdAll(file: DataFile): Boolean =
    DeleteOperationBuilder.mayEnd(file) && keys.forall(isLasting) &&
      (file.mapping.isEmpty || keys.forall(key => file.constants.contains(key.column.id))) &&
      proven(file, keys).exists(partitions)

  /** Whether the file may have rows in the partitions. */
  def mayHold(file: DataFile): Boolean =
    decisive.isEmpty || proven(file, decisive.map(keys(_))).forall(wanted)

  /** The values of these keys that all rows of the file have; None when a value is not proven. */
  private def proven(file: DataFile, of: Vector[WriteKey]): Option[Vector[Option[String]]] =
    statistics.get(file.id).flatMap { known =>
      val texts = of.map { key =>
        for {
          lakeType <- WrittenPartitions.primitive(key)
          found <- known.get(key.column.id)
          text <- ProvenValue.of(key.transform, lakeType, found, None)
        } yield text
      }
      Option.when(texts.forall(_.nonEmpty))(texts.flatten)
    }
}

private[delete] object WrittenPartitions {

  /** Whether statistics can decide for a file whether it has rows in partitions of these keys. */
  def areDecided(keys: Vector[WriteKey]): Boolean = keys.forall(isDecisive)

  private def primitive(key: WriteKey): Option[LakeType.Primitive] =
    key.column.dataType match {
      case known: LakeType.Primitive => Some(known)
      case _: LakeType.Nested => None
    }

  /** Whether a value that is proven today is the key's value in the rows of the writer. Parts of a
    * `timestamptz` depend on the session that computes them, and the digits of a float change when
    * the column is promoted to another type. A bucket is not proven by bounds.
    */
  private def isLasting(key: WriteKey): Boolean =
    (key.transform, key.column.dataType) match {
      case (Transform.Bucket(_), _) => false
      case (Transform.Identity, lakeType) => lakeType != LakeType.Float64
      case (Transform.Epoch(_), _) => true
      case (_, lakeType) => !ValueText.hasZone(lakeType)
    }

  /** Whether rows of one value of the key all have the same text. */
  private def isDecisive(key: WriteKey): Boolean =
    isLasting(key) &&
      (key.transform != Transform.Identity || TypeTraits.of(key.column.dataType).hasOneText)
}
