package ducklake.spark.definition

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.SnapshotOverlay
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.error.LakeError
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.ColumnId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

class NotNullSpec extends AnyFunSuite with CommitFixtures {

  /** Counts the files that are listed. */
  private final class Counting extends SnapshotOverlay {
    var listed = 0

    override def files(table: LakeTable, request: FileRequest)(
        found: FileRequest => FileListing
    ): FileListing = {
      val listing = found(request)
      listed += listing.files.size
      listing
    }
  }

  private def withFiles(files: NewDataFile*): (LakeSnapshot, Counting) = {
    val uri = CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.sqlite").toString)
    val lake = Lakes.open(settings(uri))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow: Unit
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(tableOf(base, "t"), files: _*))).orThrow: Unit
    val counting = new Counting
    (lake.prepareToWrite().seenThrough(counting), counting)
  }

  private def set(base: LakeSnapshot, column: String): Either[LakeError, TableDraft] = {
    val table = tableOf(base, "t")
    val columns = table.columns
    val definition =
      TableDefinition(table.schema.id, "t", columns, Map.empty, Vector.empty, Vector.empty)
    val draft =
      TableDraft("main.t", definition, base.nextColumnId(table), base.version, RowPresence.HasRows)
    NotNull.set(draft, base, table, Vector(column))
  }

  private def why(result: Either[LakeError, TableDraft]): String =
    result.fold(_.message, _ => "no error")

  test("files that are known to have no NULL are not listed") {
    val (base, counting) = withFiles(file("a", 1, 5), file("b", 6, 9))

    assert(set(base, "id").isRight)
    assert(counting.listed == 0)
  }

  test("a file with a NULL is found among the others") {
    val some = Map(ColumnId(1) -> whole(1, 5, 7).copy(nullCount = Some(3L)))
    val (base, counting) =
      withFiles(file("a", 1, 5), file("b", 6, 9).copy(statistics = some))

    assert(why(set(base, "id")).contains("it has NULLs"))
    assert(counting.listed == 1)
  }

  test("a file without statistics of the column may have NULLs") {
    val (base, _) = withFiles(file("a", 1, 5))

    assert(why(set(base, "name")).contains("does not say whether it has NULLs"))
  }
}
