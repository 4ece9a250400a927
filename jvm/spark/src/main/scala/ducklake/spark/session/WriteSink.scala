package ducklake.spark.session

import ducklake.catalog.change.Operation

/** What is done with the operations of a write whose tasks have all ended well. */
sealed trait WriteSink

object WriteSink {

  /** The write makes a snapshot of its own. */
  case object CommitNow extends WriteSink

  /** The write is part of somebody else's commit. */
  final case class Staged(work: StagedWork) extends WriteSink
}

/** Operations that wait for the commit of the statement they belong to, and the files behind them. */
final class StagedWork {

  // Filled by the write, on the driver, before the owner commits.
  private var writes: Vector[StagedWrite] = Vector.empty

  private[spark] def add(write: StagedWrite): Unit = synchronized {
    writes = writes :+ write
  }

  /** In the order in which the writes ended. */
  def operations: Vector[Operation] = synchronized(writes.flatMap(_.operations))

  /** The options of all writes. */
  def options: Map[String, String] = synchronized(writes.flatMap(_.options).toMap)

  /** Deletes the files. Only for an owner whose commit certainly did not happen. */
  def discard(): Unit = synchronized {
    writes.foreach(_.files.delete())
    writes = Vector.empty
  }
}

private[spark] final case class StagedWrite(
    operations: Vector[Operation],
    files: WrittenFiles,
    options: Map[String, String],
)
