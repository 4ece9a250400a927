package ducklake.spark.procedures.upkeep

import ducklake.catalog.types.SnapshotId
import ducklake.spark.metadata.LocalResult
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeChange
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType

/** Registers how far a reader outside of Spark has read a table. Without a version it is the newest
  * snapshot. It creates no snapshot.
  *
  * Source: ours, decision 13.
  */
final class RegisterReader(session: SessionLake)
    extends LakeProcedure(
      "register_reader",
      "Registers how far a reader has read a table, and keeps later snapshots from expiry",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.required("name"),
    Arguments.required("table_name"),
    Arguments.optional("snapshot_version", LongType),
    Arguments.optional("schema"),
  )

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val reader = arguments.required(0, "name")
    if (reader.isBlank) arguments.fail("name", "is blank")
    val named = arguments.table(1, 3)
    val newest = session.prepareToWrite()
    val table = named.find(newest).getOrElse(throw named.missing(session.name))
    val read = arguments.long(2).fold(newest.snapshot.id)(SnapshotId(_))
    session.lake.registerReader(reader, table.id, read)
    new LocalResult(KeepSnapshot.schema, () => Vector(Vector(read.value)))
  }
}

/** Forgets a reader, for a table or for all tables. */
final class ForgetReader(session: SessionLake)
    extends LakeChange(
      "forget_reader",
      "Forgets a reader, whose snapshots may expire then",
    ) {

  override def isPartOfTransactions: Boolean = false

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.required("name"),
    Arguments.optional("table_name"),
    Arguments.optional("schema"),
  )

  override def run(arguments: Arguments): Unit = {
    val newest = session.prepareToWrite()
    val table = arguments.text(1).map { _ =>
      val named = arguments.table(1, 2)
      named.find(newest).getOrElse(throw named.missing(session.name)).id
    }
    session.lake.forgetReader(arguments.required(0, "name"), table)
  }
}
