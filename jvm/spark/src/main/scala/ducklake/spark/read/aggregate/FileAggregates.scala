package ducklake.spark.read.aggregate

import ducklake.catalog.listing.FileFacts
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.PredicateColumns
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.spark.session.TableAtSnapshot

import scala.collection.mutable

/** One value for each group of rows. */
private[read] sealed trait FileAggregate

private[read] object FileAggregate {
  case object Rows extends FileAggregate
  final case class Values(column: Column) extends FileAggregate
  final case class Least(column: Column, lakeType: LakeType.Primitive) extends FileAggregate
  final case class Greatest(column: Column, lakeType: LakeType.Primitive) extends FileAggregate
}

/** Aggregates over files whose rows all meet the filters and lie in one group each, file by file,
  * from one listing.
  *
  * @param groups the columns by which rows are grouped
  */
private[read] final class FileAggregates(
    groups: Vector[(Column, LakeType.Primitive)],
    functions: Vector[FileAggregate],
) {
  import FileAggregate.*

  /** The rows of the answer: the values of the groups, then the aggregates. None when rows of files
    * or inlined rows must be looked at.
    *
    * @param predicates are true for exactly the rows that count
    */
  def rows(
      table: TableAtSnapshot,
      predicates: Vector[Predicate],
  ): Option[Vector[Vector[Literal]]] = {
    val filtered = predicates.flatMap(PredicateColumns.of).toSet
    val inlined =
      new AnyInlinedRow(predicates, table.table.columns.filter(column => filtered(column.id)))
    val request = FileRequest(
      predicates,
      Set.empty,
      Some(inlined.request),
      asksFullMatches = true,
      PartitionValues.LeftOut,
      bounds = columns,
    )
    val listing = table.snapshot.files(table.table, request)
    if (inlined.isFound || !listing.files.forall(file => listing.fullMatches(file.id))) None
    else answer(listing)
  }

  private def columns: Set[ColumnId] =
    groups.map(_._1.id).toSet ++ functions.collect {
      case Values(column) => column.id
      case Least(column, _) => column.id
      case Greatest(column, _) => column.id
    }

  /** A loop over the files, of which there may be a million: only a row for each group is held. */
  private def answer(listing: FileListing): Option[Vector[Vector[Literal]]] = {
    val found = mutable.LinkedHashMap.empty[Vector[Literal], Vector[Literal]]
    if (groups.isEmpty) found(Vector.empty) = functions.map(start)
    val isDecided = listing.files.forall { file =>
      lazy val bounds = listing.bounds.of(file.id)
      val known = new FileFacts(file, bounds.get(_))
      known.rows.contains(0L) || add(known, found)
    }
    Option.when(isDecided)(found.iterator.map { case (key, values) => key ++ values }.toVector)
  }

  /** Adds a file to its group. False when something of the file is not known. */
  private def add(
      file: FileFacts,
      found: mutable.Map[Vector[Literal], Vector[Literal]],
  ): Boolean = {
    val group = for {
      _ <- file.rows
      key <- all(groups.map { case (column, kind) => file.only(column.id, kind) })
      before = found.getOrElse(key, functions.map(start))
      after <- all(functions.zip(before).map { case (of, value) => next(of, value, file) })
    } yield key -> after
    group.foreach { case (key, after) => found(key) = after }
    group.isDefined
  }

  /** The value over no rows. */
  private def start(function: FileAggregate): Literal = function match {
    case Rows | Values(_) => Literal.Integral(0L)
    case Least(_, _) | Greatest(_, _) => Literal.Null
  }

  /** The value over the rows before and those of a file. */
  private def next(function: FileAggregate, before: Literal, file: FileFacts): Option[Literal] =
    function match {
      case Rows => file.rows.map(plus(before, _))
      case Values(column) =>
        for {
          rows <- file.rows
          nulls <- file.nulls(column.id)
        } yield plus(before, rows - nulls)
      case Least(column, kind) =>
        for {
          order <- LiteralOrder.of(kind)
          bound <- file.min(column.id, kind)
        } yield first(order, before, bound)
      case Greatest(column, kind) =>
        for {
          order <- LiteralOrder.of(kind)
          bound <- file.max(column.id, kind)
        } yield first(order.reverse, before, bound)
    }

  private def plus(sum: Literal, count: Long): Literal = sum match {
    case Literal.Integral(before) => Literal.Integral(before + count)
    case other => throw new IllegalStateException(s"$other is no count")
  }

  private def first(order: Ordering[Literal], one: Literal, other: Literal): Literal =
    if (one == Literal.Null) other
    else if (other == Literal.Null) one
    else order.min(one, other)

  private def all[A](parts: Vector[Option[A]]): Option[Vector[A]] =
    Option.when(parts.forall(_.isDefined))(parts.flatten)
}

/** Whether an inlined row may meet all predicates.
  *
  * @param columns the columns that the predicates test
  */
private final class AnyInlinedRow(predicates: Vector[Predicate], columns: Vector[Column])
    extends InlinedReceiver {

  var isFound: Boolean = false

  def request: InlinedRequest = InlinedRequest(columns, None, this)

  def begin(): Unit = isFound = false

  def add(row: InlinedRow): Unit = {
    def values = columns.map(_.id).zip(row.values).toMap
    isFound = isFound || predicates.forall(StatsPruning.mayMatchRow(_, values.get))
  }
}
