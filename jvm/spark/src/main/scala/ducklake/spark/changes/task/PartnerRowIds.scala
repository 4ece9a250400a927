package ducklake.spark.changes.task

import ducklake.spark.changes.ChangeSide
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.read.SharedReads
import org.apache.hadoop.conf.Configuration

/** Finds the row ids that may be the other images of updated rows. One for each task. */
private[changes] final class PartnerRowIds(
    spec: FeedSpec,
    conf: Option[Configuration],
    layout: BatchLayout,
) {

  // The parts of a task are mostly changed by the same snapshots, so the last answers are kept.
  private var last: Map[ChangeSide, (Partners, RowIdsBySnapshot)] = Map.empty

  /** The row ids on the other side of these changes; None when there are no partners. */
  def of(side: ChangeSide, partners: Partners): Option[RowIdsBySnapshot] =
    if (partners.isEmpty) None
    else
      last.get(side) match {
        case Some((lastPartners, found)) if lastPartners == partners => Some(found)
        case _ =>
          val found = read(opposite(side), partners)
          last = last.updated(side, (partners, found))
          Some(found)
      }

  private def read(side: ChangeSide, partners: Partners): RowIdsBySnapshot = {
    val keys = partners.files.toVector.map(CachedPartner(spec.id, _, side))
    val fileKeys = partners.files.toVector.zip(partners.keys).toMap
    def file(partner: CachedPartner): ChangedFile =
      spec.partners(partner.file).under(fileKeys(partner.file))
    // Tasks read the delete files of a file together; only one of them reads its row ids.
    def readDeletes(partner: CachedPartner): Unit =
      FileDeletes.of(spec.id, file(partner), settings): Unit
    val inFiles = PartnerRowIds.shared.all(keys, readDeletes)(key => ofFile(file(key), side))
    val inlined = if (partners.hasInlined) spec.inlinedRowIds.get(side).toVector else Vector.empty
    RowIdsBySnapshot.union(inFiles ++ inlined, partners.first, partners.last)
  }

  private def settings: Configuration =
    conf.getOrElse(throw new IllegalStateException("no settings to read files with"))

  private def ofFile(file: ChangedFile, side: ChangeSide): RowIdsBySnapshot = {
    val read = spec.read.copy(columns = Vector.empty, predicates = Vector.empty)
    val found = new RowIdsBySnapshot
    val reader =
      new ChangedRowReader(
        file,
        Vector(side),
        read,
        spec.range,
        spec.id,
        wantsRowIds = true,
        settings,
        layout,
      )
    val cursor = found.cursor
    try Iterator.continually(reader.next()).takeWhile(_.nonEmpty).flatten.foreach(add(_, cursor))
    finally reader.close()
    found
  }

  private def add(batch: SideBatch, found: RowIdsBySnapshot.Cursor): Unit =
    batch.rowIds.foreach { rowIds =>
      // A plain loop: it runs once for every row that a snapshot changed.
      var row = 0
      while (row < batch.rows.numRows()) {
        found.add(batch.snapshots(row), rowIds.getLong(row))
        row += 1
      }
    }

  private def opposite(side: ChangeSide): ChangeSide = side match {
    case ChangeSide.Insertion => ChangeSide.Deletion
    case ChangeSide.Deletion => ChangeSide.Insertion
  }
}

/** One side of a partner file of one scan. */
private[changes] final case class CachedPartner(scan: String, file: Int, side: ChangeSide)

private[changes] object PartnerRowIds {

  /** The row ids of files; the tasks of an executor read a file once. */
  private val shared =
    new SharedReads[CachedPartner, RowIdsBySnapshot](SharedReads.ShareOfMemory)(_.sizeBytes)
}
