package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

/** What the statements of a transaction come to. */
class StagedLakeSpec extends AnyFunSuite with CommitFixtures {

  private val schema =
    LakeSchema(SchemaId(0), UUID.randomUUID(), None, Vector.empty, "main", "/data/main/", Map.empty)

  private def table(id: Long): LakeTable = LakeTable(
    TableId(id),
    UUID.randomUUID(),
    schema,
    s"t$id",
    s"/data/main/t$id/",
    Vector(column(1, "id", LakeType.Int64)),
    Map.empty,
    None,
    None,
  )

  private val one = table(1)
  private val two = table(2)

  private def inlined(of: LakeTable, rows: (Option[Long], Long)*): Operation =
    Operation.AppendInlined(
      TableTarget.Existing(of),
      rows.toVector.map { case (id, value) => NewInlinedRow(id, Vector(Literal.Integral(value))) },
    )

  private def delete(
      positions: Map[DataFileId, Vector[Long]] = Map.empty,
      ended: Vector[DataFileId] = Vector.empty,
      rows: Vector[Long] = Vector.empty,
  ): Operation = Operation.DeleteRows(one, ended, Vector.empty, positions, rows)

  /** The transaction after statements, each of which has seen the ones before. */
  private def after(statements: Vector[Operation]*): StagedLake =
    statements.foldLeft(StagedLake.empty) { (lake, operations) =>
      lake.stage(operations, lake.generationOf).fold(error => fail(error.message), identity)
    }

  private def of(lake: StagedLake, of: LakeTable = one): StagedTable =
    lake.tables.getOrElse(of.id, fail("the table is not changed"))

  test("files and rows get ids of their own, none of them twice") {
    val lake = after(
      Vector(append(one, file("a", 1, 5), file("b", 6, 9)), inlined(two, None -> 1L)),
      Vector(append(two, file("c", 1, 5))),
    )
    val files = of(lake).files ++ of(lake, two).files
    val ids = files.map(_.id.value) ++ files.flatMap(f => f.firstRowId until f.firstRowId + 10) ++
      of(lake, two).rows.map(_.rowId)
    assert(ids.distinct.size == ids.size)
    assert(ids.forall(UncommittedIds.contains))
    assert(lake.written == Vector("/data/main/t1/a", "/data/main/t1/b", "/data/main/t2/c"))
  }

  test("positions in a file of the base are united") {
    val file = DataFileId(7)
    val lake = after(
      Vector(delete(Map(file -> Vector(5L, 9L)))),
      Vector(delete(Map(file -> Vector(1L, 7L)))),
    )
    assert(of(lake).deleted == Map(file -> Vector(1L, 5L, 7L, 9L)))
  }

  test("a file of the base that ends has no deleted positions any more") {
    val file = DataFileId(7)
    val lake = after(
      Vector(delete(Map(file -> Vector(5L)))),
      Vector(delete(ended = Vector(file))),
    )
    assert(of(lake).deleted.isEmpty)
    assert(of(lake).endedFiles == Set(file))
  }

  test("an own file keeps its dead rows until all of its rows are dead") {
    val begun = after(Vector(append(one, file("a", 1, 5))))
    val own = of(begun).files.head.id
    def dead(positions: Vector[Long]) = Vector(delete(Map(own -> positions)))
    val some = begun.stage(dead(Vector(3L, 1L)), begun.generationOf).getOrElse(fail("refused"))
    assert(of(some).files.map(_.dead) == Vector(Vector(1L, 3L)))
    assert(of(some).files.map(_.liveRows) == Vector(8L))
    val others = dead((0L until 10L).filterNot(Set(1L, 3L)).toVector)
    val all = some.stage(others, some.generationOf).getOrElse(fail("refused"))
    assert(of(all).files.isEmpty)
    assert(of(all).operations(Vector.empty, None).isEmpty)
    assert(all.written.nonEmpty)
  }

  test("a deleted row id means the own row first, and else the row of the base") {
    val lake = after(
      Vector(delete(rows = Vector(4L)), inlined(one, Some(4L) -> 40L, None -> 50L)),
      Vector(delete(rows = Vector(4L, 9L))),
    )
    assert(of(lake).endedRows == Set(4L, 9L))
    assert(of(lake).rows.map(_.values) == Vector(Vector(Literal.Integral(50))))
    assert(of(lake).rows.map(_.added.rowId) == Vector(None))
  }

  test("an updated row of the base keeps its row id") {
    val lake = after(Vector(delete(rows = Vector(4L)), inlined(one, Some(4L) -> 40L)))
    assert(of(lake).rows.map(_.added.rowId) == Vector(Some(4L)))
  }

  test("a truncated table forgets what the transaction did to it, but not its guards") {
    val guard = Operation.AssertNoNewRows(one, RowScope.Every)
    val lake = after(
      Vector(append(one, file("a", 1, 5)), delete(rows = Vector(4L)), guard),
      Vector(Operation.Truncate(one)),
      Vector(append(one, file("b", 1, 5))),
    )
    val own = of(lake)
    assert(own.isEmptied && !own.deletesRows)
    assert(own.files.map(_.file.path) == Vector("b"))
    val added = own.files.map(_.file)
    assert(
      own.operations(added, None) == Vector(
        Operation.Truncate(one),
        Operation.AppendFiles(TableTarget.Existing(one), added),
        guard,
      )
    )
  }

  test("files that embed row ids need no row ids") {
    val embedded = file("a", 1, 5).copy(rowIds = RowIds.Embedded)
    val lake = after(Vector(append(one, embedded)))
    assert(of(lake).files.head.listed(one).rowIdStart.isEmpty)
    assert(lake.nextId == UncommittedIds.First + 2)
  }

  test("rows are not deleted from a table that another statement changed meanwhile") {
    val seen = StagedLake.empty
    val lake = after(Vector(append(one, file("a", 1, 5))))
    lake.stage(Vector(delete(rows = Vector(1L))), seen.generationOf) match {
      case Left(LakeError.CommitConflict(why)) => assert(why.contains("of the same transaction"))
      case other => fail(other.toString)
    }
    assert(lake.stage(Vector(append(one, file("b", 1, 5))), seen.generationOf).isRight)
    assert(after(Vector(append(two, file("a", 1, 5)))).generationOf(one.id) == 0L)
  }

  test("an operation that cannot be part is refused by its name") {
    StagedLake.empty.stage(Vector(Operation.DropTable(one)), _ => 0L) match {
      case Left(error) =>
        assert(error.condition == "DUCKLAKE_UNSUPPORTED")
        assert(error.message.startsWith("DROP TABLE main.t1 inside a transaction"))
      case Right(_) => fail("it was not refused")
    }
  }
}
