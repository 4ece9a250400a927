package ducklake.spark.delete

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.PartitionId
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText
import ducklake.spark.layout.WriteKey

/** The partitions that a write has rows for. It says of a data file whether rows of the file lie in them,
  * by what the catalog has stored for the file: with one look into a set, however many partitions there
  * are.
  *
  * @param layout the table's present one, which has these keys
  * @param partitions the text of each key's value (None: NULL), as [[PartitionKeyReader]] gives it
  */
private[delete] final class WrittenPartitions(
    layout: Option[PartitionId],
    keys: Vector[WriteKey],
    partitions: Set[Vector[Option[String]]],
) {
  import WrittenPartitions.isDecisive
  import WrittenPartitions.isLasting
  import WrittenPartitions.value

  /** ObjectNames of the keys by which a file can be left out. */
  private val decisive: Vector[Int] =
    keys.indices.toVector.filter { at =>
      isDecisive(keys(at)) && partitions.forall(texts => value(keys(at), texts(at)).nonEmpty)
    }

  private val wanted: Set[Vector[Literal]] = partitions.flatMap(decided)

  /** Whether all rows of the file lie in the partitions, and it may end unread. */
  def holdAll(file: DataFile): Boolean =
    RowRemoval.mayEnd(file) && keys.forall(isLasting) && stored(file).exists(partitions)

  /** Whether some row of the file may lie in the partitions. The answer for a file of another layout is
    * always yes.
    */
  def mayHold(file: DataFile): Boolean =
    decisive.isEmpty || stored(file).flatMap(decided).forall(wanted)

  /** Whether what is stored for files of this layout says for good which of them have rows of the
    * partitions.
    */
  def areDecided: Boolean = keys.forall(isDecisive)

  /** The values that are stored for a file of this layout; None where they are not complete. */
  private def stored(file: DataFile): Option[Vector[Option[String]]] =
    file.partition
      .filter(partition => layout.contains(partition.id))
      .filter(partition => keys.indices.forall(partition.values.contains))
      .map(partition => keys.indices.map(partition.values).toVector)

  /** The values of the keys that decide; None where one of them cannot be read. */
  private def decided(texts: Vector[Option[String]]): Option[Vector[Literal]] = {
    val values = decisive.map(at => value(keys(at), texts(at)))
    Option.when(values.forall(_.nonEmpty))(values.flatten)
  }
}

private object WrittenPartitions {

  /** Whether a value that was stored for a file still is that of its rows: parts of a `timestamptz` are
    * those of the session that wrote them, hashes and the digits of a float change with the type of a
    * column that was promoted.
    */
  private def isLasting(key: WriteKey): Boolean =
    (key.transform, key.column.dataType) match {
      case (Transform.Bucket(_), _) => false
      case (Transform.Identity, lakeType) => lakeType != LakeType.Float64
      case (_, lakeType) => lakeType != LakeType.TimestampTz
    }

  /** Whether two files with rows of one value of the key have the same value stored, whoever wrote them. */
  private def isDecisive(key: WriteKey): Boolean =
    isLasting(key) &&
      (key.transform != Transform.Identity || TypeTraits.of(key.column.dataType).hasOneText)

  /** A stored text as a value of the column's present type, or as a part of a date: texts differ where a
    * column was promoted, or where the value comes from the path of a registered file. None where it
    * cannot be read.
    */
  private def value(key: WriteKey, text: Option[String]): Option[Literal] =
    (text, key.transform, key.column.dataType) match {
      case (None, _, _) => Some(Literal.Null)
      case (Some(known), Transform.Identity, lakeType: LakeType.Primitive) =>
        ValueText.parseStatistic(known, lakeType)
      case (Some(_), Transform.Identity, _: LakeType.Nested) => None
      case (Some(known), _, _) => known.toIntOption.map(part => Literal.Integral(part.toLong))
    }
}
