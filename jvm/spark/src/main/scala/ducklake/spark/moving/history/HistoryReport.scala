package ducklake.spark.moving.history

import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveReport

/** What a move with its history does, in lines: a line for each version that may change something,
  * then those of a move, about the files of all versions. A version makes no snapshot when its deletes
  * turn out to concern no row that is left.
  */
private[moving] object HistoryReport {

  /** @param problems what the lake has against the history or its files */
  def of(plan: HistoryPlan, outcomes: FileOutcomes, problems: Vector[String]): Vector[MoveLine] =
    plan.steps.map(line) ++
      plan.begins.map(MoveReport.named("the history begins there", _)) ++
      plan.left.map(MoveReport.named("version left behind", _)) ++
      MoveReport.of(plan.now, outcomes, problems)

  /** Its number is that of the files that begin, end, or get other deletes. */
  private def line(step: HistoryStep): MoveLine = {
    val version = step.version
    val parts = Vector(version.text) ++ version.time.map(_.toString) ++ version.message
    val change = step.change
    MoveLine(
      "version",
      Some(parts.mkString(", ")),
      (change.added.size + change.ended.size + change.deleted.size).toLong,
      Some(change.added.map(_.sizeBytes).sum),
    )
  }
}
