package ducklake.catalog

import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.staged.StagedLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.UUID

/** A snapshot with the changes of a transaction, on a lake with two files and two inlined rows. */
class StagedSnapshotSpec extends AnyFunSuite with CommitFixtures {

  private val lake: Lake = {
    val folder = Files.createTempDirectory("lake")
    val made = Lakes.open(settings(CatalogUri.Sqlite(folder.resolve("lake.db").toString)))
    val first = made.prepareToWrite()
    made.commit(pending(first, create(first, "t"))).orThrow: Unit
    val second = made.prepareToWrite()
    val table = tableOf(second, "t")
    made
      .commit(
        pending(
          second,
          append(table, file("a.parquet", 1, 5), file("b.parquet", 6, 9)),
          rows(second, 20, 21),
        )
      )
      .orThrow: Unit
    made
  }

  private val base = lake.prepareToWrite()
  private val table = tableOf(base, "t")

  private def rows(at: LakeSnapshot, values: Long*): Operation =
    Operation.AppendInlined(
      TableTarget.Existing(tableOf(at, "t")),
      values.toVector.map(v =>
        NewInlinedRow(None, Vector(Literal.Integral(v), Literal.Text(s"n$v")))
      ),
    )

  private def seen(statements: Vector[Operation]*): LakeSnapshot = {
    val staged = statements.foldLeft(StagedLake.empty("/data/")) { (done, operations) =>
      done.stage(operations, done.generationOf).fold(error => fail(error.message), identity)
    }
    base.seenThrough(new StagedSnapshot(UUID.randomUUID(), staged, _ => ()))
  }

  private def delete(
      ended: Vector[Long] = Vector.empty,
      positions: Map[Long, Vector[Long]] = Map.empty,
      inlined: Vector[Long] = Vector.empty,
  ): Operation =
    Operation.DeleteRows(
      table,
      ended.map(DataFileId(_)),
      Vector.empty,
      positions.map { case (file, some) => DataFileId(file) -> some },
      inlined,
    )

  private def inlinedIn(at: LakeSnapshot, limit: Option[Long] = None): Vector[Literal] = {
    val collected = new CollectedRows
    val asked = InlinedRequest(table.columns.take(1), limit, collected)
    at.files(table, FileRequest(Vector.empty, Set.empty, Some(asked))): Unit
    collected.rows.map(_.values.head)
  }

  private def integers(values: Long*): Vector[Literal] =
    values.toVector.map(Literal.Integral(_))

  test("own files and rows come after those of the base") {
    val now = seen(Vector(append(table, file("c.parquet", 30, 39)), rows(base, 40)))
    val listing = now.files(table, FileRequest.everyFile)
    assert(
      listing.files.map(_.path.split('/').last) == Vector("a.parquet", "b.parquet", "c.parquet")
    )
    assert(listing.listedFiles == 3)
    assert(UncommittedIds.contains(listing.files.last.begin.value))
    assert(inlinedIn(now) == integers(20, 21, 40))
    assert(now.counts(table).liveRows == 33 && now.counts(table).isExact)
    assert(now.columnSummaries(table, Set(ColumnId(1))).isEmpty)
  }

  test("a filter prunes own files") {
    val now = seen(Vector(append(table, file("c.parquet", 30, 39), file("d.parquet", 50, 59))))
    val wanted = Predicate.Compare(ColumnId(1), Comparison.Equal, Literal.Integral(33))
    val listing = now.files(table, FileRequest(Vector(wanted), Set(ColumnId(1)), None))
    assert(listing.files.map(_.path.split('/').last) == Vector("c.parquet"))
    assert(listing.statistics.keySet == Set(listing.files.head.id))
    val all = now.files(table, FileRequest.everyFile).files
    assert(all.map(file => listing.isPruned(file.id)) == Vector(true, true, false, true))
  }

  test("only files that a lake wrote match a filter for certain") {
    val mapping = Vector(MappedColumn("id", ColumnId(1), isPartition = false, Vector.empty))
    val one = file("c.parquet", 30, 39)
    val foreign = RegisteredFile(
      LakePath("/far/d.parquet", isRelative = false),
      Some(0),
      one.recordCount,
      one.physical,
      None,
      one.statistics,
    )
    val register = Operation.RegisterFiles(table, Vector(mapping), Vector(foreign), "/data/", 0L)
    val now = seen(Vector(append(table, one)), Vector(register))
    val positive = Predicate.Compare(ColumnId(1), Comparison.Greater, Literal.Integral(0))
    def isFull(predicates: Predicate*): Vector[Boolean] = {
      val asked = FileRequest(predicates.toVector, Set.empty, None, asksFullMatches = true)
      val listing = now.files(table, asked)
      listing.files.map(file => listing.fullMatches(file.id))
    }

    assert(isFull(positive) == Vector(true, true, true, false))
    assert(isFull() == Vector(true, true, true, true))
  }

  test("deleted rows of the base are hidden") {
    val now = seen(
      Vector(delete(ended = Vector(0), inlined = Vector(20))),
      Vector(delete(positions = Map(1L -> Vector(2L, 4L)))),
    )
    val listing = now.files(table, FileRequest.everyFile)
    assert(listing.files.map(_.id.value) == Vector(1L))
    assert(listing.files.head.inlinedDeletes == Vector(2L, 4L))
    assert(inlinedIn(now) == integers(21))
    assert(inlinedIn(now, limit = Some(1)) == integers(21))
    assert(!now.counts(table).isExact)
    assert(now.filesById(table, Vector(DataFileId(0), DataFileId(1))).size == 1)
  }

  test("of an emptied table only own rows are left") {
    val now = seen(Vector(Operation.Truncate(table)), Vector(rows(base, 40)))
    assert(now.files(table, FileRequest.everyFile).files.isEmpty)
    assert(inlinedIn(now) == integers(40))
    assert(now.counts(table).liveRows == 1 && now.counts(table).isExact)
  }

  test("only changed tables show the transaction") {
    val now = seen(Vector(rows(base, 40)), Vector(rows(base, 41)))
    assert(now.uncommitted(table.id).map(_.generation).contains(2L))
    assert(now.uncommitted.map(_.generation).contains(2L))
    assert(seen().uncommitted(table.id).isEmpty)
    assert(seen().uncommitted.nonEmpty)
    assert(base.uncommitted.isEmpty)
  }
}
