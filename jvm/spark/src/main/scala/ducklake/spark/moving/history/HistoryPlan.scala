package ducklake.spark.moving.history

import ducklake.catalog.sql.FormatVersion
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceVersion

/** The versions of a source that become snapshots of a lake.
  *
  * @param now the current version, with the files of all versions, each as its last version has it
  * @param steps oldest first: the first makes the table
  * @param begins why there are no older ones; None when the first one made the source
  * @param left versions in between that have no snapshot, each with the reason
  */
private[moving] final case class HistoryPlan(
    now: MovePlan,
    steps: Vector[HistoryStep],
    begins: Option[String],
    left: Vector[String],
) {

  /** The plan of a version. */
  def at(step: HistoryStep): MovePlan = now.copy(source = step.source)
}

/** A version with what differs from the version before it.
  *
  * @param source the version with the column ids of the lake, without its files
  * @param isReshaped whether its columns are others
  */
private[moving] final case class HistoryStep(
    version: SourceVersion,
    source: SourceTable,
    change: SourceChange,
    isReshaped: Boolean,
) {
  def isEmpty: Boolean =
    !isReshaped && change.added.isEmpty && change.ended.isEmpty && change.deleted.isEmpty
}

private[moving] object HistoryPlan {

  /** @param found oldest first; the last one is the current one
    * @param looks what only storage knows
    * @param format of the lake
    */
  def of(
      history: SourceHistory,
      found: Iterator[SourceStep],
      looks: HistoryLooks,
      format: FormatVersion,
  ): HistoryPlan = {
    val oldest = found.next()
    val chain = found.foldLeft(VersionChain.from(oldest, history.begins))(_.and(_, looks, format))
    val every = chain.last.copy(files = chain.seen.values.toVector)
    HistoryPlan(
      MovePlan.of(every, format),
      kept(withReturned(chain.first +: chain.steps.tail, chain.replaced, looks)),
      chain.begins,
      history.left,
    )
  }

  /** The first version makes the table, also an empty one. */
  private def kept(steps: Vector[HistoryStep]): Vector[HistoryStep] =
    steps.head +: steps.tail.filterNot(_.isEmpty)

  /** A file whose deleted rows are there again ends, and begins anew. */
  private def withReturned(
      steps: Vector[HistoryStep],
      replaced: Vector[ReplacedDeletes],
      looks: HistoryLooks,
  ): Vector[HistoryStep] = {
    val returned = replaced.zip(looks.returned(replaced.map(each => (each.before, each.now))))
    returned.collect { case (each, true) => each }.foldLeft(steps) { (done, each) =>
      val step = done(each.step)
      val change = step.change
      val changed = SourceChange(
        change.added :+ each.now.copy(isReturned = true),
        change.ended :+ each.before,
        change.deleted.filterNot(_.stored == each.now.stored),
      )
      done.updated(each.step, step.copy(change = changed))
    }
  }
}

/** What only storage knows of a history. */
private[moving] trait HistoryLooks {

  /** Whether a file of the source is still there. */
  def isThere(path: String): Boolean

  /** Whether rows that the first version of a file had deleted are there in the second one, for each
    * pair.
    */
  def returned(versions: Vector[(SourceFile, SourceFile)]): Vector[Boolean]
}
