package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableTarget
import ducklake.catalog.commit.CommitOutcome
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.layout.WriteLayout
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StagedWork
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.SparkColumns
import ducklake.spark.write.DuckLakeWriteBuilder
import ducklake.spark.write.RowOptions
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.StagedTable
import org.apache.spark.sql.connector.catalog.SupportsWrite
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.WriteBuilder

import java.util

import scala.jdk.CollectionConverters.MapHasAsScala

/** A table that a statement creates together with its rows, perhaps in place of another table. All
  * of it is one commit, and the table is not visible before.
  *
  * @param before operations that come first in the same commit, such as the drop of the other table
  */
final class StagedCreation(
    session: SessionLake,
    base: LakeSnapshot,
    before: Vector[Operation],
    create: Operation.CreateTable,
) extends StagedTable
    with SupportsWrite {

  private val work = new StagedWork

  // Spark calls commit, then perhaps abort, on one thread.
  private var hasCommitBegun = false
  private var commitInfo = CommitInfo.none

  private val layout: WriteLayout = WriteLayout(
    s"${create.schema.qualifiedName}.${create.definition.name}",
    create.path.folderIn(create.schema.directory),
    create.definition.columns,
    create.definition.partition,
    create.definition.sort,
    create.schema.id,
    None,
    create.options,
  )

  override def name(): String = s"${session.name}.${layout.name}"

  override def columns(): Array[catalog.Column] =
    SparkColumns.of(create.definition.columns, session.timeRule)

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.TRUNCATE)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = onDriver {
    if (before.nonEmpty) new RowOptions(info.options()).checkReplaced()
    commitInfo = session.commitInfo(info.options().asCaseSensitiveMap().asScala.toMap)
    val target = WriteTarget(
      session,
      base,
      TableTarget.Created(create.uuid),
      layout,
      WriteSink.Staged(work),
    )
    new DuckLakeWriteBuilder(target, info)
  }

  /** Commits the table and its rows. The files are deleted only when the commit certainly failed,
    * so that no snapshot can name them.
    */
  override def commitStagedChanges(): Unit = onDriver {
    hasCommitBegun = true
    val operations = (before :+ create) ++ work.operations
    val outcome = session.commit(base, operations, commitInfo)
    outcome match {
      case CommitOutcome.Failed(_) => work.discard()
      case CommitOutcome.Committed(_) | CommitOutcome.Unchanged(_) | CommitOutcome.Staged(_) |
          CommitOutcome.Unknown(_) =>
        ()
    }
    val _ = outcome.orThrow
  }

  override def abortStagedChanges(): Unit = onDriver {
    if (!hasCommitBegun) work.discard()
  }
}
