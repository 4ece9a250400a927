package ducklake.spark.moving.iceberg

import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceVersion
import org.apache.iceberg.BaseTable
import org.apache.iceberg.HistoryEntry
import org.apache.iceberg.Snapshot

import java.time.Instant

import scala.jdk.CollectionConverters.ListHasAsScala

/** The snapshots that a table of Iceberg had one after another, each with the schema of its time. One
  * to which the table was rolled back is there once more.
  */
private[iceberg] object IcebergHistory {

  def of(source: BaseTable): SourceHistory = {
    val log = source.history.asScala.toVector
    val kept = log.reverseIterator
      .takeWhile(entry => Option(source.snapshot(entry.snapshotId)).nonEmpty)
      .toVector
      .reverse
    val found = kept.map(entry => version(source, entry))
    SourceHistory.of(found ++ current(source, found.lastOption), begins(source, kept))
  }

  private def version(source: BaseTable, entry: HistoryEntry): SourceVersion = {
    val snapshot = source.snapshot(entry.snapshotId)
    SourceVersion(
      text(snapshot, schemaOf(source, snapshot)),
      s"snapshot ${snapshot.snapshotId}",
      Some(Instant.ofEpochMilli(entry.timestampMillis)),
      Option(snapshot.operation),
    )
  }

  /** A change of columns makes no snapshot, so the metadata does not say when it was made. */
  private def current(source: BaseTable, newest: Option[SourceVersion]): Option[SourceVersion] = {
    val snapshot = Option(source.currentSnapshot)
    val schema = source.operations.current.currentSchemaId
    val version = snapshot.fold(s"none.$schema")(text(_, schema))
    Option.when(!newest.exists(_.version == version)) {
      SourceVersion(version, s"schema $schema", None, None)
    }
  }

  private def text(snapshot: Snapshot, schema: Int): String = s"${snapshot.snapshotId}.$schema"

  /** Tables of the oldest format do not say which schema a snapshot had. */
  private def schemaOf(source: BaseTable, snapshot: Snapshot): Int =
    Option(snapshot.schemaId).fold(source.operations.current.currentSchemaId)(_.intValue)

  private def begins(source: BaseTable, kept: Vector[HistoryEntry]): Option[String] =
    kept.headOption
      .flatMap(entry => Option(source.snapshot(entry.snapshotId).parentId))
      .map(id => s"snapshot $id, which is before it, has expired")
}
