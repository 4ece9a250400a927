package ducklake.spark.moving.out.delta

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.spark.moving.out.ExportedColumn
import ducklake.spark.moving.out.ExportedTable
import ducklake.spark.moving.out.PhysicalNames
import ducklake.spark.moving.out.FileShape

/** How readers of Delta find columns in data files.
  *
  * Source: Delta's protocol, "Column Mapping".
  */
sealed trait ColumnMapping

object ColumnMapping {

  /** By the names of the columns. */
  case object Plain extends ColumnMapping

  /** By a physical name, which is that of all files. */
  case object ByName extends ColumnMapping

  /** By field ids. Some readers do not know it and read NULL in all columns. */
  case object ById extends ColumnMapping
}

/** How a table of Delta shows a table of the lake.
  *
  * @param physical the names of columns in files, for those that have names
  * @param widened the types that a column has in older files, for columns with such files
  * @param refused what Delta cannot show: parts of a sentence
  */
private[delta] final case class DeltaPlan(
    mapping: ColumnMapping,
    physical: Map[ColumnId, String],
    widened: Map[ColumnId, Vector[String]],
    types: Set[String],
    refused: Vector[String],
)

private[delta] object DeltaPlan {

  /** @param least the mapping of the table's last version, which no version gives up
    */
  def of(exported: ExportedTable, shapes: Vector[FileShape], least: ColumnMapping): DeltaPlan = {
    val columns = ExportedColumn.all(exported.table.columns)
    val names = new PhysicalNames(shapes)
    val leaves = columns.collect {
      case each @ ExportedColumn(Column(_, _, leaf: LakeType.Primitive, _, _, _, _, _), _, _, _) =>
        each -> leaf
    }
    val found = columns.filter(_.isNamed).map(column => column -> names.of(column))
    val (physical, unnamed) =
      if (least == ColumnMapping.ById) (unused(columns), Vector.empty)
      else
        (
          found.collect { case (column, Right(name)) => column.column.id -> name }.toMap,
          found.collect { case (_, Left(why)) => why },
        )
    val isPlain = columns.filter(_.isNamed).forall { column =>
      physical.get(column.column.id).contains(column.column.name) && isOrdinary(column.column.name)
    }
    val widened = leaves.map { case (column, leaf) =>
      column.column.id -> older(names, column, leaf)
    }
    DeltaPlan(
      if (isPlain || least != ColumnMapping.Plain) least else ColumnMapping.ByName,
      physical,
      widened.toMap.filter(_._2.nonEmpty),
      leaves.flatMap { case (_, leaf) => DeltaTypes.of(leaf) }.toSet,
      exported.refused ++ names.withoutIds ++ unnamed.map(renamed) ++
        columns.flatMap(names.missing) ++
        leaves.flatMap { case (column, leaf) => typeProblem(names, column, leaf) },
    )
  }

  /** Names that no file has: readers by field ids need none. */
  private def unused(columns: Vector[ExportedColumn]): Map[ColumnId, String] =
    columns.filter(_.isNamed).map(each => each.column.id -> s"col-${each.column.id.value}").toMap

  private def renamed(why: String): String =
    s"$why; rewrite the files, or call with column_mapping => 'id' for readers that find columns by id"

  private def typeProblem(
      names: PhysicalNames,
      column: ExportedColumn,
      leaf: LakeType.Primitive,
  ): Option[String] = DeltaTypes.of(leaf) match {
    case None => Some(s"column ${column.text} has the type ${TypeText.print(leaf)}")
    case Some(shown) =>
      names.otherType(column)(DeltaTypes.of(_).exists(fits(_, shown)))
  }

  private def fits(stored: String, shown: String): Boolean =
    stored == shown || DeltaTypes.widens(stored, shown)

  private def older(
      names: PhysicalNames,
      column: ExportedColumn,
      leaf: LakeType.Primitive,
  ): Vector[String] = {
    val shown = DeltaTypes.of(leaf)
    names.types(column).flatten.flatMap(DeltaTypes.of).filterNot(shown.contains).distinct
  }

  /** Delta takes other names only with column mapping. */
  private def isOrdinary(name: String): Boolean = !name.exists(" ,;{}()\n\t=".contains(_))
}
