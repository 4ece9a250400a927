package ducklake.spark.delete

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.PartitionId
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText
import ducklake.spark.layout.WriteKey

/** The partitions for which a write has rows. The partition values in the catalog show whether a
  * data file has rows in these partitions. That takes one look-up in a set for each file, however
  * many partitions there are.
  *
  * @param layout the table's present layout, which has these keys; None: no file's stored values
  *   can be believed
  * @param partitions the text of each key's value, None for NULL, as [[PartitionKeyReader]] gives
  *   it
  */
private[delete] final class WrittenPartitions(
    layout: Option[PartitionId],
    keys: Vector[WriteKey],
    partitions: Set[Vector[Option[String]]],
) {
  import WrittenPartitions.isDecisive
  import WrittenPartitions.isLasting
  import WrittenPartitions.value

  /** Indexes of the keys by which a file can be left out. */
  private val decisive: Vector[Int] =
    keys.indices.toVector.filter { index =>
      isDecisive(keys(index)) && partitions.forall(texts =>
        value(keys(index), texts(index)).nonEmpty
      )
    }

  private val wanted: Set[Vector[Literal]] = partitions.flatMap(decided)

  /** Whether all rows of the file are in the partitions, so that the file may be ended without
    * being read.
    */
  def holdAll(file: DataFile): Boolean =
    RowRemoval.mayEnd(file) && keys.forall(isLasting) && stored(file).exists(partitions)

  /** Whether the file may have rows in the partitions. Always true for a file of another layout. */
  def mayHold(file: DataFile): Boolean =
    decisive.isEmpty || stored(file).flatMap(decided).forall(wanted)

  /** Whether the stored values decide for each file of this layout whether it has rows in the
    * partitions.
    */
  def areDecided: Boolean = keys.forall(isDecisive)

  /** The stored values of a file of this layout. None when they are not complete, and for a file of
    * another layout.
    */
  private def stored(file: DataFile): Option[Vector[Option[String]]] =
    file.partition
      .filter(partition => layout.contains(partition.id))
      .filter(partition => keys.indices.forall(partition.values.contains))
      .map(partition => keys.indices.map(partition.values).toVector)

  /** The values of the keys that decide; None when one of them cannot be read. */
  private def decided(texts: Vector[Option[String]]): Option[Vector[Literal]] = {
    val values = decisive.map(index => value(keys(index), texts(index)))
    Option.when(values.forall(_.nonEmpty))(values.flatten)
  }
}

private object WrittenPartitions {

  /** Whether a value that was stored for a file is still the value of the file's rows. It may have
    * changed: parts of a `timestamptz` are those of the session that wrote them, and hashes and the
    * digits of a float change when the column is promoted to another type.
    */
  private def isLasting(key: WriteKey): Boolean =
    (key.transform, key.column.dataType) match {
      case (Transform.Bucket(_), _) => false
      case (Transform.Identity, lakeType) => lakeType != LakeType.Float64
      case (Transform.Epoch(_), _) => true
      case (_, lakeType) => !ValueText.hasZone(lakeType)
    }

  /** Whether files with rows of one value of the key all have the same stored value, whoever wrote
    * them.
    */
  private def isDecisive(key: WriteKey): Boolean =
    isLasting(key) &&
      (key.transform != Transform.Identity || TypeTraits.of(key.column.dataType).hasOneText)

  /** A stored text as a value of the column's present type, or as a part of a date. The texts
    * themselves are not compared: they differ when a column was promoted, or when the value comes
    * from the path of a registered file. None when the text cannot be read.
    */
  private def value(key: WriteKey, text: Option[String]): Option[Literal] =
    (text, key.transform, key.column.dataType) match {
      case (None, _, _) => Some(Literal.Null)
      case (Some(known), Transform.Identity, lakeType: LakeType.Primitive) =>
        ValueText.parseStatistic(known, lakeType)
      case (Some(_), Transform.Identity, _: LakeType.Nested) => None
      case (Some(known), _, _) => known.toLongOption.map(Literal.Integral(_))
    }
}
