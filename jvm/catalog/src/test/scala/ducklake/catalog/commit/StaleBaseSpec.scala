package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.change.operation.FlushedRows
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.operation.VersionKey
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.UUID

/** What a statement found out at its base is looked at again when it commits. */
class StaleBaseSpec extends AnyFunSuite with CommitFixtures {

  private def withTable(name: String)(body: (Lake, LakeTable) => Any): Unit =
    test(name) {
      val file = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
      val lake = Lakes.open(settings(CatalogUri.Sqlite(file)))
      val base = lake.prepareToWrite()
      lake.commit(pending(base, create(base, "t"))).orThrow
      body(lake, tableOf(lake.prepareToWrite(), "t")): Unit
    }

  withTable("a column does not become NOT NULL when rows with NULL came since") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(table, withNulls("a", Some(3L))))).orThrow

    assert(why(lake.commit(pending(base, notNull(table)))).contains("`name`"))
  }

  withTable("nor when nobody says of the new rows whether they have NULL") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(table, file("a", 1, 5)))).orThrow

    assert(why(lake.commit(pending(base, notNull(table)))).contains("`name`"))
  }

  withTable("nor when rows came that the catalog keeps") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, inlined(table, 1, Literal.Null))).orThrow

    assert(why(lake.commit(pending(base, notNull(table)))).contains("`name`"))
  }

  withTable("nor when a flush has put rows with NULL into a file that begins earlier") {
    (lake, table) =>
      lake.commit(pending(lake.prepareToWrite(), inlined(table, 1, Literal.Text("x")))).orThrow
      val base = lake.prepareToWrite()
      lake.commit(pending(base, inlined(table, 2, Literal.Null))).orThrow
      lake.commit(pending(lake.prepareToWrite(), flush(lake, table, nulls = 1L))).orThrow

      assert(why(lake.commit(pending(base, notNull(table)))).contains("`name`"))
  }

  withTable("a table does not get a bucket key when a flush has put new rows beside ended ones") {
    (lake, table) =>
      lake.commit(pending(lake.prepareToWrite(), inlined(table, 1, Literal.Null))).orThrow
      lake.commit(pending(lake.prepareToWrite(), Operation.Truncate(table))).orThrow
      val base = lake.prepareToWrite()
      lake.commit(pending(base, inlined(table, 2, Literal.Null))).orThrow
      lake.commit(pending(lake.prepareToWrite(), flush(lake, table, nulls = 2L))).orThrow

      val keys = Vector(PartitionKey(0, ColumnId(1), Transform.Bucket(4)))
      val definition = TableDefinition.of(table).copy(partition = keys)
      val late = pending(base, Operation.AlterTable(table, table.schema, definition))
      assert(why(lake.commit(late)).contains("by a hash"))
  }

  withTable("deletes of rows that are being flushed become deletes of the file") { (lake, table) =>
    twoInlined(lake, table)
    val base = lake.prepareToWrite()
    val versions = Vector(VersionKey(1, base.snapshot.id), VersionKey(0, SnapshotId(2)))
    val planned = flush(lake, table, nulls = 2L, Some(versions))
    lake.commit(pending(base, deleteInlined(table, 0L))).orThrow
    val deleted = lake.prepareToWrite().snapshot.id.value

    lake.commit(pending(base, planned)).orThrow

    val kept = lake.prepareToWrite().inlinedHistory(table)
    assert(kept.rows.isEmpty)
    assert(kept.deletes.flatMap(_.positions) == Vector(1L))
    assert(kept.deletes.flatMap(_.snapshots) == Vector(deleted))
  }

  withTable("deletes of rows that a task is flushing are a conflict") { (lake, table) =>
    twoInlined(lake, table)
    val base = lake.prepareToWrite()
    val planned = flush(lake, table, nulls = 2L)
    lake.commit(pending(base, deleteInlined(table, 0L))).orThrow

    assert(why(lake.commit(pending(base, planned))).contains("changed since it began"))
    assert(lake.prepareToWrite().inlinedHistory(table).rows.map(_.versions) == Vector(2L))
  }

  withTable("a column becomes NOT NULL when the rows that came have no NULL") { (lake, table) =>
    lake.commit(pending(lake.prepareToWrite(), inlined(table, 1, Literal.Text("x")))).orThrow
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(table, withNulls("a", Some(0L))))).orThrow

    lake.commit(pending(base, notNull(table))).orThrow
    assert(!tableOf(lake.prepareToWrite(), "t").columns(1).nullsAllowed)
  }

  withTable("rows are not added to a table that became stricter since") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, notNull(table))).orThrow

    val late = Vector(append(table, withNulls("a", Some(3L))), inlined(table, 1, Literal.Null))
    late.foreach(each => assert(why(lake.commit(pending(base, each))).contains("columns")))
  }

  withTable("of two overwrites of nothing the second is refused") { (lake, table) =>
    val base = lake.prepareToWrite()
    val guard = Operation.AssertNoNewRows(table, RowScope.Every)
    def overwrite(name: String) = pending(base, append(table, file(name, 1, 5)), guard)

    assert(lake.commit(overwrite("a")).orThrow.id == SnapshotId(2))
    assert(why(lake.commit(overwrite("b"))).contains("another commit added rows"))
    assert(why(lake.commit(pending(base, inlined(table, 1, Literal.Null), guard))).nonEmpty)
  }

  withTable("rows in the catalog end an overwrite, too") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, inlined(table, 1, Literal.Null))).orThrow

    val guard = Operation.AssertNoNewRows(table, RowScope.Partitions(partitionOf(table), Set.empty))
    val late = pending(base, append(table, file("b", 1, 5)), guard)
    assert(why(lake.commit(late)).contains("another commit added rows"))
  }

  withTable("overwrites of everything are serialised as any that deletes") { (lake, table) =>
    val base = lake.prepareToWrite()
    def overwrite(name: String) = pending(
      base,
      Operation.Truncate(table),
      append(table, file(name, 1, 5)),
      Operation.AssertSameRows(table),
    )

    lake.commit(overwrite("a")).orThrow
    assert(why(lake.commit(overwrite("b"))).contains("added, changed or deleted rows"))
  }

  withTable("overwrites of different partitions do not meet") { (lake, plain) =>
    val table = partitioned(lake, plain)
    val base = lake.prepareToWrite()
    def overwrite(partition: Option[String]) = {
      val one = partition.fold(ofNull("p")) { text =>
        file(s"p=$text", text.toLong, text.toLong).copy(partition = Some(Vector(partition)))
      }
      val layout = RowScope.Partitions(partitionOf(table), Set(Vector(partition)))
      pending(base, append(table, one), Operation.AssertNoNewRows(table, layout))
    }

    lake.commit(overwrite(Some("1"))).orThrow
    lake.commit(overwrite(None)).orThrow
    lake.commit(overwrite(Some("2"))).orThrow
    Vector(Some("1"), None).foreach { again =>
      assert(why(lake.commit(overwrite(again))).contains("another commit added rows"))
    }
  }

  withTable("rows of a partition are found whatever value was stored for their file") {
    (lake, plain) =>
      val table = partitioned(lake, plain)
      val base = lake.prepareToWrite()
      val wrong = file("p=54", 1, 1).copy(partition = Some(Vector(Some("54"))))
      lake.commit(pending(base, append(table, wrong))).orThrow

      def overwrite(partition: String) = {
        val scope = RowScope.Partitions(partitionOf(table), Set(Vector(Some(partition))))
        pending(base, append(table, file("new", 5, 5)), Operation.AssertNoNewRows(table, scope))
      }
      assert(why(lake.commit(overwrite("1"))).contains("another commit added rows"))
      lake.commit(overwrite("54")).orThrow
  }

  withTable("a file of another layout may be of any partition") { (lake, plain) =>
    val table = partitioned(lake, plain)
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(table, file("anywhere", 1, 9)))).orThrow

    val one = file("p", 1, 1).copy(partition = Some(Vector(Some("1"))))
    val layout = RowScope.Partitions(partitionOf(table), Set(Vector(Some("1"))))
    val late = pending(base, append(table, one), Operation.AssertNoNewRows(table, layout))
    assert(why(lake.commit(late)).contains("another commit added rows"))
  }

  withTable("a table that was renamed since is neither dropped nor replaced") { (lake, table) =>
    val base = lake.prepareToWrite()
    val renamed = TableDefinition.of(table).copy(name = "backup")
    lake.commit(pending(base, Operation.AlterTable(table, table.schema, renamed))).orThrow

    val drop = Operation.DropTable(table)
    Vector(Vector(drop), Vector(drop, create(base, "t"))).foreach { late =>
      assert(
        why(lake.commit(pending(base, late: _*))).contains("to drop main.t, which was renamed")
      )
    }
    assert(lake.prepareToWrite().table("main", "backup").exists(_.id == table.id))
  }

  withTable("a view that was renamed since is neither dropped nor replaced") { (lake, _) =>
    lake.commit(pending(lake.prepareToWrite(), view(lake.prepareToWrite()))).orThrow
    val base = lake.prepareToWrite()
    val old = base.view("main", "v").getOrElse(fail("no view"))
    lake.commit(pending(base, Operation.RenameView(old, old.schema, "backup"))).orThrow

    val drop = Operation.DropView(old)
    Vector(Vector(drop), Vector(drop, view(base))).foreach { late =>
      assert(
        why(lake.commit(pending(base, late: _*))).contains("to drop main.v, which was renamed")
      )
    }
    assert(lake.prepareToWrite().view("main", "backup").exists(_.id == old.id))
  }

  withTable("a table that others changed since, and did not rename, is replaced") { (lake, table) =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(table, file("a", 1, 5)))).orThrow

    lake.commit(pending(base, Operation.DropTable(table), create(base, "t"))).orThrow
    assert(tableOf(lake.prepareToWrite(), "t").id != table.id)
  }

  private def view(base: LakeSnapshot): Operation =
    Operation.CreateView(
      base.schema("main").getOrElse(fail("no main")),
      "v",
      UUID.randomUUID(),
      "spark",
      "SELECT 1 AS a",
      "",
      Map.empty,
      Map.empty,
    )

  private def partitioned(lake: Lake, table: LakeTable): LakeTable = {
    val keys = Vector(PartitionKey(0, ColumnId(1), Transform.Identity))
    val definition = TableDefinition.of(table).copy(partition = keys)
    val alter = Operation.AlterTable(table, table.schema, definition)
    lake.commit(pending(lake.prepareToWrite(), alter)).orThrow
    tableOf(lake.prepareToWrite(), "t")
  }

  private def partitionOf(table: LakeTable) =
    table.partition.fold(ducklake.catalog.types.PartitionId(0))(_.id)

  private def notNull(table: LakeTable): Operation = {
    val definition = TableDefinition.of(table)
    val strict = definition.columns.updated(1, definition.columns(1).copy(nullsAllowed = false))
    Operation.AlterTable(table, table.schema, definition.copy(columns = strict))
  }

  private def ofNull(name: String): NewDataFile = {
    val nothing = ColumnStatistics(None, None, Some(0), Some(10), None, None)
    file(name, 1, 1).copy(
      partition = Some(Vector(None)),
      statistics = Map(ColumnId(1) -> nothing),
    )
  }

  private def withNulls(name: String, nulls: Option[Long]): NewDataFile = {
    val plain = file(name, 1, 5)
    val ofName = ColumnStatistics(
      Some(Literal.Text("a")),
      Some(Literal.Text("b")),
      nulls.map(10L - _),
      nulls,
      None,
      None,
    )
    plain.copy(statistics = plain.statistics + (ColumnId(2) -> ofName))
  }

  private def inlined(table: LakeTable, id: Long, name: Literal): Operation =
    Operation.AppendInlined(
      TableTarget.Existing(table),
      Vector(NewInlinedRow(None, Vector(Literal.Integral(id), name))),
    )

  private def twoInlined(lake: Lake, table: LakeTable): Unit =
    Vector(1L, 2L).foreach { id =>
      lake.commit(pending(lake.prepareToWrite(), inlined(table, id, Literal.Null))).orThrow
    }

  private def deleteInlined(table: LakeTable, rowId: Long): Operation =
    Operation.DeleteRows(table, Vector.empty, Vector.empty, Map.empty, Vector(rowId))

  /** A flush of all inlined rows to a file that begins at the first of them.
    *
    * @param versions of the file; None as if a task had written it
    */
  private def flush(
      lake: Lake,
      table: LakeTable,
      nulls: Long,
      versions: Option[Vector[VersionKey]] = None,
  ): Operation = {
    val head = lake.prepareToWrite().snapshot.id
    val file = withNulls("flushed", Some(nulls)).copy(rowIds = RowIds.Embedded)
    val flushed =
      FlushedFile(file, SnapshotRange(SnapshotId(2), head), deletes = None, versions)
    val name = s"ducklake_inlined_data_${table.id.value}_1"
    val rows = FlushedRows(name, table.columns, 2L, Vector(flushed))
    Operation.FlushInlined(table, head, Vector(rows), Vector.empty, None)
  }

  private def why(outcome: CommitOutcome): String = outcome match {
    case CommitOutcome.Failed(cause) => cause.getMessage
    case other => fail(other.toString)
  }
}
