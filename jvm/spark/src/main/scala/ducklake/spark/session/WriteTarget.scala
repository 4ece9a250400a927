package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.WriteConfig
import ducklake.spark.layout.WriteLayout
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The table that a write's rows go to, and how the write becomes part of the lake.
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

  /** How the write makes its files.
    *
    * @param options its own
    */
  def config(options: CaseInsensitiveStringMap): WriteConfig =
    WriteConfig.of(session.lake.options(), layout.schema, layout.id, layout.options, options)

  /** How many rows of the write, or deleted positions of a file, the catalog itself may keep. */
  def inliningRowLimit(config: WriteConfig): Long =
    config.inliningRowLimit.getOrElse(session.inliningRowLimit)
}

object WriteTarget {

  /** A table of the lake. */
  def existing(session: SessionLake, base: LakeSnapshot, table: LakeTable): WriteTarget =
    WriteTarget(
      session,
      base,
      TableTarget.Existing(table),
      WriteLayout.of(table),
      session.sink,
    )
}
