package ducklake.spark.parquet.read

import ducklake.catalog.types.ColumnId
import ducklake.spark.parquet.filter.KeyTest
import ducklake.spark.parquet.filter.RowTest
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

import scala.jdk.CollectionConverters.ListHasAsScala

/** The columns of a file that are read first, because filters test them: the keys.
  *
  * @param columns with their names in the file
  * @param constants columns that the file lacks
  */
private[read] final case class KeyPlan(
    test: KeyTest,
    columns: Vector[(ColumnId, String, ColumnPlan.Leaf)],
    constants: Map[ColumnId, ColumnPlan.Constant],
) {

  /** The columns that are requested from Spark's reader. */
  def requested: StructType = StructType(columns.map { case (_, name, leaf) =>
    StructField(name, leaf.reading.readAs, nullable = true)
  }.toArray)

  /** The test on the vectors that the reader of the keys fills. */
  def rowTest(decoded: ColumnarBatch, capacity: Int): RowTest = {
    val read: Map[ColumnId, ColumnVector] = columns.zipWithIndex.map { case ((id, _, leaf), at) =>
      decoded.column(at) match {
        case vector: WritableColumnVector => id -> leaf.bind(vector)
        case other => throw new IllegalStateException(s"unexpected vector ${other.getClass}")
      }
    }.toMap
    val vectors = read ++ constants.view.mapValues(_.vector)
    RowTest.of(test, vectors, capacity)
  }

  /** Whether the other columns are large enough that reading them for fewer rows can repay that the
    * keys are read twice.
    *
    * @param names of the columns at the root that are read
    */
  def canGain(groups: Vector[BlockMetaData], names: Set[String]): Boolean = {
    val keys = columns.map(_._3.file.path).toSet
    val (ofKeys, others) = groups
      .flatMap(_.getColumns.asScala)
      .filter(chunk => names(chunk.getPath.toArray.head))
      .partition(chunk => keys(chunk.getPath.toArray.toVector))
    others.map(_.getTotalSize).sum >= KeyPlan.LeastRatio * ofKeys.map(_.getTotalSize).sum
  }
}

private[read] object KeyPlan {

  /** The other columns have at least so many times the bytes of the keys. */
  private val LeastRatio = 2L

  /** None when no filter tests a column of the file's root. */
  def of(plan: FilePlan, spec: ReadSpec): Option[KeyPlan] = {
    val data = plan.columns.zip(spec.columns).collect {
      case (FilePlan.Data(name, column), ReadColumn.Data(wanted, _)) => (wanted, name, column)
    }
    val known = data.collect {
      case (wanted, _, leaf: ColumnPlan.Leaf) =>
        wanted.id -> KeyTest.KeyColumn(leaf.shown, wanted.dataType, leaf.reading.conversion.isEmpty)
      case (wanted, _, constant: ColumnPlan.Constant) =>
        wanted.id -> KeyTest.KeyColumn(constant.shown, wanted.dataType, constant.isExact)
    }.toMap
    for {
      test <- KeyTest.of(spec.predicates ++ spec.runtime, known)
      keys = data.filter { case (wanted, _, _) => test.columns(wanted.id) }
      columns = keys.collect { case (wanted, name, leaf: ColumnPlan.Leaf) =>
        (wanted.id, name, leaf)
      }
      if columns.nonEmpty
    } yield KeyPlan(
      test,
      columns,
      keys.collect { case (wanted, _, constant: ColumnPlan.Constant) =>
        wanted.id -> constant
      }.toMap,
    )
  }
}
