package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.predicate.StrictMetricsEvaluator
import ducklake.catalog.read.FileListing
import ducklake.catalog.read.FileRequest
import ducklake.catalog.read.InlinedRow
import ducklake.catalog.types.Names
import ducklake.spark.predicate.SparkPredicates
import org.apache.spark.sql.connector.expressions.filter

/** What the catalog alone knows about the rows for which all filters are true, from one listing.
  *
  * @param whole data files whose rows all match, so that they are ended without being read
  * @param isPruned whether the listing considered the file and found that no row of it matches
  * @param inlined row ids of the inlined rows that match. None when rows must be searched: some
  *   inlined rows cannot be decided, or other data files may hold rows that match
  */
private[delete] final case class CatalogMatches(
    whole: Vector[DataFileId],
    isPruned: DataFileId => Boolean,
    inlined: Option[Vector[Long]],
)

private[delete] object CatalogMatches {

  /** None when the catalog cannot decide one of the filters. */
  def of(
      base: LakeSnapshot,
      table: LakeTable,
      filters: Vector[filter.Predicate],
  ): Option[CatalogMatches] = {
    val predicates = filters.flatMap(new SparkPredicates(table.columns).exact(_))
    Option.when(filters.nonEmpty && predicates.length == filters.length) {
      val columns = columnsOf(table, filters)
      val request = FileRequest(predicates, Set.empty, Some(columns), asksFullMatches = true)
      of(base.files(table, request), predicates, columns)
    }
  }

  private def of(
      listing: FileListing,
      predicates: Vector[Predicate],
      columns: Vector[Column],
  ): CatalogMatches = {
    val whole =
      listing.files.filter(file => RowRemoval.mayEnd(file) && listing.fullMatches(file.id))
    val inlined =
      if (whole.length == listing.files.length)
        matchingRows(listing.inlinedRows, predicates, columns)
      else None
    CatalogMatches(whole.map(_.id), listing.isPruned, inlined)
  }

  private def matchingRows(
      rows: Vector[InlinedRow],
      predicates: Vector[Predicate],
      columns: Vector[Column],
  ): Option[Vector[Long]] = {
    val ids = columns.map(_.id)
    val candidates = rows.map(row => row.rowId -> ids.zip(row.values).toMap).filter {
      case (_, values) => predicates.forall(StatsPruning.mayMatchRow(_, values.get))
    }
    val isSure = candidates.forall { case (_, values) =>
      predicates.forall(StrictMetricsEvaluator.rowMatches(_, values.get))
    }
    Option.when(isSure)(candidates.map(_._1))
  }

  /** Top-level columns that the filters name. */
  private def columnsOf(table: LakeTable, filters: Vector[filter.Predicate]): Vector[Column] = {
    val names = filters.flatMap(_.references()).flatMap(_.fieldNames().headOption)
    names.flatMap(Names.find(table.columns, _)(_.name)).distinct
  }
}
