package ducklake.catalog.read.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.Lifetime
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TypeText

import scala.annotation.tailrec

/** A row of `ducklake_column`: one node of a table's schema during its lifetime. */
private[read] final case class ColumnRow(
    id: Long,
    order: Long,
    name: String,
    typeText: String,
    initialDefault: Option[String],
    default: Option[ColumnDefault],
    nullsAllowed: Boolean,
    parent: Option[Long],
    lifetime: Lifetime,
)

/** Decodes rows of `ducklake_column` and builds column trees from them. */
private[read] object ColumnRowReader {

  /** The most levels of nested columns. Each is a call on the stack of all that goes through them. */
  val MostLevels = 500

  /** Why a column below more levels is refused. */
  val TooDeep: String = s"it is nested more than $MostLevels levels deep"

  /** Decodes a row of `SchemaSql.columns`. */
  def decode(row: Row): ColumnRow = decode(row, None)

  /** Decodes a row of `SchemaSql.columnHistory`. */
  def decodePast(row: Row): ColumnRow = decode(row, row.longOption(12))

  private def decode(row: Row, end: Option[Long]): ColumnRow = ColumnRow(
    id = row.long(1),
    order = row.longOr(2, row.long(1)),
    name = row.text(4),
    typeText = row.text(5),
    initialDefault = row.textOption(6),
    default = default(row.textOption(7), row.textOption(10), row.textOption(11)),
    nullsAllowed = row.booleanOption(8).getOrElse(true),
    parent = row.longOption(9),
    lifetime = Lifetime(SnapshotId(row.long(3)), end.map(SnapshotId(_))),
  )

  /** DuckDB stores the text `NULL` for a column without a default (format 2.4). */
  private def default(
      text: Option[String],
      kind: Option[String],
      dialect: Option[String],
  ): Option[ColumnDefault] = (text, kind) match {
    case (Some(expression), Some("expression")) =>
      Some(ColumnDefault.Expression(expression, dialect))
    case (Some(literal), _) if literal != "NULL" => Some(ColumnDefault.LiteralText(literal))
    case _ => None
  }

  /** Builds the columns from visible rows, in order. Catalogs of 0.2 may have two visible rows for
    * one node; the younger row is used.
    *
    * Errors: CorruptCatalog for a node below a node that is not there, or below itself, and for a
    * nested type without its parts, and for nodes that are nested too deep.
    */
  def tree(rows: Vector[ColumnRow], comments: Map[Long, String]): Vector[Column] = {
    val current = rows.groupBy(_.id).values.map(_.maxBy(_.lifetime.begin.value)).toVector
    val byParent = current.groupBy(_.parent)
    refuseLost(current, byParent)
    def below(parent: Option[Long]): Vector[Column] =
      byParent.getOrElse(parent, Vector.empty).sortBy(row => (row.order, row.id)).map { row =>
        val children = below(Some(row.id))
        val dataType = TypeText.parse(row.typeText)
        if (!hasParts(dataType, children.size))
          refuse(row, s"its type is ${row.typeText}, and it has ${children.size} parts")
        Column(
          id = ColumnId(row.id),
          name = row.name,
          dataType = dataType,
          nullsAllowed = parent.nonEmpty || row.nullsAllowed,
          initialDefault = row.initialDefault,
          default = row.default,
          comment = comments.get(row.id),
          children = children,
        )
      }
    below(None)
  }

  private def refuseLost(
      rows: Vector[ColumnRow],
      byParent: Map[Option[Long], Vector[ColumnRow]],
  ): Unit = {
    @tailrec
    def reached(level: Vector[ColumnRow], number: Int, done: Set[Long]): Set[Long] =
      if (level.isEmpty) done
      else if (number > MostLevels) refuse(level.head, TooDeep)
      else
        reached(
          level.flatMap(row => byParent.getOrElse(Some(row.id), Vector.empty)),
          number + 1,
          done ++ level.map(_.id),
        )
    val found = reached(byParent.getOrElse(None, Vector.empty), 1, Set.empty)
    rows.find(row => !found(row.id)).foreach { lost =>
      refuse(lost, s"its parent column ${lost.parent.fold("")(_.toString)} is not there")
    }
  }

  private def hasParts(dataType: LakeType, count: Int): Boolean = dataType match {
    case LakeType.ListType => count == 1
    case LakeType.MapType => count == 2
    case LakeType.StructType => count > 0
    case _ => true
  }

  private def refuse(row: ColumnRow, why: String): Nothing =
    throw new LakeException(
      LakeError
        .CorruptCatalog(s"column `${row.name}` (ducklake_column, column_id ${row.id})", why)
    )
}
