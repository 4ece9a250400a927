package ducklake.spark.write

import ducklake.spark.partitioning.PartitionKeyReader
import org.apache.spark.sql.catalyst.InternalRow

/** Writes each row to the file of its partition. */
sealed trait PartitionRouter {

  def write(row: InternalRow): Unit

  /** Finishes all files. */
  def finish(): Unit
}

object PartitionRouter {

  def of(spec: WriteSpec, files: TaskFiles): PartitionRouter =
    if (spec.partition.isEmpty) new UnpartitionedRouter(files)
    else new PartitionedRouter(spec, files)

  private final class UnpartitionedRouter(files: TaskFiles) extends PartitionRouter {

    // Null while no file is open, because an Option costs time for every row.
    private var current: OpenFile = null

    override def write(row: InternalRow): Unit = {
      if (current == null) current = files.open(None)
      current.write(row)
      if (files.isFull(current)) finish()
    }

    override def finish(): Unit =
      if (current != null) {
        files.finish(current)
        current = null
      }
  }

  /** Rows usually come clustered by partition. Otherwise a few files are kept open, and the least
    * recently used file is finished first.
    */
  private final class PartitionedRouter(spec: WriteSpec, files: TaskFiles) extends PartitionRouter {

    private val keyReader = new PartitionKeyReader(spec.partition, spec.rule)
    private var current: Option[OpenFile] = None
    private var others: Vector[OpenFile] = Vector.empty

    override def write(row: InternalRow): Unit = {
      val hasMoved = keyReader.move(row)
      if (hasMoved || current.isEmpty) switch(keyReader.values)
      current.foreach { file =>
        file.write(row)
        if (files.isFull(file)) {
          files.finish(file)
          current = None
        }
      }
    }

    private def switch(values: Vector[Option[String]]): Unit = {
      others = current.toVector ++ others
      val (same, rest) = others.partition(_.partition.contains(values))
      others = rest.take(PartitionedRouter.maxOtherFiles)
      rest.drop(PartitionedRouter.maxOtherFiles).foreach(files.finish)
      current = Some(same.headOption.getOrElse(files.open(Some(values))))
    }

    override def finish(): Unit = {
      (current.toVector ++ others).foreach(files.finish)
      current = None
      others = Vector.empty
    }
  }

  private object PartitionedRouter {

    /** How many files are kept open in addition to the current file. Each open file holds a row
      * group in memory.
      */
    val maxOtherFiles = 3
  }
}
