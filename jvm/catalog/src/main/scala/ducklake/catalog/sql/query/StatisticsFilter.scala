package ducklake.catalog.sql.query

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText

/** Translates predicates to sets of files, by the same rules as
  * [[ducklake.catalog.predicate.StatsPruning]]. A file with statistics of a column is in the set
  * unless they show that no row matches; a file without a row of them is not, and has to be added. The
  * database cannot compare all that the statistics say, so a set may have more files than the rules
  * leave. Pure.
  *
  * @param types of the leaf columns whose statistics may be used
  */
private[catalog] final class StatisticsFilter(
    dialect: Dialect,
    types: Map[ColumnId, LakeType.Primitive],
) {
  import StatisticsFilter.*

  /** Sets of which a file must be in each. None of them for predicates that the database cannot
    * decide.
    */
  def sets(predicates: Vector[Predicate]): Vector[FileSet] = {
    val single = predicates.flatMap(conjuncts).flatMap(necessary)
    val columns = single.collect { case FileSet.Meeting(column, _, _) => column }.distinct
    columns.map { column =>
      single
        .collect { case one: FileSet.Meeting if one.column == column => one: FileSet }
        .reduce(FileSet.both)
    } ++ single.filterNot(_.isInstanceOf[FileSet.Meeting])
  }

  private def conjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Predicate.And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Vector(other)
  }

  /** The set of files in which the predicate may be true; None: all files. */
  private def necessary(predicate: Predicate): Option[FileSet] = predicate match {
    case Predicate.And(left, right) =>
      (necessary(left) ++ necessary(right)).reduceOption(FileSet.both)
    case Predicate.Or(left, right) =>
      for {
        one <- necessary(left)
        other <- necessary(right)
      } yield FileSet.either(one, other)
    case Predicate.Not(child) => negated(child).flatMap(necessary)
    case Predicate.Compare(column, operator, value) => unless(column)(isOutside(operator, value))
    case Predicate.In(column, values) => unless(column)(isOutside(values))
    case Predicate.StartsWith(column, prefix) => unless(column)(isOutside(prefix))
    case Predicate.IsNull(column) => counted(column)(sql"bounds.null_count = 0")
    case Predicate.IsNotNull(column) => counted(column)(noValue)
    case Predicate.False => None
  }

  /** A predicate that is true where this one is false. */
  private def negated(predicate: Predicate): Option[Predicate] = predicate match {
    case Predicate.And(left, right) => Some(Predicate.Or(Predicate.Not(left), Predicate.Not(right)))
    case Predicate.Or(left, right) => Some(Predicate.And(Predicate.Not(left), Predicate.Not(right)))
    case Predicate.Not(child) => Some(child)
    case Predicate.Compare(column, operator, value) =>
      Some(Predicate.Compare(column, operator.negated, value))
    case Predicate.IsNull(column) => Some(Predicate.IsNotNull(column))
    case Predicate.IsNotNull(column) => Some(Predicate.IsNull(column))
    case Predicate.StartsWith(column, _) => Some(Predicate.IsNotNull(column))
    case Predicate.In(column, _) => Some(Predicate.IsNotNull(column))
    case Predicate.False => None
  }

  /** @param isOutside whether the bounds exclude all values that match */
  private def unless(column: ColumnId)(
      isOutside: LakeType.Primitive => Option[Sql]
  ): Option[FileSet] =
    types.get(column).flatMap(isOutside(_)).flatMap { outside =>
      counted(column)(sql"$noValue OR $outside")
    }

  /** Statistics with neither values nor NULLs are no statistics of a file with rows. */
  private def counted(column: ColumnId)(isExcluded: Sql): Option[FileSet] =
    types.get(column).filter(TypeTraits.of(_).hasTrueCounts).map { lakeType =>
      val isTrue = sql"(bounds.value_count = 0 AND bounds.null_count = 0) IS NOT TRUE"
      val condition = sql"(($isExcluded) AND $isTrue) IS NOT TRUE"
      FileSet.Meeting(column, BoundForm.of(lakeType), condition)
    }

  private val noValue = sql"bounds.value_count = 0"

  private def isOutside(operator: Comparison, value: Literal)(
      lakeType: LakeType.Primitive
  ): Option[Sql] =
    bind(value, lakeType).map { other =>
      operator match {
        case Comparison.Equal => sql"bounds.low > $other OR bounds.high < $other"
        case Comparison.NotEqual => sql"bounds.low = $other AND bounds.high = $other"
        case Comparison.Less => sql"bounds.low >= $other"
        case Comparison.LessOrEqual => sql"bounds.low > $other"
        case Comparison.Greater => sql"bounds.high <= $other"
        case Comparison.GreaterOrEqual => sql"bounds.high < $other"
      }
    }

  /** Many values are compared as ranges of neighbours. */
  private def isOutside(values: Vector[Literal])(lakeType: LakeType.Primitive): Option[Sql] = {
    val binds = values.map(value => bind(value, lakeType).map(value -> _))
    for {
      order <- LiteralOrder.of(lakeType)
      _ <- Option.when(values.nonEmpty && binds.forall(_.nonEmpty))(())
      sorted = binds.flatten.sortBy(_._1)(order).map(_._2)
      ranges = sorted.grouped((sorted.size + MostRanges - 1) / MostRanges)
    } yield ranges
      .map(range => sql"(bounds.low > ${range.last} OR bounds.high < ${range.head})")
      .reduce((left, right) => sql"$left AND $right")
  }

  private def isOutside(prefix: String)(lakeType: LakeType.Primitive): Option[Sql] =
    bind(Literal.Text(prefix), lakeType).map { start =>
      val begins = sql"SUBSTR(bounds.low, 1, LENGTH($start)) = $start"
      sql"bounds.high < $start OR bounds.low > $start AND NOT $begins"
    }

  /** The value in the form in which the database has the bounds of its column. */
  private def bind(value: Literal, lakeType: LakeType.Primitive): Option[Sql] =
    (BoundForm.of(lakeType), value) match {
      case (BoundForm.Whole(_), Literal.Integral(number)) => Some(sql"$number")
      case (BoundForm.Date, Literal.Date(_)) | (BoundForm.Timestamp(_), Literal.Timestamp(_)) =>
        ValueText.print(value, lakeType).filter(usualYear.matches).map(dialect.boundTexts.value)
      case (BoundForm.Text, Literal.Text(text)) if isStorable(text) =>
        Some(dialect.boundTexts.value(text))
      case _ => None
    }

  /** Whether every database takes the text: PostgreSQL has no NUL, and UTF-8 no half characters. */
  private def isStorable(text: String): Boolean =
    text.codePoints.noneMatch { point =>
      point == 0 || point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE
    }
}

private object StatisticsFilter {

  /** How many ranges of values are compared with the bounds of a file. */
  private val MostRanges = 16

  private val usualYear = """\d{4}-[^()]*""".r
}
