package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.RelationKind
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.PartitionId
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

  private val empty = StagedLake.empty("/data/")

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
    statements.foldLeft(empty) { (lake, operations) =>
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
    assert(of(all).operations("/data/", Vector.empty, None).isEmpty)
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
      own.operations("/data/", own.files, None) ==
        Vector(Operation.Truncate(one), Operation.AppendFiles(TableTarget.Existing(one), added))
    )
    assert(lake.guards == Vector(guard))
  }

  test("files that embed row ids need no row ids") {
    val embedded = file("a", 1, 5).copy(rowIds = RowIds.Embedded)
    val lake = after(Vector(append(one, embedded)))
    assert(of(lake).files.head.listed(one.columns).rowIdStart.isEmpty)
    assert(lake.nextId == UncommittedIds.First + 2)
  }

  test("rows are not deleted from a table that another statement changed meanwhile") {
    val seen = empty
    val lake = after(Vector(append(one, file("a", 1, 5))))
    lake.stage(Vector(delete(rows = Vector(1L))), seen.generationOf) match {
      case Left(LakeError.CommitConflict(why, _)) => assert(why.contains("of the same transaction"))
      case other => fail(other.toString)
    }
    assert(lake.stage(Vector(append(one, file("b", 1, 5))), seen.generationOf).isRight)
    assert(after(Vector(append(two, file("a", 1, 5)))).generationOf(one.id) == 0L)
  }

  test("an operation that cannot be part is refused by its name") {
    empty.stage(Vector(Operation.MergeFiles(one, Vector.empty)), _ => 0L) match {
      case Left(error) =>
        assert(error.condition == "DUCKLAKE_UNSUPPORTED")
        assert(error.message.startsWith("Merging files of main.t1 inside a transaction"))
      case Right(_) => fail("it was not refused")
    }
  }

  private val uuid = UUID.randomUUID()

  private def create(name: String, in: LakeSchema = schema): Operation.CreateTable =
    Operation.CreateTable(
      in,
      uuid,
      LakePath(s"$name/", isRelative = true),
      TableDefinition(in.id, name, one.columns, Map.empty, Vector.empty, Vector.empty),
      Map("target_file_size" -> "1000"),
    )

  private def made(lake: StagedLake): LakeTable =
    lake.objects.tables.values.flatMap(_.now).headOption.getOrElse(fail("no table was made"))

  test("a table that was made gets its rows under its uuid") {
    val rows = Operation.AppendFiles(TableTarget.Created(uuid), Vector(file("a", 1, 5)))
    val lake = after(Vector(create("new"), rows))
    val table = made(lake)
    assert(UncommittedIds.contains(table.id.value))
    assert(table.directory == "/data/main/new/")
    assert(lake.written == Vector("/data/main/new/a"))
    val option = LakeOption("target_file_size", "1000", OptionScope.OfTable(table.id))
    assert(lake.optionsOver(Vector.empty) == Vector(option))
    assert(lake.objects.operations == Vector(create("new")))
    val own = of(lake, table)
    assert(own.operations("/data/", Vector.empty, None).isEmpty)
    assert(TableTarget.of(table) == TableTarget.Created(uuid))
  }

  private def set(scope: OptionScope, value: Option[String]): Operation =
    Operation.SetOptions(scope, Vector(OptionChange("target_file_size", value)))

  test("of several values of an option the last one counts") {
    val (lakeWide, ofOne) = (OptionScope.Global, OptionScope.OfTable(one.id))
    val lake = after(
      Vector(set(lakeWide, Some("1")), set(ofOne, Some("2"))),
      Vector(set(lakeWide, Some("3")), set(OptionScope.OfSchema(schema.id), Some("4"))),
      Vector(set(ofOne, None)),
    )
    val stored = Vector(
      LakeOption("target_file_size", "9", ofOne),
      LakeOption("sort_on_insert", "true", lakeWide),
    )
    assert(
      lake.optionsOver(stored).map(option => (option.key, option.value)).toSet ==
        Set("sort_on_insert" -> "true", "target_file_size" -> "3", "target_file_size" -> "4")
    )
    assert(lake.options.operations.size == 3)
    assert(lake.options.operations.contains(set(ofOne, None)))
    assert(lake.objects.isEmpty && lake.tables.isEmpty)
    val dropped = lake.stage(Vector(Operation.DropTable(one)), lake.generationOf)
    assert(right(dropped).options.operations.size == 2)
  }

  test("options of a table that was made are part of its creation") {
    val begun = after(Vector(create("new")))
    val id = made(begun).id
    def created(lake: StagedLake) = lake.objects.operations.collect {
      case create: Operation.CreateTable => create.options
    }
    val changed = begun.stage(
      Vector(
        set(OptionScope.OfTable(id), None),
        Operation.SetOptions(
          OptionScope.OfTable(id),
          Vector(OptionChange("sort_on_insert", Some("false"))),
        ),
      ),
      begun.generationOf,
    )
    assert(created(right(changed)) == Vector(Map("sort_on_insert" -> "false")))
    assert(right(changed).options.operations.isEmpty)
  }

  test("a table that was made and dropped leaves nothing") {
    val lake = after(Vector(create("new"), append(one, file("a", 1, 5))))
    val dropped = lake
      .stage(Vector(Operation.DropTable(made(lake))), lake.generationOf)
      .getOrElse(fail("refused"))
    assert(dropped.objects.isEmpty)
    assert(dropped.tables.keySet == Set(one.id))
  }

  test("several changes of a definition are one, from the first to the last") {
    val named = TableDefinition.of(one).copy(name = "second")
    val begun = after(Vector(Operation.AlterTable(one, schema, named)))
    val second = of(begun).table
    val more = column(2, "more", LakeType.Varchar)
    val wider = named.copy(columns = one.columns :+ more)
    val lake = begun
      .stage(Vector(Operation.AlterTable(second, schema, wider)), begun.generationOf)
      .getOrElse(fail("refused"))
    assert(lake.objects.operations == Vector(Operation.AlterTable(one, schema, wider)))
    assert(of(lake).nextColumnId(ColumnId(2)) == ColumnId(3))
  }

  private val more = column(2, "more", LakeType.Varchar).copy(initialDefault = Some("x"))

  private def altered(
      lake: StagedLake,
      table: LakeTable,
      change: TableDefinition => TableDefinition,
  ): Either[LakeError, StagedLake] =
    lake.stage(
      Vector(Operation.AlterTable(table, schema, change(TableDefinition.of(table)))),
      lake.generationOf,
    )

  private def right(lake: Either[LakeError, StagedLake]): StagedLake =
    lake.fold(error => fail(error.message), identity)

  test("own inlined rows get the values of changed columns") {
    val begun = after(Vector(inlined(one, None -> 7L)))
    val wide = Vector(more, column(1, "key", LakeType.Decimal(20, 1)))
    val lake = right(altered(begun, one, _.copy(columns = wide)))
    val seven = Literal.Dec(new java.math.BigDecimal("7.0"))
    assert(of(lake).rows.map(_.values) == Vector(Vector(Literal.Text("x"), seven)))
  }

  test("own inlined rows that get into files are added with the files") {
    val begun = after(Vector(append(one, file("a", 1, 5)), inlined(one, None -> 7L)))
    val inFiles = of(begun).withRowsIn(Vector(file("b", 7, 7)))
    inFiles.operations("/data/", inFiles.files, None) match {
      case Vector(Operation.AppendFiles(_, files)) =>
        assert(files.map(_.path) == of(begun).files.map(_.file.path) :+ file("b", 7, 7).path)
      case other => fail(other.toString)
    }
  }

  test("own files are added with the statistics of the columns at the end") {
    val begun = after(Vector(append(one, file("a", 1, 5))))
    val wide = right(
      altered(begun, one, _.copy(columns = Vector(column(1, "id", LakeType.Decimal(20, 1)), more)))
    )
    val added = of(wide).files
    of(wide).operations("/data/", added, None) match {
      case Vector(Operation.AppendFiles(_, Vector(file))) =>
        val bounds = file.statistics(ColumnId(1))
        assert(bounds.min.contains(Literal.Dec(new java.math.BigDecimal("1.0"))))
        assert(bounds.max.contains(Literal.Dec(new java.math.BigDecimal("5.0"))))
        assert(file.statistics.keySet == Set(ColumnId(1)))
      case other => fail(other.toString)
    }
    val dropped = right(altered(wide, of(wide).table, _.copy(columns = Vector(more))))
    assert(added.head.statistics(of(dropped).table.columns).isEmpty)
  }

  private val byId = Vector(PartitionKey(0, ColumnId(1), Transform.Identity))

  private def keyed(name: String) = file(name, 5, 5).copy(partition = Some(Vector(Some("5"))))

  test("a file keeps the partition keys for which it was written") {
    val base = one.copy(partition = Some(PartitionSpec(PartitionId(9), byId)))
    val begun = after(Vector(append(base, keyed("a"))))
    val plain = right(altered(begun, base, _.copy(partition = Vector.empty)))
    val written = right(
      plain.stage(Vector(append(of(plain).table, file("b", 1, 5))), plain.generationOf)
    )
    val added = of(written).files
    of(written).operations("/data/", added, None) match {
      case Vector(keys: Operation.AppendFiles, none: Operation.AppendFiles) =>
        assert(keys.existing.flatMap(_.partition).map(_.id).contains(PartitionId(9)))
        assert(keys.files.map(_.partition) == Vector(Some(Vector(Some("5")))))
        assert(none.existing.exists(_.partition.isEmpty))
        assert(none.files.map(_.partition) == Vector(None))
      case other => fail(other.toString)
    }
    val back = right(altered(written, of(written).table, _.copy(partition = byId)))
    assert(of(back).table.partition.map(_.id).contains(PartitionId(9)))
    assert(back.objects.operations.isEmpty)
  }

  test("a file has no partition keys when the transaction has made and replaced them") {
    val partitioned = right(altered(empty, one, _.copy(partition = byId)))
    val begun = right(
      partitioned.stage(Vector(append(of(partitioned).table, keyed("a"))), partitioned.generationOf)
    )
    assert(of(begun).files.head.listed(one.columns).partition.nonEmpty)
    val plain = right(altered(begun, of(begun).table, _.copy(partition = Vector.empty)))
    of(plain).operations("/data/", of(plain).files, None) match {
      case Vector(Operation.AppendFiles(_, files)) => assert(files.map(_.partition) == Vector(None))
      case other => fail(other.toString)
    }
  }

  private val fromPath =
    Vector(MappedColumn("id", ColumnId(1), isPartition = true, Vector.empty))

  private def register(table: LakeTable, path: String): Operation.RegisterFiles = {
    val stored = LakePath(path, isRelative = false)
    val facts = PhysicalFile(1000, 200, 1)
    val known =
      RegisteredFile(stored, Some(0), 10, facts, None, Map(ColumnId(1) -> whole(5, 5, 10)))
    Operation.RegisterFiles(table, Vector(fromPath), Vector(known), "/data/", 3L)
  }

  test("a registered file is not a file that the transaction wrote") {
    val lake = after(
      Vector(register(one, "/far/id=5/a.parquet")),
      Vector(register(one, "/far/id=5/b.parquet")),
      Vector(append(one, file("c", 1, 5))),
    )
    assert(lake.written == Vector("/data/main/t1/c"))
    assert(
      lake.addedPaths == Vector("/far/id=5/a.parquet", "/far/id=5/b.parquet", "/data/main/t1/c")
    )
    val listed = of(lake).files.head.listed(one.columns)
    assert(listed.constants == Map(ColumnId(1) -> Literal.Integral(5)))
    assert(listed.mapping.exists(id => UncommittedIds.contains(id.value)))
    of(lake).operations("/data/", of(lake).files, None) match {
      case Vector(both: Operation.RegisterFiles, _: Operation.AppendFiles) =>
        val paths = Vector("/far/id=5/a.parquet", "/far/id=5/b.parquet")
        assert(both.files.map(_.path.text) == paths)
        assert(both.mappings == Vector(fromPath) && both.checkedBelow == 3L)
      case other => fail(other.toString)
    }
  }

  test("files are registered for a table that was made") {
    val begun = after(Vector(create("new")))
    val lake = right(begun.stage(Vector(register(made(begun), "/far/a")), begun.generationOf))
    of(lake, made(lake)).operations("/data/", of(lake, made(lake)).files, None) match {
      case Vector(files: Operation.RegisterFiles) =>
        assert(files.target == TableTarget.Created(uuid) && files.existing.isEmpty)
      case other => fail(other.toString)
    }
  }

  test("rows do not fit a table whose columns another statement changed meanwhile") {
    val lake = right(altered(empty, one, _.copy(columns = one.columns :+ more)))
    Vector(append(one, file("a", 1, 5)), inlined(one, None -> 7L)).foreach { rows =>
      lake.stage(Vector(rows), lake.generationOf) match {
        case Left(LakeError.CommitConflict(why, _)) =>
          assert(why.contains("of the same transaction"))
        case other => fail(other.toString)
      }
    }
    val dropped = after(Vector(Operation.DropTable(one)))
    assert(dropped.stage(Vector(append(one, file("a", 1, 5))), _ => 0L).isLeft)
  }

  test("a schema that was made comes before what is made in it") {
    val id = UUID.randomUUID()
    val path = LakePath("s/", isRelative = true)
    val begun = after(Vector(Operation.CreateSchema(None, "s", id, path, Map.empty)))
    val own = begun.objects.schemas.values.flatMap(_.now).headOption.getOrElse(fail("no schema"))
    assert(own.directory == "/data/s/")
    val lake =
      begun.stage(Vector(create("new", own)), begun.generationOf).getOrElse(fail("refused"))
    lake.objects.operations match {
      case Vector(made: Operation.CreateSchema, table: Operation.CreateTable) =>
        assert(made.alias.contains(own.id))
        assert(table.schema.id == own.id)
      case other => fail(other.toString)
    }
  }

  test("a dropped table makes room for another one of its name") {
    val lake = after(Vector(Operation.DropTable(one), create("t1")))
    assert(lake.objects.operations == Vector(Operation.DropTable(one), create("t1")))
    val names = new StagedNames(lake.objects)
    assert(names.table(schema, "T1")(Some(one)).exists(_.uuid == uuid))
    assert(names.relations(schema)(Vector(RelationName("t1", RelationKind.Table))).size == 1)
  }
}
