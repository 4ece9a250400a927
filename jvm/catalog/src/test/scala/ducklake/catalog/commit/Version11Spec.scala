package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSettings
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.MigrationRule
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.partition.Transform
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.testkit.Columns
import ducklake.catalog.testkit.RaisedLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path
import java.util.UUID

/** Lakes of version 1.1 on SQLite: made, migrated, read and written. */
class Version11Spec extends AnyFunSuite with CommitFixtures {

  private def newFile(): Path = Files.createTempDirectory("lake").resolve("lake.db")

  private def of(file: Path, version: FormatVersion): LakeSettings =
    settings(CatalogUri.Sqlite(file.toString)).copy(version = version)

  private def open(file: Path, version: FormatVersion = FormatVersion.V10): Lake =
    Lakes.open(of(file, version))

  private def migrating(file: Path): Lake =
    Lakes.open(of(file, FormatVersion.V11).copy(migration = MigrationRule.Automatic))

  private def errorOf(body: => Any): LakeError = intercept[LakeException](body: Unit).error

  private def commit(lake: Lake)(operations: LakeSnapshot => Vector[Operation]): Unit = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operations(base): _*)).orThrow: Unit
  }

  private def inline(at: LakeSnapshot, id: Long, name: String): Operation = {
    val row = NewInlinedRow(None, Vector(Literal.Integral(id), Literal.Text(name)))
    Operation.AppendInlined(TableTarget.Existing(tableOf(at, "t")), Vector(row))
  }

  /** A table `t` with an inlined row and a file. */
  private def fill(lake: Lake): Unit = {
    commit(lake)(at => Vector(create(at, "t")))
    commit(lake)(at => Vector(inline(at, 7, "seven")))
    commit(lake)(at => Vector(append(tableOf(at, "t"), file("a.parquet", 1, 9))))
  }

  private def inlined(lake: Lake): Vector[Vector[Literal]] = {
    val now = lake.newest().getOrElse(fail("no lake"))
    val table = tableOf(now, "t")
    val kept = new CollectedRows
    val request = InlinedRequest(table.columns, None, kept)
    now.files(table, FileRequest(Vector.empty, Set.empty, Some(request))): Unit
    kept.rows.map(_.values)
  }

  private val seven = Vector(Vector(Literal.Integral(7), Literal.Text("seven")))

  test("a migrated lake is what plain SQL makes of it, and a new lake has the same tables") {
    val (ours, theirs, fresh) = (newFile(), newFile(), newFile())
    fill(open(ours))
    RaisedLake.copy(ours, theirs)
    fill(open(fresh, FormatVersion.V11))

    RaisedLake.raise(theirs)
    migrating(ours).prepareToWrite()

    assert(RaisedLake.content(ours) == RaisedLake.content(theirs))
    val columns = RaisedLake.content(fresh).map { case (table, (names, _)) => table -> names }
    assert(columns == RaisedLake.content(ours).map { case (table, (names, _)) => table -> names })
    assert(inlined(open(ours)) == seven && inlined(open(fresh)) == seven)
  }

  test("a lake of 1.0 stays so unasked, and a lake of 1.1 is never brought back") {
    val (old, newer) = (newFile(), newFile())
    fill(open(old))
    fill(open(newer, FormatVersion.V11))
    val asked = of(newer, FormatVersion.V10).copy(migration = MigrationRule.Automatic)

    assert(open(old, FormatVersion.V11).prepareToWrite().version == FormatVersion.V10)
    assert(Lakes.open(asked).prepareToWrite().version == FormatVersion.V11)
  }

  test("a commit migrates the lake, and not the search for its base") {
    val file = newFile()
    fill(open(file))
    val lake = migrating(file)
    def version = RaisedLake.ask(file, "SELECT value FROM ducklake_metadata WHERE key = 'version'")

    val base = lake.newestToWrite()

    assert(base.version == FormatVersion.V11 && version == Vector(Vector("1.0")))
    assert(inlined(lake) == seven)
    lake.commit(pending(base, inline(base, 8, "eight"))).orThrow
    assert(version == Vector(Vector("1.1")) && inlined(lake).size == 2)
  }

  test("a commit fails when its migration does") {
    val file = newFile()
    fill(open(file))
    RaisedLake.run(file, "DROP TABLE ducklake_inlined_data_1_1")
    val lake = migrating(file)
    val base = lake.newestToWrite()

    val outcome = lake.commit(pending(base, create(base, "u")))

    assert(outcome.isInstanceOf[CommitOutcome.Failed])
  }

  test("what a migration repairs") {
    val file = newFile()
    fill(open(file))
    RaisedLake.run(
      file,
      "DELETE FROM ducklake_schema_versions",
      "UPDATE ducklake_table_column_stats SET min_value = 'x' WHERE column_id = 1",
      "UPDATE ducklake_file_column_stats SET max_value = 'x' WHERE column_id = 1",
    )

    migrating(file).prepareToWrite()

    val versions = "SELECT begin_snapshot, schema_version, table_id FROM ducklake_schema_versions"
    assert(RaisedLake.ask(file, versions) == Vector(Vector("1", "1", "1")))
    assert(RaisedLake.ask(file, "SELECT column_id FROM ducklake_table_column_stats").isEmpty)
    val bounds = "SELECT column_id, min_value, max_value FROM ducklake_file_column_stats"
    assert(RaisedLake.ask(file, bounds) == Vector(Vector("1", "null", "null")))
  }

  test("a column with a name that 1.1 needs stops the migration, and nothing is changed") {
    val file = newFile()
    fill(open(file))
    val inlinedTable = "ducklake_inlined_data_1_1"
    RaisedLake.run(file, s"ALTER TABLE $inlinedTable RENAME COLUMN name TO _DuckLake_Row_Id")
    val before = RaisedLake.content(file)

    val error = errorOf(migrating(file).prepareToWrite())

    assert(error.message.contains("`t` has a column `_ducklake_row_id`"))
    assert(RaisedLake.content(file) == before)
  }

  test("an inlined table that is listed and is not there stops the migration") {
    val file = newFile()
    fill(open(file))
    RaisedLake.run(file, "DROP TABLE ducklake_inlined_data_1_1")

    assert(errorOf(migrating(file).prepareToWrite()).message.contains("ducklake_inlined_data_1_1"))
  }

  test("a lake that another session migrated is read and written by the next statement") {
    val file = newFile()
    val lake = open(file)
    fill(lake)
    val before = lake.newest().getOrElse(fail("no lake"))
    assert(inlined(lake) == seven)

    RaisedLake.raise(file)

    val asked = FileRequest.everyFile
    val failure = errorOf(before.files(tableOf(before, "t"), asked))
    assert(failure.message.contains("migrated from 1.0 to 1.1"))
    val flush = errorOf(before.inlinedHistory(tableOf(before, "t")))
    assert(flush.message.contains("migrated from 1.0 to 1.1"))
    assert(inlined(lake) == seven)
    commit(lake)(at => Vector(inline(at, 8, "eight")))
    assert(inlined(lake).size == 2)
  }

  test("a name that is reserved since a migration is refused by the commit") {
    val file = newFile()
    val lake = open(file)
    fill(lake)
    val base = lake.prepareToWrite()
    val Operation.CreateTable(schema, uuid, path, definition, options, _) =
      create(base, "new"): @unchecked
    val columns = definition.columns.map(column => column.copy(name = s"_ducklake_${column.name}"))
    val operation =
      Operation.CreateTable(schema, uuid, path, definition.copy(columns = columns), options)

    RaisedLake.raise(file)

    val error = errorOf(lake.commit(pending(base, operation)).orThrow)
    assert(error.isInstanceOf[LakeError.InvalidName])
  }

  test("an altered table gets the inlined table into which DuckDB 2.0 inserts its small inserts") {
    def inlinedTables(version: FormatVersion, typeText: String): Vector[String] = {
      val file = newFile()
      val lake = open(file, version)
      fill(lake)
      commit(lake) { at =>
        val table = tableOf(at, "t")
        val more = table.columns :+ Columns.leaf(at.nextColumnId(table).value, "v", typeText)
        Vector(
          Operation.AlterTable(
            table,
            table.schema,
            TableDefinition.of(table).copy(columns = more),
          )
        )
      }
      val last = "SELECT type FROM pragma_table_info('ducklake_inlined_data_1_2') WHERE name = 'v'"
      assert(inlined(lake) == seven.map(_ :+ Literal.Null))
      assert(!lake.newest().exists(at => at.mayInline(tableOf(at, "t").columns)))
      RaisedLake.ask(file, last).flatten
    }

    assert(inlinedTables(FormatVersion.V11, "variant") == Vector("BLOB"))
    assert(inlinedTables(FormatVersion.V11, "timestamptz_ns") == Vector("VARCHAR"))
    assert(inlinedTables(FormatVersion.V10, "variant").isEmpty)
    assert(inlinedTables(FormatVersion.V11, "geometry").isEmpty)
  }

  test("a commit brings no type and no partition key of 1.1 into a lake of 1.0") {
    val (old, newer) = (newFile(), newFile())
    val (lake, of11) = (open(old), open(newer, FormatVersion.V11))
    fill(lake)
    fill(of11)
    def definition(base: LakeSnapshot, lakeType: LakeType, keys: Transform*): TableDefinition = {
      val columns = Vector(column(1, "ts", lakeType))
      val partition = keys.map(PartitionKey(0, ColumnId(1), _)).toVector
      TableDefinition.of(tableOf(base, "t")).copy(columns = columns, partition = partition)
    }
    def made(base: LakeSnapshot, of: TableDefinition): Operation =
      create(base, "new")
        .asInstanceOf[Operation.CreateTable]
        .copy(definition = of.copy(name = "new"))
    def altered(base: LakeSnapshot, of: TableDefinition): Operation = {
      val table = tableOf(base, "t")
      Operation.AlterTable(table, table.schema, of)
    }
    val definitions = Vector[LakeSnapshot => TableDefinition](
      definition(_, LakeType.Timestamp, Transform.Epoch(Transform.Day)),
      definition(_, LakeType.TimestampTzNs),
      definition(_, LakeType.NullType),
    )
    val shape: LakeSnapshot => TableDefinition = definition(_, LakeType.Geometry("point"))
    for (definition <- definitions :+ shape; operation <- Vector(made _, altered _)) {
      val base = lake.prepareToWrite()
      val refused = lake.commit(pending(base, operation(base, definition(base))))
      val error = errorOf(refused.orThrow)
      assert(error.condition == "DUCKLAKE_UNSUPPORTED" && error.message.contains("version 1.0"))
    }
    definitions.foreach(definition => commit(of11)(at => Vector(altered(at, definition(at)))))
  }

  test("a snapshot whose changes are NULL changed nothing; without a row nobody knows") {
    val file = newFile()
    val lake = open(file)
    fill(lake)
    val base = lake.prepareToWrite()
    commit(lake) { at =>
      Vector(Operation.SetSchemaTags(at.schema("main").getOrElse(fail("no main")), Map("k" -> "v")))
    }
    val last = s"WHERE snapshot_id = ${base.snapshot.id.value + 1}"
    RaisedLake.run(file, s"UPDATE ducklake_snapshot_changes SET changes_made = NULL $last")

    assert(lake.snapshots().lastOption.flatMap(_.changesMade).contains(""))
    lake.commit(pending(base, create(base, "u"))).orThrow

    RaisedLake.run(file, s"DELETE FROM ducklake_snapshot_changes $last")
    assert(lake.snapshots().exists(_.changesMade.isEmpty))
    val error = errorOf(lake.commit(pending(base, create(base, "v"))).orThrow)
    assert(error.isInstanceOf[LakeError.CommitConflict])
  }

  test("files say their row groups, and bounds whether they are exact") {
    val file = newFile()
    val lake = open(file, FormatVersion.V11)
    fill(lake)
    val query = "SELECT row_group_count FROM ducklake_data_file"
    assert(RaisedLake.ask(file, query) == Vector(Vector("1")))
    val ofFile = "SELECT min_is_exact, max_is_exact FROM ducklake_file_column_stats"
    assert(RaisedLake.ask(file, ofFile) == Vector(Vector("1", "1")))
    val ofTable = "SELECT column_id, min_value, min_is_exact, max_is_exact " +
      "FROM ducklake_table_column_stats ORDER BY column_id"
    assert(RaisedLake.ask(file, ofTable) == Vector(Vector("1", "1", "1", "1")))

    commit(lake) { at =>
      val gone =
        NewDeleteFile(DataFileId(0), Vector.empty, "gone.parquet", 1, PhysicalFile(300, 100, 1))
      Vector(
        Operation.DeleteRows(tableOf(at, "t"), Vector.empty, Vector(gone), Map.empty, Vector.empty)
      )
    }

    assert(RaisedLake.ask(file, ofTable) == Vector(Vector("1", "1", "0", "0")))
    val deletes = "SELECT row_group_count FROM ducklake_delete_file"
    assert(RaisedLake.ask(file, deletes) == Vector(Vector("1")))
  }

  test("counters that are not known stay so, and the size becomes that of the files") {
    val file = newFile()
    val lake = open(file, FormatVersion.V11)
    fill(lake)
    RaisedLake.run(
      file,
      "UPDATE ducklake_table_stats SET record_count = NULL, file_size_bytes = NULL",
    )

    commit(lake)(at => Vector(append(tableOf(at, "t"), this.file("b.parquet", 1, 9))))

    val counters = "SELECT record_count, next_row_id, file_size_bytes FROM ducklake_table_stats"
    assert(RaisedLake.ask(file, counters) == Vector(Vector("null", "21", "2000")))
  }

  test("comments on columns of a view begin and end with it, and go with its snapshots") {
    val file = newFile()
    val lake = open(file, FormatVersion.V11)
    commit(lake) { at =>
      val main = at.schema("main").getOrElse(fail("no main"))
      val comments = Map("A" -> "first")
      Vector(
        Operation.CreateView(
          main,
          "v",
          UUID.randomUUID(),
          "spark",
          "SELECT 1 AS A",
          "",
          Map.empty,
          comments,
        )
      )
    }
    val view = lake.prepareToWrite().view("main", "v").getOrElse(fail("no view"))
    assert(view.columnComments == Map("A" -> "first"))

    commit(lake)(_ => Vector(Operation.DropView(view)))

    val rows = "SELECT view_id, column_name, begin_snapshot, end_snapshot, key, value " +
      "FROM ducklake_view_column_tag"
    assert(RaisedLake.ask(file, rows) == Vector(Vector("1", "A", "1", "2", "comment", "first")))
    val criterion = ExpiryCriterion.Versions(Set(SnapshotId(1)))
    lake.expire(lake.planExpiry(criterion).getOrElse(fail("no plan")))
    assert(RaisedLake.ask(file, rows).isEmpty)
  }

  test("a schema in a schema is found by its path alone") {
    val file = newFile()
    val lake = open(file, FormatVersion.V11)
    def schema(parent: Option[LakeSchema], name: String) = Operation
      .CreateSchema(
        parent,
        name,
        UUID.randomUUID(),
        LakePath(s"${UUID.randomUUID()}/", isRelative = true),
        Map.empty,
      )
    commit(lake)(_ => Vector(schema(None, "a"), schema(None, "a.b")))
    commit(lake)(at => Vector(schema(at.schema("a"), "b"), schema(at.schema("a"), "Main")))
    val now = lake.prepareToWrite()

    val inner = now.schema(Vector("A", "B")).getOrElse(fail("no a.b"))
    assert(inner.path == Vector("a", "b") && inner.parent == now.schema("a").map(_.id))
    assert(now.schema("b").isEmpty && now.schema("a.b").exists(_.id != inner.id))
    assert(now.schema(Vector("a", "main")).exists(_.name == "Main"))
    assert(now.schemas().size == 5)
    assert(
      lake.snapshots().flatMap(_.changesMade).last ==
        "created_schema:\"a\".\"b\",created_schema:\"a\".\"Main\""
    )
    val stored = "SELECT parent_schema_id FROM ducklake_schema WHERE schema_name = 'b'"
    assert(RaisedLake.ask(file, stored) == Vector(Vector(inner.parent.map(_.value.toString).get)))
  }

  test("columns that nobody knows are left out, and such a lake is not written") {
    val file = newFile()
    fill(open(file, FormatVersion.V11))
    RaisedLake.run(file, "ALTER TABLE ducklake_data_file ADD COLUMN color VARCHAR")
    val lake = open(file)

    assert(inlined(lake) == seven)
    assert(errorOf(lake.prepareToWrite()).message.contains("ducklake_data_file.color"))
  }

  test("a development version is read by the columns that are there, and not written") {
    val (bare, full) = (newFile(), newFile())
    fill(open(bare))
    fill(open(full, FormatVersion.V11))
    val version = "UPDATE ducklake_metadata SET value = '1.1-dev1' WHERE key = 'version'"
    Vector(bare, full).foreach(RaisedLake.run(_, version))

    Vector(bare, full).foreach { file =>
      val lake = open(file)
      assert(inlined(lake) == seven)
      assert(errorOf(lake.prepareToWrite()).message.contains("version 1.1-dev1"))
      assert(errorOf(migrating(file).prepareToWrite()).message.contains("version 1.1-dev1"))
    }
  }
}
