package ducklake.spark.procedures.upkeep

import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.types.SnapshotId
import ducklake.spark.metadata.LocalResult
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeChange
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType

/** Gives a name to a snapshot, which no expiry of ours removes then. Without a version it is the
  * newest snapshot. It creates no snapshot.
  *
  * Source: ours, decision 13.
  */
final class KeepSnapshot(session: SessionLake)
    extends LakeProcedure("keep_snapshot", "Gives a snapshot a name and keeps it from expiry") {

  override def parameters(): Array[ProcedureParameter] =
    Array(Arguments.required("name"), Arguments.optional("snapshot_version", LongType))

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val snapshotName = arguments.required(0, "name")
    NamedSnapshot.refusal(snapshotName).foreach(arguments.fail("name", _))
    val newest = session.prepareToWrite().snapshot.id
    val named = NamedSnapshot(snapshotName, arguments.long(1).fold(newest)(SnapshotId(_)))
    session.lake.keep(named)
    new LocalResult(KeepSnapshot.schema, () => Vector(Vector(named.id.value)))
  }
}

object KeepSnapshot {
  val schema: StructType = new StructType().add("snapshot_id", LongType)
}

/** Takes a name from its snapshot. */
final class ReleaseSnapshot(session: SessionLake)
    extends LakeChange(
      "release_snapshot",
      "Takes a name from its snapshot, which may expire then",
    ) {

  override def isPartOfTransactions: Boolean = false

  override def parameters(): Array[ProcedureParameter] = Array(Arguments.required("name"))

  override def run(arguments: Arguments): Unit = {
    session.prepareToWrite(): Unit
    session.lake.release(arguments.required(0, "name"))
  }
}
