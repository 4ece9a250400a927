package ducklake.spark.delete

import ducklake.catalog.types.LakeType
import ducklake.spark.layout.PartitionKeyReader
import ducklake.spark.layout.WriteKey
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.InternalRow

/** Whether a row lies in one of some partitions of the table's present layout.
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
    val probe = new PartitionKeyReader(
      keys.zipWithIndex.map { case (key, at) => key.copy(ordinal = at) },
      rule,
    )
    val wanted = partitions.map(withoutSigns)
    // Changed row by row: rows of a partition often come one after another.
    var isWanted = false
    row => {
      if (probe.move(row)) isWanted = wanted(withoutSigns(probe.values))
      isWanted
    }
  }

  /** With one text for the two zeros of floats, which are equal: DuckDB puts both into one file. */
  private def withoutSigns(texts: Vector[Option[String]]): Vector[Option[String]] =
    texts.zip(keys).map {
      case (Some("-0.0"), key) if PartitionTest.isFloat(key) => Some("0.0")
      case (text, _) => text
    }
}

private object PartitionTest {

  private def isFloat(key: WriteKey): Boolean =
    key.column.dataType == LakeType.Float32 || key.column.dataType == LakeType.Float64
}
