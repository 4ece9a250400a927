package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.IsolationLevel
import ducklake.spark.config.WriteConfig
import ducklake.spark.partitioning.WriteLayout
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The table that gets the rows of a write, and how the write is committed.
  *
  * @param base the snapshot that the statement sees
  */
final case class WriteTarget(
    session: SessionLake,
    base: LakeSnapshot,
    table: TableTarget,
    layout: WriteLayout,
    sink: WriteSink,
) {

  /** The settings of the write's files.
    *
    * @param options of the write
    */
  def config(options: CaseInsensitiveStringMap): WriteConfig =
    WriteConfig.of(session.options(), layout.schema, layout.id, layout.options, options)

  /** Whether DELETE, UPDATE and MERGE conflict with new rows of other commits that may match their
    * conditions.
    */
  def isSerializable(config: WriteConfig): Boolean =
    config.isolation.orElse(session.config.isolation).contains(IsolationLevel.Serializable)

  /** How many rows of the write, or deleted positions of a file, may be inlined in the catalog. */
  def inliningRowLimit(config: WriteConfig): Long =
    config.inliningRowLimit.getOrElse(session.inliningRowLimit)
}

object WriteTarget {

  /** The target of a write to an existing table of the lake. */
  def existing(session: SessionLake, base: LakeSnapshot, table: LakeTable): WriteTarget =
    WriteTarget(
      session,
      base,
      TableTarget.Existing(table),
      WriteLayout.of(table),
      session.sink,
    )
}
