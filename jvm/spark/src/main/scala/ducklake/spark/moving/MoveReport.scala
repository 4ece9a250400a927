package ducklake.spark.moving

import ducklake.spark.maintenance.add.FileOutcomes
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** A line of what a move or an export does, or would do.
  *
  * @param bytes None for what has no size
  */
final case class MoveLine(what: String, detail: Option[String], count: Long, bytes: Option[Long]) {

  /** In the order of the result's columns. */
  def values: Vector[Any] = Vector(what, detail, count, bytes)
}

/** What a move does, in lines: what comes along, what is left behind, and what stands in the way. */
private[moving] object MoveReport {

  /** @param outcomes what the footers of the files say, when they were read
    * @param problems what the lake has against the files
    */
  def of(
      plan: MovePlan,
      outcomes: FileOutcomes,
      problems: Vector[String],
  ): Vector[MoveLine] = {
    val source = plan.source
    val deletes = plan.files.flatMap(_.deletes)
    val deleted = plan.files.filter(_.deletes.nonEmpty)
    val rewritten = outcomes.toRewrite
    val vectors = deletes.collect {
      case one @ (_: SourceDeletes.DeletionVector | _: SourceDeletes.InlineVector) => one
    }.distinct
    val positions = deletes.collect { case one: SourceDeletes.Positions => one }.distinct
    val equalities = deletes.collect { case one: SourceDeletes.Equality => one }.distinct
    Vector(
      counted("columns", source.columns.size, None),
      counted("data files", plan.files.size, Some(plan.files.map(_.sizeBytes).sum)),
      MoveLine("rows before deletes", None, plan.files.flatMap(_.recordCount).sum, None),
      counted("data files to rewrite", rewritten.size, Some(rewritten.sum)),
      counted("data files with deletes", deleted.size, Some(deleted.map(_.sizeBytes).sum)),
      counted("position delete files", positions.size, Some(positions.map(_.sizeBytes).sum)),
      counted("equality delete files", equalities.size, Some(equalities.map(_.sizeBytes).sum)),
      counted("deletion vectors", vectors.size, Some(vectors.map(_.sizeBytes).sum)),
    ).filter(line => line.count > 0 || line.what == "data files") ++
      plan.keys.map(key => named("partition key", MovePlan.text(key, source))) ++
      plan.left.map(named("partition key left behind", _)) ++
      source.lost.map(named("left behind", _)) ++
      (source.refused ++ problems).map(named("in the way", _)) ++
      outcomes.refused.map(one => named("in the way", s"file ${one.path} ${one.refusal.why}"))
  }

  /** What both readers have read. */
  def checked(sum: RowSum): MoveLine = MoveLine("checksum", Some(sum.text), sum.count, None)

  private def counted(what: String, count: Int, bytes: Option[Long]): MoveLine =
    MoveLine(what, None, count.toLong, bytes)

  def named(what: String, detail: String): MoveLine = MoveLine(what, Some(detail), 1L, None)
}

object MoveLine {

  /** The columns of the result. */
  val schema: StructType = new StructType()
    .add("what", StringType, nullable = false)
    .add("detail", StringType)
    .add("count", LongType, nullable = false)
    .add("bytes", LongType)
}
