package ducklake.catalog.change.operation

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

/** The facts about operations. */
class OperationSpec extends AnyFunSuite with CommitFixtures {

  private val main =
    LakeSchema(SchemaId(0), new UUID(0, 0), None, Vector.empty, "main", "/data/main/", Map.empty)

  private val table = LakeTable(
    TableId(1),
    new UUID(0, 1),
    main,
    "t",
    "/data/main/t/",
    Vector(column(1, "id", LakeType.Int64)),
    Map.empty,
    None,
    None,
  )

  private val definition = TableDefinition.of(table)

  private def delete(
      inlinedDeletes: Map[DataFileId, Vector[Long]],
      endedInlined: Vector[Long],
  ): Operation =
    Operation.DeleteRows(table, Vector.empty, Vector.empty, inlinedDeletes, endedInlined)

  test("new rows of an existing table change it and fit only its present columns") {
    val rows = Vector(NewInlinedRow(None, Vector(Literal.Integral(7))))
    val inlined = Operation.AppendInlined(TableTarget.Existing(table), rows)
    val files = append(table, file("a.parquet", 1, 9))

    Vector(inlined, files).foreach { operation =>
      assert(operation.existing.contains(table))
      assert(operation.requires.contains(Requirement.Shape))
      assert(operation.changedName.contains(Vector("main", "t")))
      assert(!operation.changesShape)
      assert(operation.isCheckedByState)
      assert(operation.addedStatistics.map(_.keySet).toVector == Vector(Set(ColumnId(1))))
    }
    assert(inlined.needs == Set(TableNeed.Statistics, TableNeed.InlinedTables))
    assert(files.needs == Set(TableNeed.Statistics))
    assert(inlined.inlinedColumns.contains(table.columns))
    assert(files.inlinedColumns.isEmpty)
  }

  test("rows of a table that the commit creates concern no existing table") {
    val target = TableTarget.Created(new UUID(0, 2))
    val operation = Operation.AppendFiles(target, Vector(file("a.parquet", 1, 9)))

    assert(operation.existing.isEmpty)
    assert(operation.changedName.isEmpty)
    assert(!operation.isCheckedByState)
    assert(operation.total.isEmpty)
  }

  test("a delete needs what it deletes from in the catalog") {
    val ofFile = Map(DataFileId(3) -> Vector(5L))

    assert(delete(Map.empty, Vector.empty).needs.isEmpty)
    assert(delete(Map.empty, Vector(5L)).needs == Set(TableNeed.InlinedTables))
    assert(delete(ofFile, Vector.empty).needs == Set(TableNeed.InlinedDeletes))
    assert(delete(ofFile, Vector(5L)).needs.sizeIs == 2)
  }

  test("a new definition changes the shape, and ends the name only when it differs") {
    val same = Operation.AlterTable(table, main, definition)
    val tagged = same.copy(definition = definition.copy(tags = Map("comment" -> "of numbers")))
    val renamed = same.copy(definition = definition.copy(name = "u"))
    val columns = table.columns :+ column(2, "name", LakeType.Varchar)
    val widened = same.copy(definition = definition.copy(columns = columns))
    val all = Vector(same, tagged, renamed, widened)
    val name = Vector("main", "t")

    assert(all.map(_.changesShape) == Vector(false, true, true, true))
    assert(all.map(_.endedName) == Vector(None, None, Some(name), None))
    assert(all.map(_.changedName) == Vector(None, None, None, Some(name)))
  }

  test("a table that comes back under another name ends its present name") {
    val restored = Operation.RestoreTable(Some(table.copy(name = "u")), table, SnapshotId(4))

    assert(restored.existing.contains(table))
    assert(restored.changesShape)
    assert(restored.changedName.contains(Vector("main", "t")))
    assert(restored.endedName.contains(Vector("main", "u")))
    assert(Operation.RestoreTable(Some(table), table, SnapshotId(4)).endedName.isEmpty)
  }

  test("a created table is a change of its name, in its schema") {
    val operation = Operation.CreateTable(
      main,
      new UUID(0, 2),
      LakePath("t/", isRelative = true),
      definition,
      Map.empty,
    )

    assert(operation.existing.isEmpty)
    assert(operation.changesShape)
    assert(operation.changedName.contains(Vector("main", "t")))
    assert(operation.createsIn.contains(SchemaId(0)))
  }

  test("epochs and assertions keep rows and definitions") {
    val kept = Vector[Operation](
      Operation.RecordWrite(TableTarget.Existing(table), StreamEpoch("q", 1)),
      Operation.AssertNoNewRows(table, RowScope.Every),
      Operation.AssertUnchanged(table, TablePart.Files),
    )

    assert(kept.forall(_.existing.contains(table)))
    assert(kept.forall(one => one.changedName.isEmpty && one.endedName.isEmpty))
    assert(!kept.exists(_.changesShape))
    assert(kept.map(_.isCheckedByState) == Vector(true, false, false))
  }
}
