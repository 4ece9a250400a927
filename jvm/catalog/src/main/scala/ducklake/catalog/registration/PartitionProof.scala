package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.bound.ExactBounds
import ducklake.catalog.types.text.ValueText

/** Finds the partition value of a registered file: the path states it, or statistics prove it.
  *
  * DuckDB believes every path. A path that the file's statistics contradict puts rows into a
  * partition to which they do not belong, so we refuse it. A month, day or hour recurs, so bounds
  * with the stated value do not show that all rows have it: the bounds must be in one period
  * (decision 11).
  */
object PartitionProof {

  /** The text of the partition value; None stands for NULL. */
  def value(key: PartitionKeyFacts): Either[PartitionProblem, Option[String]] =
    key.stated match {
      case Some(stated) =>
        for {
          text <- parsed(key, stated)
          _ <- key.statistics.flatMap(contradiction(key, text, _)).toLeft(())
          _ <- key.statistics.flatMap(severalPeriods(key, _)).toLeft(())
        } yield text
      case None =>
        key.statistics.flatMap(proven(key, _)).toRight(PartitionProblem.NotProven(key))
    }

  /** The stated value, when the statistics prove that all rows of the file have it. */
  def certain(key: PartitionKeyFacts): Either[PartitionProblem, Option[String]] =
    value(key).filterOrElse(
      text => key.stated.isEmpty || key.statistics.flatMap(proven(key, _)).contains(text),
      PartitionProblem.MayDiffer(key),
    )

  /** The stated text as DuckDB stores it. */
  private def parsed(
      key: PartitionKeyFacts,
      stated: Option[String],
  ): Either[PartitionProblem, Option[String]] =
    stated match {
      case None => Right(None)
      case Some(text) =>
        canonical(key, text).map(Some(_)).toRight(PartitionProblem.NotAValue(key, text))
    }

  private def canonical(key: PartitionKeyFacts, text: String): Option[String] =
    key.transform match {
      case Transform.Identity =>
        ValueText.parseCast(text, key.lakeType).flatMap(ValueText.print(_, key.lakeType))
      case Transform.Bucket(count) => number(text, 0, count - 1)
      case Transform.Year => number(text, Int.MinValue, Int.MaxValue)
      case Transform.Month => number(text, 1, 12)
      case Transform.Day => number(text, 1, 31)
      case Transform.Hour => number(text, 0, 23)
      case Transform.Epoch(_) => text.toLongOption.map(_.toString)
    }

  private def number(text: String, min: Int, max: Int): Option[String] =
    text.toIntOption.filter(value => value >= min && value <= max).map(_.toString)

  private def contradiction(
      key: PartitionKeyFacts,
      stated: Option[String],
      known: ColumnStatistics,
  ): Option[PartitionProblem] = {
    val withNull = Option.when(stated.nonEmpty && known.nullCount.exists(_ > 0))(Literal.Null)
    withNull
      .orElse(bounds(key, known).find(bound => valueOf(key, bound).exists(_ != stated)))
      .orElse(outside(key, stated, known))
      .map(PartitionProblem.Contradicted(key, _))
  }

  /** A calendar key whose bounds are in different periods. */
  private def severalPeriods(
      key: PartitionKeyFacts,
      known: ColumnStatistics,
  ): Option[PartitionProblem] =
    (key.transform, known.min, known.max) match {
      case (_: Transform.Calendar, Some(min), Some(max))
          if !ProvenValue.isOneValue(key.transform, key.lakeType, min, max) =>
        Some(PartitionProblem.MayDiffer(key))
      case _ => None
    }

  /** Bounds that are values of the file. */
  private def bounds(key: PartitionKeyFacts, known: ColumnStatistics): Vector[Literal] =
    Vector(
      ExactBounds.min(known.min, key.lakeType),
      ExactBounds.max(known.max, known.containsNan, key.lakeType),
    ).flatten

  /** The partition value of a value; None when the transform does not accept the type. */
  private def valueOf(key: PartitionKeyFacts, literal: Literal): Option[Option[String]] =
    TransformValue.text(key.transform, literal, key.lakeType).toOption

  /** A bound of texts, which may be shortened, that excludes the stated text. */
  private def outside(
      key: PartitionKeyFacts,
      stated: Option[String],
      known: ColumnStatistics,
  ): Option[Literal] =
    (key.transform, key.lakeType, stated) match {
      case (Transform.Identity, LakeType.Varchar, Some(text)) =>
        val below = known.min.filter(isOrdered(Literal.Text(text), _, -1))
        below.orElse(known.max.filter(isOrdered(Literal.Text(text), _, 1)))
      case _ => None
    }

  private def proven(key: PartitionKeyFacts, known: ColumnStatistics): Option[Option[String]] =
    ProvenValue.byStatistics(key.transform, key.lakeType, known)

  private def isOrdered(left: Literal, right: Literal, sign: Int): Boolean =
    LiteralOrder.compare(left, right).exists(order => Integer.signum(order) == sign)
}
