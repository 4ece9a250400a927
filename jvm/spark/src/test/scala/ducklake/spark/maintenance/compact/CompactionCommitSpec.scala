package ducklake.spark.maintenance.compact

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.config.CatalogConfig
import ducklake.spark.maintenance.rows.CompactedFile
import ducklake.spark.session.CommitInfoInForce
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import ducklake.spark.testkit.LocalSpark
import ducklake.spark.types.SparkTypes
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Instant
import java.time.temporal.ChronoUnit

/** What a compaction knows after its commit. */
final class CompactionCommitSpec extends AnyFunSuite with CommitFixtures with LocalSpark {

  private val config: CatalogConfig = {
    val folder = Files.createTempDirectory("compaction")
    val settings = Map(
      "uri" -> s"ducklake:sqlite:${folder.resolve("lake.sqlite")}",
      "data-path" -> folder.resolve("lake").toString,
    )
    CatalogConfig.parse("lake", settings)
  }

  /** After each commit another comes, and every snapshot but the newest expires. */
  private final class Expiring extends SessionLake(config, SparkTypes.TimeRule.AsString) {

    override def commit(
        base: LakeSnapshot,
        operations: Vector[Operation],
        info: CommitInfoInForce,
        again: Option[() => Vector[Operation]],
    ): CommitOutcome = {
      val outcome = super.commit(base, operations, info, again)
      val now = lake.prepareToWrite()
      lake.commit(pending(now, create(now, s"other${now.snapshot.id.value}"))).orThrow
      lake
        .planExpiry(ExpiryCriterion.OlderThan(Instant.now().plus(1, ChronoUnit.DAYS)))
        .foreach(lake.expire)
      outcome
    }
  }

  test("a compaction whose snapshot expires at once counts as committed") {
    val _ = session
    val expiring = new Expiring
    val lake = expiring.lake
    val made = lake.prepareToWrite()
    lake.commit(pending(made, create(made, "t"))).orThrow
    val empty = lake.prepareToWrite()
    val table = tableOf(empty, "t")
    lake.commit(pending(empty, append(table, file("a", 1, 9), file("b", 11, 19)))).orThrow
    val base = lake.prepareToWrite()
    val files = base.files(table, FileRequest.everyFile).files
    val merged = CompactedFile(
      file("ab", 1, 19).copy(rowIds = RowIds.Embedded),
      None,
      Some(SnapshotRange(base.snapshot.id, base.snapshot.id)),
    )
    val sizes = MergeSizes(0, Long.MaxValue, Long.MaxValue)

    val result =
      new CompactionCommit(
        new MaintenanceCall(expiring),
        table,
        MergeAdjacent(sizes),
        table.directory,
      )
        .run(base, Vector(new FileGroup(table.columns, None, files) -> Some(merged)))

    val committed = SnapshotId(base.snapshot.id.value + 1)
    assert(result.committed.map(_._1.files.size) == Vector(2))
    assert(result.conflict.isEmpty)
    assert(result.now.map(_.snapshot.id).contains(committed))
    assert(!lake.snapshots().exists(_.snapshot.id == committed))
  }
}
