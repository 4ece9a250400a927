package ducklake.spark.maintenance.rollback

import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.spark.config.CatalogConfig
import ducklake.spark.session.SessionLake
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

import scala.collection.immutable.ArraySeq

/** What a rollback asks the catalog for. */
final class TableDifferenceSpec extends AnyFunSuite with CommitFixtures {

  private final class Recorded extends SnapshotOverlay {
    var listed: Vector[Set[ColumnId]] = Vector.empty

    override def files(table: LakeTable, request: FileRequest)(
        found: FileRequest => FileListing
    ): FileListing = {
      listed :+= request.statistics
      found(request)
    }
  }

  private lazy val session: SessionLake = {
    val folder = Files.createTempDirectory("difference")
    val settings = Map(
      "uri" -> s"ducklake:sqlite:${folder.resolve("lake.sqlite")}",
      "data-path" -> folder.resolve("lake").toString,
    )
    new SessionLake(CatalogConfig.parse("lake", settings), SparkTypes.TimeRule.AsString)
  }

  test("statistics are read of the files that are copied, not of all that the past has") {
    val lake = session.lake
    val made = lake.prepareToWrite()
    lake.commit(pending(made, create(made, "t"))).orThrow
    val empty = lake.prepareToWrite()
    val table = tableOf(empty, "t")
    lake
      .commit(
        pending(empty, append(table, file("a", 1, 9), file("b", 11, 19), file("c", 21, 29)))
      )
      .orThrow
    val full = lake.prepareToWrite()
    val gone = full.files(table, FileRequest.everyFile).files.find(_.path.endsWith("b")).get.id
    lake
      .commit(
        pending(
          full,
          Operation.DeleteRows(table, Vector(gone), Vector.empty, Map.empty, ArraySeq.empty),
        )
      )
      .orThrow
    val recorded = new Recorded
    val (base, past) =
      (lake.prepareToWrite(), lake.at(SnapshotId(2)).seenThrough(recorded))

    val difference = new TableDifference(
      session,
      base,
      past,
      Some(tableOf(base, "t")),
      tableOf(past, "t"),
      new Configuration(false),
    )
    val statistics = difference.statisticsOfCopied()

    assert(difference.files.copied.map(_.id) == Vector(gone))
    assert(statistics == Map(gone -> Map(ColumnId(1) -> whole(11, 19, 10))))
    assert(recorded.listed.nonEmpty && recorded.listed.forall(_.isEmpty))
  }
}
