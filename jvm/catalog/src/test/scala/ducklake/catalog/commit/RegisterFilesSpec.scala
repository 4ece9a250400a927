package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredDeletes
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Existing files become data files, with name mappings that are used again. */
class RegisterFilesSpec extends AnyFunSuite with CommitFixtures {

  private def mapping(names: String*): Vector[MappedColumn] =
    names.toVector.zipWithIndex.map { case (name, index) =>
      MappedColumn(name, ColumnId(index + 1L), isPartition = false, Vector.empty)
    }

  private def existing(path: String, which: Int): RegisteredFile =
    RegisteredFile(
      LakePath(path, isRelative = !path.startsWith("/")),
      Some(which),
      10,
      PhysicalFile(1000, 200, 1),
      None,
      Map(ColumnId(1) -> whole(1, 5, 10)),
    )

  private def register(
      table: LakeTable,
      mappings: Vector[Vector[MappedColumn]],
      files: RegisteredFile*
  ): Operation = Operation.RegisterFiles(table, mappings, files.toVector, "/data/", 0L)

  private def lakeWithTable(): Lake = {
    val uri = CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.sqlite").toString)
    val lake = Lakes.open(settings(uri))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    lake
  }

  private def commit(lake: Lake)(operation: LakeTable => Operation): CommitOutcome = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operation(tableOf(base, "t"))))
  }

  private def refusal(outcome: CommitOutcome): LakeError =
    outcome match {
      case CommitOutcome.Failed(cause) => cause.error
      case other => fail(s"not refused: $other")
    }

  test("files get their row ids, their paths and one mapping for each schema") {
    val lake = lakeWithTable()
    val both = Vector(mapping("ID", "name"), mapping("id"))

    commit(lake)(
      register(_, both, existing("/in/a", 0), existing("/in/b", 1), existing("c", 0))
    ).orThrow

    val now = lake.prepareToWrite()
    val listing = now.files(tableOf(now, "t"), FileRequest.everyFile)
    assert(listing.files.map(_.path) == Vector("/in/a", "/in/b", "/data/main/t/c"))
    assert(listing.files.map(_.rowIdStart) == Vector(Some(0L), Some(10L), Some(20L)))
    assert(
      listing.files.flatMap(_.mapping).map(listing.mappings).map(_.columns) ==
        Vector(both(0), both(1), both(0))
    )
    assert(listing.files.map(_.id.value) == Vector(2L, 3L, 4L))
  }

  test("files with the field ids of the table need no mapping, and may have deleted rows") {
    val lake = lakeWithTable()
    val deletes = RegisteredDeletes("a-delete", 3, PhysicalFile(100, 20, 1))
    val plain = existing("/in/a", 0).copy(mapping = None)

    commit(lake)(
      register(
        _,
        Vector.empty,
        plain.copy(deletes = Some(deletes)),
        existing("/in/b", 0).copy(mapping = None),
      )
    ).orThrow

    val now = lake.prepareToWrite()
    val files = now.files(tableOf(now, "t"), FileRequest.everyFile).files
    assert(files.map(_.mapping) == Vector(None, None))
    assert(files.map(_.id.value) == Vector(0L, 1L))
    assert(
      files.map(_.deleteFiles.map(_.path)) == Vector(Vector("/data/main/t/a-delete"), Vector.empty)
    )
    assert(files.flatMap(_.deleteFiles).map(_.id.value) == Vector(2L))
    assert(now.snapshot.nextFileId == 3)
    assert(files.map(_.rowIdStart) == Vector(Some(0L), Some(10L)))
  }

  test("a new table and its files are one commit, and a later column gets an id above the last") {
    val uri = CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.sqlite").toString)
    val lake = Lakes.open(settings(uri))
    val base = lake.prepareToWrite()
    val made = create(base, "t").copy(lastColumn = Some(ColumnId(9)))
    val table = LakeTable(
      TableId(UncommittedIds.First),
      made.uuid,
      made.schema,
      "t",
      "/data/main/t/",
      made.definition.columns,
      Map.empty,
      None,
      None,
    )
    val file = existing("/in/a", 0).copy(mapping = None)

    lake.commit(pending(base, made, register(table, Vector.empty, file))).orThrow

    val now = lake.prepareToWrite()
    val found = tableOf(now, "t")
    assert(now.files(found, FileRequest.everyFile).files.map(_.path) == Vector("/in/a"))
    assert(found.columns.map(_.id) == made.definition.columns.map(_.id))
    assert(now.nextColumnId(found) == ColumnId(10))
  }

  test("an equal mapping of an earlier commit is used again") {
    val lake = lakeWithTable()
    val names = Vector(mapping("id", "name"))

    commit(lake)(register(_, names, existing("/in/a", 0))).orThrow
    commit(lake)(register(_, names, existing("/in/b", 0))).orThrow

    val now = lake.prepareToWrite()
    val listing = now.files(tableOf(now, "t"), FileRequest.everyFile)
    assert(listing.files.flatMap(_.mapping).map(_.value) == Vector(0L, 0L))
    assert(now.snapshot.nextFileId == 3)
  }

  test("a file is refused that the lake has, in any spelling and at any snapshot") {
    val lake = lakeWithTable()
    val names = Vector(mapping("id", "name"))
    commit(lake)(append(_, file("written", 1, 5))).orThrow
    commit(lake)(register(_, names, existing("/in/a", 0))).orThrow
    commit(lake)(Operation.Truncate(_)).orThrow
    val before = lake.prepareToWrite().snapshot

    Vector(
      "written",
      "/data/main/t/written",
      "/data/main//u/../t/written",
      "/in/a",
      "/in/./a",
    ).foreach { path =>
      val found = refusal(commit(lake)(register(_, names, existing(path, 0))))
      assert(found.condition == "DUCKLAKE_FILE_ALREADY_REGISTERED", path)
    }
    assert(lake.prepareToWrite().snapshot == before)
  }

  test("the same file twice in one commit is refused, and nothing is registered") {
    val lake = lakeWithTable()
    val names = Vector(mapping("id", "name"))
    val before = lake.prepareToWrite().snapshot

    val found = refusal(
      commit(lake)(register(_, names, existing("/in/a", 0), existing("/in/a", 0)))
    )

    assert(found.condition == "DUCKLAKE_FILE_ALREADY_REGISTERED")
    assert(lake.prepareToWrite().snapshot == before)
  }

  test("of two commits that register one file, the second is refused") {
    val lake = lakeWithTable()
    val names = Vector(mapping("id", "name"))
    val base = lake.prepareToWrite()
    val operation = register(tableOf(base, "t"), names, existing("/in/a", 0))

    lake.commit(pending(base, operation)).orThrow

    val found = refusal(lake.commit(pending(base, operation)))
    assert(found.condition == "DUCKLAKE_FILE_ALREADY_REGISTERED")
  }

  test("a file of another table is refused, dropped or not") {
    val lake = lakeWithTable()
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "u"))).orThrow
    val second = lake.prepareToWrite()
    lake.commit(pending(second, append(tableOf(second, "u"), file("other", 1, 5)))).orThrow
    val third = lake.prepareToWrite()
    lake.commit(pending(third, Operation.DropTable(tableOf(third, "u")))).orThrow

    val found = refusal(
      commit(lake)(register(_, Vector(mapping("id")), existing("/data/main/u/other", 0)))
    )

    assert(found.condition == "DUCKLAKE_FILE_ALREADY_REGISTERED")
  }

  test("files with lower ids than the caller has looked at are not looked at again") {
    val lake = lakeWithTable()
    commit(lake)(register(_, Vector(mapping("id")), existing("/in/a", 0))).orThrow
    val next = lake.prepareToWrite().snapshot.nextFileId
    val again = Vector(existing("/in/a", 0))

    commit(lake)(Operation.RegisterFiles(_, Vector(mapping("id")), again, "/data/", next)).orThrow
  }
}
