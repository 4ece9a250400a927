package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

/** Registered readers as rows. Source: jvm/docs/streaming.md, "Readers and expiry". */
private[metadata] object ReadersTable {

  /** The name of the table is NULL when the snapshot does not have it, and the time of the reader's
    * snapshot when that is gone.
    */
  def of(session: SessionLake, snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("name", StringType)
        .add("schema_name", StringType)
        .add("table_name", StringType)
        .add("snapshot_id", LongType)
        .add("snapshot_time", TimestampType)
        .add("registered_at", TimestampType),
      () =>
        session.lake.registeredReaders().map { reader =>
          val table = snapshot.table(reader.table)
          Vector[Any](
            reader.name,
            table.map(_.schema.qualifiedName),
            table.map(_.name),
            reader.read.value,
            session.lake.timeOf(reader.read),
            reader.at,
          )
        },
      hasPast = false,
    )
}
