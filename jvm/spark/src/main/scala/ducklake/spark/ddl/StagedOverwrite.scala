package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** An existing table whose rows a statement replaces. It keeps its layout, properties and history.
  */
final class StagedOverwrite(lake: SessionLake, begin: LakeSnapshot, replaced: ReplacedTable)
    extends StagedRows(lake, begin) {

  private val at = new TableAtSnapshot(session, base, replaced.table)

  override protected def qualifiedName: String = replaced.table.qualifiedName

  override def columns(): Array[catalog.Column] = at.columns

  override protected def target(sink: WriteSink): WriteTarget =
    WriteTarget.existing(session, base, replaced.table).copy(sink = sink)

  override protected def operations(rows: Vector[Operation]): Vector[Operation] =
    rows ++ replaced.guard

  /** The write itself obeys or refuses the options, as in every overwrite. */
  override protected def checkOptions(options: CaseInsensitiveStringMap): Unit = ()

  override protected def hasCommitted(): Unit = ()
}
