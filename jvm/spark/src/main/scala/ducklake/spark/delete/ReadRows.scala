package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.KnownDeletes
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.PredicateColumns
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId

/** The rows that a serializable statement has read, given by its conditions. As for a scan, bounds
  * and partition values decide which data files may have these rows (decision 25).
  *
  * @param base the snapshot at which they were read
  * @param conditions of each read; a row that was read meets all predicates of one of them
  * @param mindsDeletes whether rows deleted by others count: a MERGE also depends on rows that it
  *   does not change
  */
final class ReadRows(
    val table: LakeTable,
    base: LakeSnapshot,
    conditions: Vector[Vector[Predicate]],
    mindsDeletes: Boolean,
) {
  import ReadRows.*

  /** The assertion that the rows up to a snapshot were looked at. */
  def seen(at: LakeSnapshot): Operation.AssertRowsSeen =
    Operation.AssertRowsSeen(table, at.snapshot, mindsDeletes, conditions.distinct)

  /** Checks that a statement that began at `head` would read the same rows.
    *
    * Errors: CommitConflict.
    */
  def check(head: LakeSnapshot): Unit =
    if (head.snapshot.id.value > base.snapshot.id.value)
      conditions.distinct.foreach { predicates =>
        val now = found(head, predicates)
        if (now.hasNewRows) refuse("added rows that may match its condition")
        if (mindsDeletes && !now.hasAll(found(base, predicates)))
          refuse("deleted rows that it may have read, or compacted their files,")
      }

  private def found(at: LakeSnapshot, predicates: Vector[Predicate]): Found = {
    val columns = predicates.flatMap(PredicateColumns.of).toSet
    val inlined = new MatchingRows(predicates, table.columns.filter(c => columns(c.id)), base)
    val request = InlinedRequest(inlined.columns, None, inlined)
    val files = at.files(table, FileRequest(predicates, Set.empty, Some(request))).files
    val isNew = files.exists(_.last.value > base.snapshot.id.value)
    Found(
      files.map(file => file.id -> KnownDeletes.of(file)).toMap,
      inlined.rowIds,
      isNew || inlined.hasNewRow,
    )
  }

  private def refuse(did: String): Nothing =
    throw new LakeException(
      LakeError.CommitConflict(
        s"it wants to change rows of ${table.qualifiedName}, whose isolation level is serializable, and " +
          s"another commit $did since it began"
      )
    )
}

private object ReadRows {

  /** The rows that may match a condition.
    *
    * @param inlined row ids of matching inlined rows that existed at the base
    * @param hasNewRows whether there may be rows from after the base. A rewritten file counts,
    *   because it may have some
    */
  final case class Found(
      files: Map[DataFileId, KnownDeletes],
      inlined: Set[Long],
      hasNewRows: Boolean,
  ) {

    /** Whether all files and inlined rows of the other are here, with the same deletes. */
    def hasAll(other: Found): Boolean =
      other.files.forall { case (file, deletes) => files.get(file).contains(deletes) } &&
        other.inlined.subsetOf(inlined)
  }

  /** Tests inlined rows while they are read.
    *
    * @param columns the columns of the rows' values
    */
  final class MatchingRows(
      predicates: Vector[Predicate],
      val columns: Vector[Column],
      base: LakeSnapshot,
  ) extends InlinedReceiver {
    private val found = Set.newBuilder[Long]
    private var isNew = false

    def begin(): Unit = {
      found.clear()
      isNew = false
    }

    def add(row: InlinedRow): Unit = {
      val values = columns.map(_.id).zip(row.values).toMap
      if (predicates.forall(StatsPruning.mayMatchRow(_, values.get)))
        if (row.begin.value > base.snapshot.id.value) isNew = true
        else found += row.rowId
    }

    def rowIds: Set[Long] = found.result()

    def hasNewRow: Boolean = isNew
  }
}
