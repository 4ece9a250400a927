package ducklake.catalog.read.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.model.SortSpec
import ducklake.catalog.partition.TransformText
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.SchemaSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.TableId

/** Reads the columns, the partition spec and the sort order of one table at a snapshot, each with
  * one statement.
  */
private[schema] final class TableDetails(
    session: Session,
    sql: SchemaSql,
    head: CatalogHead,
    table: TableId,
) {

  lazy val columns: Vector[Column] = {
    val rows = session.query(sql.columns(table, head.snapshot.id))(ColumnRowReader.decode)
    if (rows.isEmpty) throw corrupt("it has no columns")
    val comments = session.query(sql.columnComments(table, head.snapshot.id)) { row =>
      row.textOption(2).map(row.long(1) -> _)
    }
    ColumnRowReader.tree(rows, comments.flatten.toMap)
  }

  /** None for a table that is not partitioned, or whose partitioning was reset. */
  def partition: Option[PartitionSpec] = {
    val rows = session.query(sql.partition(table, head.snapshot.id)) { row =>
      val key = for {
        index <- row.intOption(2)
        column <- row.longOption(3)
        transform <- row.textOption(4)
      } yield PartitionKey(index, keyColumn(column), this.transform(transform))
      (PartitionId(row.long(1)), key, row.long(5) > 0)
    }
    val keys = rows.collect { case (id, Some(key), isChanged) => (id, key, isChanged) }
    keys.headOption.map { case (id, _, _) =>
      val own = keys.filter(_._1 == id)
      val changed = own.filter { case (_, _, isChanged) => isChanged || !keysHaveIds }
      PartitionSpec(id, own.map(_._2), changed.map(_._2.column).toSet)
    }
  }

  /** Whether partition keys name their columns by id. Where they do not, the statement reports
    * changes of other columns, so every key counts as changed.
    */
  private def keysHaveIds: Boolean = head.version.hasPartitionFieldIds

  def sort: Option[SortSpec] =
    if (!head.version.hasSortKeys) None
    else {
      val rows = session.query(sql.sort(table, head.snapshot.id)) { row =>
        val direction =
          if (row.textOption(4).contains("DESC")) SortDirection.Descending
          else SortDirection.Ascending
        val nulls =
          if (row.textOption(5).contains("NULLS_FIRST")) NullOrder.First else NullOrder.Last
        row.long(1) -> SortKey(row.text(2), row.textOption(3).getOrElse(""), direction, nulls)
      }
      rows.headOption.map { case (id, _) => SortSpec(id, rows.map(_._2)) }
    }

  /** In catalogs of 0.1 a key names its column by position. */
  private def keyColumn(stored: Long): ColumnId =
    if (keysHaveIds) ColumnId(stored)
    else
      Option
        .when(stored.isValidInt)(stored.toInt)
        .flatMap(columns.lift)
        .map(_.id)
        .getOrElse(throw corrupt(s"no column $stored"))

  private def transform(text: String) =
    TransformText.parse(text).getOrElse(throw corrupt(s"unknown partition transform `$text`"))

  private def corrupt(why: String): LakeException =
    new LakeException(LakeError.CorruptCatalog(s"table ${table.value}", why))
}
