package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.predicate.StrictMetricsEvaluator
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.types.HiddenNames
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.connector.expressions.filter

/** The rows for which all filters are true, as far as the catalog alone decides, from one listing.
  *
  * @param whole data files whose rows all match, so that they are ended without being read
  * @param isPruned whether the listing considered the file and found that no row of it matches
  * @param inlined row ids of the inlined rows that match. None when rows must be searched: some
  *   inlined rows cannot be decided, or other data files may hold rows that match
  */
private[delete] final case class CatalogMatches(
    whole: Vector[DataFile],
    isPruned: DataFileId => Boolean,
    inlined: Option[Array[Long]],
)

private[delete] object CatalogMatches {

  /** None when the catalog cannot decide one of the filters. Of CHAR columns it decides none, for it
    * has the texts without the spaces that Spark compares.
    */
  def of(
      base: LakeSnapshot,
      table: LakeTable,
      filters: Vector[filter.Predicate],
  ): Option[CatalogMatches] = {
    val predicates = onStored(table, filters).flatMap(new SparkPredicates(table.columns).exact(_))
    Option.when(filters.nonEmpty && predicates.length == filters.length) {
      val columns = columnsOf(table, filters)
      val matching = new MatchingRows(predicates, columns.map(_.id))
      val inlined = InlinedRequest(columns, None, matching)
      val request = FileRequest(
        predicates,
        Set.empty,
        Some(inlined),
        asksFullMatches = true,
        PartitionValues.LeftOut,
      )
      of(base.files(table, request), matching)
    }
  }

  private def of(listing: FileListing, matching: MatchingRows): CatalogMatches = {
    val whole =
      listing.files.filter(file =>
        DeleteOperationBuilder.mayEnd(file) && listing.fullMatches(file.id)
      )
    val inlined = if (whole.length == listing.files.length) matching.rowIds else None
    CatalogMatches(whole, listing.isPruned, inlined)
  }

  /** Collects the row ids of matching rows while the rows are read.
    *
    * @param columns the ids of the rows' columns
    */
  private final class MatchingRows(predicates: Vector[Predicate], columns: Vector[ColumnId])
      extends InlinedReceiver {
    private val found = Array.newBuilder[Long]
    private var isSure = true

    def begin(): Unit = {
      found.clear()
      isSure = true
    }

    def add(row: InlinedRow): Unit = if (isSure) {
      val values = columns.zip(row.values).toMap
      if (predicates.forall(StatsPruning.mayMatchRow(_, values.get))) {
        isSure = predicates.forall(StrictMetricsEvaluator.rowMatches(_, values.get))
        found += row.rowId
      }
    }

    /** None when some row cannot be decided. */
    def rowIds: Option[Array[Long]] = Option.when(isSure)(found.result())
  }

  /** The filters whose columns Spark compares as they are stored. */
  def onStored(table: LakeTable, filters: Vector[filter.Predicate]): Vector[filter.Predicate] = {
    val lengths = TextLengths.of(table.tags)
    filters.filterNot(one => columnsOf(table, Vector(one)).exists(lengths.arePadded))
  }

  /** Top-level columns that the filters name. */
  private def columnsOf(table: LakeTable, filters: Vector[filter.Predicate]): Vector[Column] = {
    val names = filters.flatMap(_.references()).flatMap(_.fieldNames().headOption)
    names.flatMap(HiddenNames.ownColumn(table.columns, _)).distinct
  }
}
