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
      columns,
      Some(inlined.request),
      asksFullMatches = true,
      PartitionValues.LeftOut,
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

  private def answer(listing: FileListing): Option[Vector[Vector[Literal]]] = {
    val files = listing.files.map { file =>
      new FileFacts(file, listing.statistics.getOrElse(file.id, Map.empty).get)
    }
    val live = files.filterNot(_.rows.contains(0L))
    val keys = live.map { file =>
      file.rows.flatMap(_ => all(groups.map { case (column, kind) => file.only(column.id, kind) }))
    }
    all(keys).flatMap { known =>
      val found = known.zip(live).groupMap(_._1)(_._2).toVector
      val grouped =
        if (groups.isEmpty && found.isEmpty) Vector(Vector.empty -> Vector.empty) else found
      all(grouped.map { case (key, of) => all(functions.map(value(of, _))).map(key ++ _) })
    }
  }

  private def value(files: Vector[FileFacts], function: FileAggregate): Option[Literal] =
    function match {
      case Rows => sum(files)(_.rows)
      case Values(column) =>
        sum(files)(file => file.rows.flatMap(rows => file.nulls(column.id).map(rows - _)))
      case Least(column, kind) => best(files, kind, 1)(_.min(column.id, kind))
      case Greatest(column, kind) => best(files, kind, -1)(_.max(column.id, kind))
    }

  private def sum(files: Vector[FileFacts])(count: FileFacts => Option[Long]): Option[Literal] =
    all(files.map(count)).map(counts => Literal.Integral(counts.sum))

  /** @param sign 1 for the least, -1 for the greatest */
  private def best(files: Vector[FileFacts], kind: LakeType.Primitive, sign: Int)(
      bound: FileFacts => Option[Literal]
  ): Option[Literal] =
    for {
      order <- LiteralOrder.of(kind)
      bounds <- all(files.map(bound))
    } yield bounds
      .filterNot(_ == Literal.Null)
      .minOption(if (sign > 0) order else order.reverse)
      .getOrElse(Literal.Null)

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
