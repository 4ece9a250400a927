package ducklake.spark.moving.follow

import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveReport

/** What a later move does, in lines. */
private[moving] object FollowReport {

  /** @param outcomes what the footers of the new files say, when they were read */
  def of(plan: FollowPlan, outcomes: FileOutcomes): Vector[MoveLine] = {
    val rewritten = outcomes.toRewrite
    Vector(
      counted("new data files", plan.added.size, plan.added.map(_.sizeBytes).sum),
      MoveLine("rows in new data files", None, plan.added.flatMap(_.recordCount).sum, None),
      counted("data files to rewrite", rewritten.size, rewritten.sum),
      counted("ended data files", plan.ended.size, plan.ended.map(_.sizeBytes).sum),
      counted(
        "data files with other deletes",
        plan.deleted.size,
        plan.deleted.map(_._1.sizeBytes).sum,
      ),
    ).filter(line => line.count > 0 || line.what == "new data files") ++
      plan.changes.map(MoveReport.named("column", _)) ++
      plan.now.left.map(MoveReport.named("partition key left behind", _)) ++
      plan.now.source.lost.map(MoveReport.named("left behind", _)) ++
      plan.refused.map(MoveReport.named("in the way", _))
  }

  private def counted(what: String, count: Int, bytes: Long): MoveLine =
    MoveLine(what, None, count.toLong, Some(bytes))
}
