package ducklake.spark.changes

import ducklake.spark.parquet.read.BatchLayout
import org.apache.hadoop.conf.Configuration

import java.lang.ref.SoftReference
import java.util.LinkedHashMap as JavaMap

/** Finds the row ids that may be the other images of updated rows. One for each task. */
private[changes] final class PartnerRowIds(
    spec: FeedSpec,
    conf: Option[Configuration],
    layout: BatchLayout,
) {

  // The parts of a task are mostly changed by the same snapshots, so the last answer is kept.
  private var last: Option[(ChangeSide, Partners, RowIdsBySnapshot)] = None

  /** The row ids on the other side of these changes; None when there are no partners. */
  def of(side: ChangeSide, partners: Partners): Option[RowIdsBySnapshot] =
    if (partners.isEmpty) None
    else
      last match {
        case Some((lastSide, lastPartners, found))
            if lastSide == side && lastPartners == partners =>
          Some(found)
        case _ =>
          val found = read(opposite(side), partners)
          last = Some((side, partners, found))
          Some(found)
      }

  private def read(side: ChangeSide, partners: Partners): RowIdsBySnapshot = {
    val all = new RowIdsBySnapshot
    partners.files.foreach { index =>
      all.addAll(PartnerRowIds.cached(CachedPartner(spec.id, index, side))(ofFile(index, side)))
    }
    if (partners.hasInlined) spec.inlinedRowIds.get(side).foreach(all.addAll)
    all
  }

  private def ofFile(index: Int, side: ChangeSide): RowIdsBySnapshot = {
    val settings = conf.getOrElse(throw new IllegalStateException("no settings to read files with"))
    val read = spec.read.copy(columns = Vector.empty, predicates = Vector.empty)
    val file = spec.partners(index)
    val found = new RowIdsBySnapshot
    val reader =
      new SideReader(file, side, read, spec.range, wantsRowIds = true, settings, layout)
    try Iterator.continually(reader.next()).takeWhile(_.nonEmpty).flatten.foreach(add(_, found))
    finally reader.close()
    found
  }

  private def add(batch: SideBatch, found: RowIdsBySnapshot): Unit =
    batch.rowIds.foreach { rowIds =>
      (0 until batch.rows.numRows()).foreach { row =>
        found.add(batch.snapshots(row), rowIds.getLong(row))
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

  private val maxFiles = 1024

  private final class Entry {
    private var held: SoftReference[RowIdsBySnapshot] = new SoftReference(new RowIdsBySnapshot)
    private var isLoaded = false

    def rowIds(load: => RowIdsBySnapshot): RowIdsBySnapshot = synchronized {
      Option(held.get).filter(_ => isLoaded).getOrElse {
        val loaded = load
        held = new SoftReference(loaded)
        isLoaded = true
        loaded
      }
    }
  }

  private val entries = new JavaMap[CachedPartner, Entry](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[CachedPartner, Entry]): Boolean =
      size > maxFiles
  }

  /** The row ids of a file; the tasks of an executor read a file once. */
  private def cached(key: CachedPartner)(load: => RowIdsBySnapshot): RowIdsBySnapshot = {
    val entry = entries.synchronized(entries.computeIfAbsent(key, _ => new Entry))
    entry.rowIds(load)
  }
}
