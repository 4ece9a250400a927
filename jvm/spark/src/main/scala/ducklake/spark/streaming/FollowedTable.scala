package ducklake.spark.streaming

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.TableAtSnapshot

import java.time.Instant

/** The table of a stream, which must stay the same table of the same lake.
  *
  * @param at the table as it was when the stream was made, with the columns of the stream
  */
private[streaming] final class FollowedTable(at: TableAtSnapshot) {
  private val table = at.table
  private val lake = at.session.lake

  if (at.session.config.pin.isDefined)
    SparkErrors.raise(
      LakeError.Unsupported(
        s"A stream of ${at.name} in a catalog that is pinned to a snapshot",
        "Leave out `snapshot-version` and `snapshot-time`; `start-snapshot` says where to begin.",
      )
    )

  /** The newest snapshot. Errors: StreamCannotContinue. */
  def newest(): LakeSnapshot =
    at.session
      .committed()
      .getOrElse(fail("there is no lake at its address any more", FollowedTable.Anew))

  /** The snapshot with which a batch ends. Errors: StreamCannotContinue. */
  def snapshot(end: ReadSnapshot): LakeSnapshot =
    existing(end, s"its next batch was to end with snapshot ${end.id.value}")

  /** The snapshot of which a part was read. Errors: StreamCannotContinue. */
  def divided(part: ReadPart): LakeSnapshot =
    existing(part.of, s"it has read a part of snapshot ${part.of.id.value}")

  private def existing(read: ReadSnapshot, use: String): LakeSnapshot =
    if (has(read.id)) {
      val found = lake.at(read.id)
      requireSame(read, found.snapshot.time)
      found
    } else {
      requireReached(read, newest().snapshot)
      fail(s"$use, which has expired since", FollowedTable.Anew)
    }

  /** Whether the lake still has the snapshot. */
  def has(id: SnapshotId): Boolean = lake.timeOf(id).nonEmpty

  /** Checks that the table can be read from an offset on up to a snapshot.
    *
    * Errors: StreamCannotContinue.
    */
  def check(from: SnapshotOffset, until: LakeSnapshot): Unit = {
    if (from.table != table.uuid)
      fail(
        "the checkpoint was written for another table: this one has the same name and was made " +
          "later, or the stream was changed",
        FollowedTable.Anew,
      )
    from.read.foreach(requireLake(_, until.snapshot))
    from.part.foreach(part => requireLake(part.of, until.snapshot))
    requireTable(until)
  }

  private def requireLake(read: ReadSnapshot, until: Snapshot): Unit =
    if (read.id == until.id) requireSame(read, until.time)
    else {
      requireReached(read, until)
      lake.timeOf(read.id).foreach(requireSame(read, _))
    }

  private def requireReached(read: ReadSnapshot, newest: Snapshot): Unit =
    if (read.id.value > newest.id.value)
      fail(
        s"its checkpoint names snapshot ${read.id.value}, and the newest snapshot is " +
          s"${newest.id.value}: ${FollowedTable.AnotherLake}",
        FollowedTable.Anew,
      )

  private def requireSame(read: ReadSnapshot, found: Instant): Unit =
    read.time.filter(_ != found).foreach { time =>
      fail(
        s"its checkpoint names snapshot ${read.id.value} of $time, and the lake's snapshot " +
          s"${read.id.value} is of $found: ${FollowedTable.AnotherLake}",
        FollowedTable.Anew,
      )
    }

  /** The stream has the columns of the moment of its creation. Later snapshots must have the same
    * columns; earlier ones are read with these columns.
    */
  private def requireTable(until: LakeSnapshot): Unit =
    if (until.snapshot.id.value > at.snapshot.snapshot.id.value)
      until.table(table.schema.path, table.name) match {
        case Some(found) if found.id == table.id => requireColumns(found, until.snapshot.id)
        case Some(_) =>
          fail("the table was dropped, and another one has its name now", FollowedTable.Anew)
        case None =>
          until.tableName(table.id) match {
            case Some(name) =>
              val why = s"the table was renamed to ${at.session.name}.$name"
              fail(why, "Start the stream again under that name; it goes on where it stopped.")
            case None => fail("the table was dropped", "End the stream.")
          }
      }

  private def requireColumns(found: LakeTable, snapshot: SnapshotId): Unit =
    if (FollowedTable.shape(found.columns) != FollowedTable.shape(table.columns))
      fail(
        "the columns of the table have changed since the stream was made; at snapshot " +
          s"${snapshot.value} they are ${found.columns.map(_.name).mkString("`", "`, `", "`")}",
        "Make the stream again, with the same checkpoint: it goes on where it stopped, with the " +
          "new columns.",
      )

  /** Fails, because changes have expired that the stream has not read.
    *
    * @param reader the name of the stream as a reader
    */
  def expired(changes: LakeError.ChangesExpired, reader: Option[String]): Nothing =
    fail(
      s"snapshot ${changes.expired} has expired, and with it changes that the stream has not read",
      s"Its reader${reader.fold("")(name => s" `$name`")} was not in `system.readers`, or has not " +
        "registered within `reader-retention`, or DuckDB has expired the snapshot. Start a new " +
        s"stream, with another checkpoint, from `start-snapshot` ${changes.first} on.",
    )

  def fail(why: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.StreamCannotContinue(at.name, why, hint))
}

private[streaming] object FollowedTable {
  private val Anew = "Start a new stream, with another checkpoint."

  private val AnotherLake =
    "the lake was restored from a copy, or another lake is at its address"

  /** The properties of columns that must stay the same for a stream; a default may change. */
  private def shape(columns: Vector[Column]): Vector[Any] =
    columns.map { column =>
      (column.id, column.name, column.dataType, column.nullsAllowed, shape(column.children))
    }
}
