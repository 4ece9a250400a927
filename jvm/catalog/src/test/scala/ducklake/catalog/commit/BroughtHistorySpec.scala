package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.LaterCommit
import ducklake.catalog.change.operation.MadeIds
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Instant

/** Several snapshots with times of their own, made in one transaction. */
class BroughtHistorySpec extends AnyFunSuite with CommitFixtures {

  private val first = Instant.parse("2020-01-01T00:00:00Z")
  private val second = Instant.parse("2020-01-02T00:00:00Z")
  private val third = Instant.parse("2020-01-03T00:00:00Z")

  private def onEach(name: String)(body: Lake => Any): Unit =
    Vector("sqlite", "duckdb").foreach { kind =>
      test(s"$name, on $kind") {
        val file = Files.createTempDirectory("lake").resolve("lake.db").toString
        val uri = if (kind == "sqlite") CatalogUri.Sqlite(file) else CatalogUri.DuckDb(file)
        body(Lakes.open(settings(uri))): Unit
      }
    }

  private def existing(path: String): RegisteredFile =
    RegisteredFile(
      LakePath(path, isRelative = false),
      mapping = None,
      10,
      PhysicalFile(1000, 200, 1),
      None,
      Map(ColumnId(1) -> whole(1, 5, 10)),
    )

  private def register(table: LakeTable, files: RegisteredFile*): Operation =
    Operation.RegisterFiles(table, Vector.empty, files.toVector, "/data/", 0L)

  /** A table with `/in/a`, which ends when `/in/b` comes. The third commit changes nothing. */
  private def history(lake: Lake): PendingCommit = {
    val base = lake.newestToWrite()
    val create = this.create(base, "t")
    val made = LakeTable(
      TableId(UncommittedIds.First),
      create.uuid,
      create.schema,
      "t",
      "/data/main/t/",
      create.definition.columns,
      Map.empty,
      None,
      None,
    )
    def named(ids: MadeIds): LakeTable = made.copy(id = ids.tables(made.uuid).id)
    def info(message: String) = CommitInfo(None, Some(message), None)
    val replaced = LaterCommit(
      Some(second),
      info("second"),
      ids => {
        val ended = Vector(ids.files("/in/a"))
        val delete =
          Operation.DeleteRows(named(ids), ended, Vector.empty, Map.empty, IndexedSeq.empty)
        Vector(delete, register(named(ids), existing("/in/b")))
      },
    )
    val nothing = LaterCommit(Some(third), info("third"), ids => Vector(register(named(ids))))
    PendingCommit(
      base.snapshot,
      Vector(create, register(made, existing("/in/a"))),
      info("first"),
      10L,
      time = Some(first),
      later = Vector(replaced, nothing),
    )
  }

  private def files(lake: Lake, id: Long): Vector[String] = {
    val snapshot = lake.at(SnapshotId(id))
    snapshot.files(tableOf(snapshot, "t"), FileRequest.everyFile).files.map(_.path)
  }

  onEach("a new lake gets snapshots with the times and messages of the history") { lake =>
    val committed = lake.commit(history(lake)).orThrow

    assert(committed.id.value == 2)
    val times = lake.snapshots().map(_.snapshot.time)
    assert(times == Vector(Instant.parse("2019-12-31T23:59:59.999999Z"), first, second))
    assert(lake.snapshots().map(_.message) == Vector(None, Some("first"), Some("second")))
    assert(files(lake, 1) == Vector("/in/a"))
    assert(files(lake, 2) == Vector("/in/b"))
    assert(lake.atOrBefore(second.minusSeconds(1)).snapshot.id.value == 1)
    assert(lake.snapshots().flatMap(_.changesMade).last.contains("deleted_from_table:1"))
  }

  onEach("a lake with a newer snapshot is refused, and stays as it was") { lake =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, create(base, "other"))).orThrow
    val before = lake.snapshots()

    lake.commit(history(lake)) match {
      case CommitOutcome.Failed(cause) => assert(cause.error.isInstanceOf[LakeError.Unsupported])
      case other => fail(s"not refused: $other")
    }

    assert(lake.snapshots() == before)
  }

  onEach("a snapshot of the future is refused, with those before it") { lake =>
    val pending = history(lake)
    val future = pending.later.map(_.copy(time = Some(Instant.now().plusSeconds(3600))))

    assert(lake.commit(pending.copy(later = future)).failure.nonEmpty)

    assert(lake.snapshots().size == 1)
  }
}
