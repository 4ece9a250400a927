package ducklake.spark.write

import ducklake.spark.layout.PartitionKeyReader
import org.apache.spark.sql.catalyst.InternalRow

/** Sends each row to the file that it belongs to. */
sealed trait PartitionRouter {

  def write(row: InternalRow): Unit

  /** Ends all files. */
  def finish(): Unit
}

object PartitionRouter {

  def of(spec: WriteSpec, files: TaskFiles): PartitionRouter =
    if (spec.partition.isEmpty) new OnePlace(files) else new ManyPlaces(spec, files)

  private final class OnePlace(files: TaskFiles) extends PartitionRouter {

    // Null while no file is open: an Option costs, for every row.
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

  /** Rows come clustered by partition as a rule; where they do not, a few files are kept open, the
    * one that was used longest ago making room for the next.
    */
  private final class ManyPlaces(spec: WriteSpec, files: TaskFiles) extends PartitionRouter {

    private val probe = new PartitionKeyReader(spec.partition, spec.rule)
    private var current: Option[OpenFile] = None
    private var others: Vector[OpenFile] = Vector.empty

    override def write(row: InternalRow): Unit = {
      val hasMoved = probe.move(row)
      if (hasMoved || current.isEmpty) switch(probe.values)
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
      others = rest.take(ManyPlaces.maxIdle)
      rest.drop(ManyPlaces.maxIdle).foreach(files.finish)
      current = Some(same.headOption.getOrElse(files.open(Some(values))))
    }

    override def finish(): Unit = {
      (current.toVector ++ others).foreach(files.finish)
      current = None
      others = Vector.empty
    }
  }

  private object ManyPlaces {

    /** Each open file holds a row group in memory. */
    val maxIdle = 3
  }
}
