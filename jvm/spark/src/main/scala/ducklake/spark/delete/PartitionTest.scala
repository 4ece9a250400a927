package ducklake.spark.delete

import ducklake.catalog.types.LakeType
import ducklake.spark.partitioning.PartitionKeyReader
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.InternalRow

/** Tests whether a row is in one of some partitions of the table's present layout.
  *
  * @param keys with ordinals into the rows of a write
  */
final case class PartitionTest(
    keys: Vector[WriteKey],
    rule: TimeRule,
    partitions: Set[Vector[Option[String]]],
) extends RowTest {

  override def columns: Vector[String] = keys.map(_.column.name)

  override def open(): InternalRow => Boolean = {
    val keyReader = new PartitionKeyReader(
      keys.zipWithIndex.map { case (key, index) => key.copy(ordinal = index) },
      rule,
    )
    val wanted = partitions.map(withoutNegativeZero)
    // The result for the row before is kept, because rows of a partition often come one after
    // another.
    var isWanted = false
    row => {
      if (keyReader.move(row)) isWanted = wanted(withoutNegativeZero(keyReader.values))
      isWanted
    }
  }

  /** The texts with `0.0` in place of `-0.0` for floats. The two zeros are equal, and DuckDB puts
    * both into one file.
    */
  private def withoutNegativeZero(texts: Vector[Option[String]]): Vector[Option[String]] =
    texts.zip(keys).map {
      case (Some("-0.0"), key) if PartitionTest.isFloat(key) => Some("0.0")
      case (text, _) => text
    }
}

private object PartitionTest {

  private def isFloat(key: WriteKey): Boolean =
    key.column.dataType == LakeType.Float32 || key.column.dataType == LakeType.Float64
}
