package ducklake.catalog.listing

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.bound.ExactBounds
import ducklake.catalog.types.text.ValueText

/** What the catalog knows exactly about the rows of a file that a scan returns. None stands for not
  * known.
  *
  * @param statistics of all rows of the file
  */
final class FileFacts(
    file: DataFile,
    statistics: ColumnId => Option[ColumnStatistics],
) {

  /** The number of rows. The number of deletes in a delete file may count rows twice, or rows that
    * only later snapshots deleted.
    */
  val rows: Option[Long] =
    Option.when(file.visibility == RowVisibility.All && file.deleteFiles.isEmpty) {
      file.recordCount - file.inlinedDeletes.size
    }

  /** Whether the statistics describe exactly the rows that are returned. */
  private val isWhole: Boolean = rows.contains(file.recordCount)

  def nulls(column: ColumnId): Option[Long] =
    known(column).flatMap(_.nullCount).filter(count => count == 0 || isWhole)

  /** The least value; NULL when there is none. */
  def min(column: ColumnId, lakeType: LakeType.Primitive): Option[Literal] =
    exact(column)(stats => ExactBounds.min(stats.min, lakeType))

  /** The greatest value, likewise. */
  def max(column: ColumnId, lakeType: LakeType.Primitive): Option[Literal] =
    exact(column)(stats => ExactBounds.max(stats.max, stats.containsNan, lakeType))

  /** The only value of the column, which may be NULL. A value that a registered file has from its
    * path is one.
    */
  def only(column: ColumnId, lakeType: LakeType.Primitive): Option[Literal] =
    if (TypeTraits.haveExactBounds(lakeType) && TypeTraits.of(lakeType).hasOneText)
      file.constants.get(column).orElse(proven(column, lakeType))
    else None

  private def proven(column: ColumnId, lakeType: LakeType.Primitive): Option[Literal] =
    known(column).flatMap(ProvenValue.byStatistics(Transform.Identity, lakeType, _)).flatMap {
      case None => Some(Literal.Null)
      case Some(text) => ValueText.parseStatistic(text, lakeType)
    }

  private def exact(column: ColumnId)(bound: ColumnStatistics => Option[Literal]): Option[Literal] =
    known(column).filter(_ => isWhole).flatMap { stats =>
      if (stats.nullCount.contains(file.recordCount)) Some(Literal.Null) else bound(stats)
    }

  private def known(column: ColumnId): Option[ColumnStatistics] =
    Option.when(file.provesRows)(column).flatMap(statistics)
}
