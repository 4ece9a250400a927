package ducklake.spark.parquet.read

import ducklake.spark.parquet.rowgroup.RowChoice
import ducklake.spark.parquet.vector.BatchPositions
import ducklake.spark.parquet.vector.CountingVector
import ducklake.spark.parquet.vector.DictionaryTexts
import ducklake.spark.parquet.vector.RunsVector
import ducklake.spark.parquet.vector.SelectedVector
import ducklake.spark.parquet.vector.Selection
import ducklake.spark.parquet.vector.VectorOfBatch
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes the scan's batches from the batches that Spark's reader decodes. It puts the columns in
  * order and leaves hidden rows out, once for each choice of rows.
  *
  * All vectors are made once for a file. A batch without hidden rows has the reader's own vectors,
  * because Spark's generated code is fastest with a single class of vectors for each column.
  */
final class BatchAssembly private (
    outputs: Array[ColumnVector],
    positions: BatchPositions,
    chosen: Vector[ChosenBatches],
) {

  private val ofBatch = outputs.collect { case vector: VectorOfBatch => vector }

  /** The number of choices. */
  val choices: Int = chosen.length

  def rowsHidden: Long = chosen.iterator.map(_.hidden).sum

  /** Begins with the reader's next batch. */
  def start(): Unit = ofBatch.foreach(_.start())

  /** The rows of the reader's current batch that a choice shows.
    *
    * @return None when all rows are hidden
    */
  def shown(choice: Int): Option[ColumnarBatch] = chosen(choice).of(positions)
}

/** The rows of batches that belong to one choice. */
private final class ChosenBatches(
    choice: RowChoice,
    outputs: Array[ColumnVector],
    snapshots: Option[ColumnVector],
    capacity: Int,
) {

  private val whole = new ColumnarBatch(outputs)
  private val selection = new Selection(if (choice.mayHide) capacity else 0)

  private lazy val selected = new ColumnarBatch(outputs.map {
    case constant: ConstantColumnVector => constant
    case vector => new SelectedVector(vector, selection)
  })

  private var hiddenSoFar = 0L

  def hidden: Long = hiddenSoFar

  def of(positions: BatchPositions): Option[ColumnarBatch] = {
    val rows = positions.rows
    val kept = if (choice.mayHide) choice.keep(positions, snapshots, selection.kept) else rows
    hiddenSoFar += rows - kept
    if (kept == 0) None
    else {
      val batch = if (kept == rows) whole else selected
      batch.setNumRows(kept)
      Some(batch)
    }
  }
}

object BatchAssembly {

  def of(
      plan: FilePlan,
      choices: Vector[RowChoice],
      positions: BatchPositions,
      decoded: ColumnarBatch,
      capacity: Int,
  ): BatchAssembly = {
    val vectors = Array.tabulate(decoded.numCols())(decoded.column)
    val data = plan.columns.collect { case FilePlan.Data(_, column) => column }
    val bound = ColumnPlan.Struct
      .bindAll(data, ordinal => writable(vectors(ordinal)))
      .iterator
    val outputs = plan.columns.map {
      case FilePlan.Data(_, _) => withTexts(bound.next())
      case FilePlan.FromFile(column) => vectors(plan.ordinalOf(column))
      case FilePlan.Counted(start) => new CountingVector(start, positions)
      case FilePlan.OfRun(runs) => new RunsVector(runs, positions)
      case FilePlan.Loss => new LossyValueVector(losses(data, plan.ids, vectors))
    }
    val shown = outputs.toArray
    val chosen = choices.map { choice =>
      new ChosenBatches(choice, shown, choice.snapshotOrdinal.map(vectors(_)), capacity)
    }
    new BatchAssembly(shown, positions, chosen)
  }

  private def withTexts(vector: ColumnVector): ColumnVector =
    vector match {
      case texts: WritableColumnVector if texts.dataType.isInstanceOf[StringType] =>
        new DictionaryTexts(texts)
      case other => other
    }

  private def losses(
      plans: Vector[ColumnPlan],
      ids: Vector[Long],
      vectors: Array[ColumnVector],
  ): Vector[(Long, LossyRowTest)] =
    ids.zip(LossyValueVector.ordinals(plans)).flatMap { case (id, (plan, ordinal)) =>
      LossyValueVector.test(plan, writable(vectors(ordinal))).map(id -> _)
    }

  private def writable(vector: ColumnVector): WritableColumnVector =
    vector match {
      case writable: WritableColumnVector => writable
      case other => throw new IllegalStateException(s"unexpected vector ${other.getClass}")
    }
}
