package ducklake.spark.definition

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal

/** SET NOT NULL on a column of a table that may have rows. */
object NotNull {

  /** Sets NOT NULL. Errors: InvalidChange when the column may have NULLs. NULLs in deleted rows
    * count too, because the catalog does not record which rows of a file have NULLs.
    */
  def set(
      draft: TableDraft,
      base: LakeSnapshot,
      table: LakeTable,
      path: Vector[String],
  ): SchemaChange.Result =
    path match {
      case Vector(name) =>
        val action = s"set NOT NULL on column `$name` of ${draft.table}"
        SchemaChange.column(draft, path) match {
          case Some(column) if !column.nullsAllowed => Right(draft)
          case Some(column) =>
            problem(base, table, column) match {
              case Some(why) => Left(LakeError.InvalidChange(action, why))
              case None => SchemaChange.setNotNull(draft, name)
            }
          case None => SchemaChange.setNotNull(draft, name)
        }
      case _ =>
        val action = s"set NOT NULL on column `${path.mkString(".")}` of ${draft.table}"
        Left(LakeError.InvalidChange(action, "DuckLake knows NOT NULL for whole columns only"))
    }

  private def problem(base: LakeSnapshot, table: LakeTable, column: Column): Option[String] =
    table.columns.find(_.id == column.id).flatMap { stored =>
      val nulls = new NullSearch
      val inlined = InlinedRequest(Vector(stored), None, nulls)
      // The packed statistics of the table leave out files without NULL, which are most files.
      val wanted =
        if (stored.children.isEmpty) Vector(Predicate.IsNull(stored.id)) else Vector.empty
      val listing = base.files(table, FileRequest(wanted, Set(stored.id), Some(inlined)))
      val counts = nullCounts(listing, stored)
      if (nulls.found || counts.flatten.exists(_ > 0))
        Some("it has NULLs")
      else if (counts.exists(_.isEmpty)) Some("a file does not say whether it has NULLs")
      else None
    }

  /** Whether the first value of some inlined row is NULL. */
  private final class NullSearch extends InlinedReceiver {
    var found = false // set while rows are read

    def begin(): Unit = found = false

    def add(row: InlinedRow): Unit = if (row.values.head == Literal.Null) found = true
  }

  /** The number of NULLs in each listed file; None when it is not known. */
  private def nullCounts(listing: FileListing, column: Column): Vector[Option[Long]] =
    listing.files.map { file =>
      listing.statistics.get(file.id).flatMap(_.get(column.id)).flatMap(_.nullCount)
    }
}
