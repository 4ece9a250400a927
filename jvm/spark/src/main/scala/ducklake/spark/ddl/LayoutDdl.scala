package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.LayoutChange
import ducklake.catalog.change.SchemaChange
import ducklake.catalog.change.ShapeDraft
import ducklake.catalog.change.SortChange
import ducklake.catalog.change.TableShape
import ducklake.catalog.model.LakeTable
import ducklake.spark.SessionLake
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException

/** Changes of a table that Spark's own words do not say: keys, sort orders, NOT NULL. */
final class LayoutDdl(session: SessionLake) {

  private val tables = new TableDdl(session)

  /** By no key: not partitioned any more. */
  def partition(table: TableName, keys: Vector[LayoutChange.By]): Unit =
    changed(table) { (base, lakeTable, draft) =>
      val counts = base.counts(lakeTable)
      val isEmpty = counts.isExact && counts.liveRows == 0
      LayoutChange.set(draft, keys, if (isEmpty) LayoutChange.Rows.None else LayoutChange.Rows.Some)
    }

  /** By no column: not sorted any more. */
  def sort(table: TableName, by: Vector[SortChange.By]): Unit =
    changed(table)((_, _, draft) => SortChange.set(draft, by))

  def setNotNull(table: TableName, column: String): Unit =
    changed(table) { (base, lakeTable, draft) =>
      NotNull.set(draft, base, lakeTable, Vector(column))
    }

  private def changed(name: TableName)(
      change: (LakeSnapshot, LakeTable, ShapeDraft) => SchemaChange.Result
  ): Unit = {
    val (base, table) = session
      .writableIfAny()
      .flatMap(base => name.find(base).map((base, _)))
      .getOrElse(throw new NoSuchTableException(name.identifier))
    val shape = TableShape.of(table)
    val draft = ShapeDraft(table.qualifiedName, shape, base.nextColumnId(table))
    tables.change(base, table, change(base, table, draft).fold(SparkErrors.raise, _.shape))
  }
}
