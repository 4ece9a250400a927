package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import ducklake.spark.session.StagedWork
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.catalog.ColumnTable
import ducklake.spark.table.LineageProperties
import ducklake.spark.write.DuckLakeWriteBuilder
import ducklake.spark.write.OwnWriteInfo
import org.apache.spark.sql.connector.catalog.StagedTable
import org.apache.spark.sql.connector.catalog.SupportsWrite
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.WriteBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.MapHasAsScala

/** A table that a statement fills with the rows of its query. All of the statement is one commit,
  * and nothing is visible before.
  *
  * @param session commits at once: Spark does not end the transaction of this kind of statement
  */
abstract class StagedRows(
    private[spark] val session: SessionLake,
    private[spark] val base: LakeSnapshot,
) extends ColumnTable
    with StagedTable
    with SupportsWrite {

  private val work = new StagedWork

  // Spark calls commit, then perhaps abort, on one thread.
  private var hasCommitBegun = false
  private var statementInfo = StatementInfo.none

  /** The table's name with the schemas that lead to it. */
  protected def qualifiedName: String

  override def name(): String = s"${session.name}.$qualifiedName"

  override def properties(): util.Map[String, String] =
    new LineageProperties(session, qualifiedName, Map.empty)

  /** The table that gets the rows. */
  protected def target(sink: WriteSink): WriteTarget

  /** The operations of the commit. They include `rows`, which add the rows of the query. */
  protected def operations(rows: Vector[Operation]): Vector[Operation]

  /** Refuses options of the write that the statement cannot obey. */
  protected def checkOptions(options: CaseInsensitiveStringMap): Unit

  /** Called when the statement has certainly made its snapshot. */
  protected def hasCommitted(): Unit

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.TRUNCATE)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = onDriver {
    val own = OwnWriteInfo.of(name(), info)
    checkOptions(own.options())
    statementInfo = StatementInfo.of(own.options().asCaseSensitiveMap().asScala.toMap)
    new DuckLakeWriteBuilder(target(WriteSink.Staged(work)), own)
  }

  /** Commits the statement. Errors: the errors of a commit. */
  override def commitStagedChanges(): Unit = onDriver {
    hasCommitBegun = true
    val outcome = session.commit(base, operations(work.operations), statementInfo)
    outcome.ifNoSnapshot(work.discard())
    outcome.committed.foreach(_ => hasCommitted())
    val _ = outcome.orThrow
  }

  override def abortStagedChanges(): Unit = onDriver {
    if (!hasCommitBegun) work.discard()
  }
}
