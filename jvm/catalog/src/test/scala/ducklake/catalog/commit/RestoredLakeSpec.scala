package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.util.Properties

/** A catalog that was copied, changed, put back from the copy, and changed otherwise: snapshots, schema
  * versions and files of two histories have the same numbers.
  */
class RestoredLakeSpec extends AnyFunSuite with CommitFixtures {

  test("columns, views and files of the lost history are not shown") {
    val restored = new Restored
    import restored.lake
    addColumn(lake, "lost")
    add(lake, "lost.parquet")
    assert(columnsOf(lake) == Vector("id", "name", "lost"))
    assert(matching(lake) == Vector("kept.parquet", "lost.parquet"))

    restored.putBack()
    val other = Lakes.open(settings(CatalogUri.Sqlite(restored.file.toString)))
    addColumn(other, "found")
    add(other, "found.parquet")

    assert(columnsOf(lake) == Vector("id", "name", "found"))
    assert(matching(lake) == Vector("kept.parquet", "found.parquet"))
  }

  test("nothing is committed on a snapshot of the lost history") {
    val restored = new Restored
    import restored.lake
    add(lake, "lost.parquet")
    val base = lake.prepareToWrite()
    val late = pending(base, append(tableOf(base, "t"), file("late.parquet", 1, 5)))

    restored.putBack()
    assert(why(lake.commit(late)).contains("put back from a copy"))

    val other = Lakes.open(settings(CatalogUri.Sqlite(restored.file.toString)))
    add(other, "found.parquet")
    assert(why(lake.commit(late)).contains("put back from a copy"))
    add(other, "more.parquet")
    assert(why(lake.commit(late)).contains("put back from a copy"))
    assert(matching(lake) == Vector("kept.parquet", "found.parquet", "more.parquet"))
  }

  test("files are not listed at a snapshot of the lost history") {
    val restored = new Restored
    import restored.lake
    add(lake, "lost.parquet")
    val seen = lake.prepareToWrite()
    val table = tableOf(seen, "t")

    restored.putBack()
    add(Lakes.open(settings(CatalogUri.Sqlite(restored.file.toString))), "found.parquet")

    Vector(FileRequest.everyFile, FileRequest(Vector(anyId), Set.empty, None)).foreach { request =>
      val gone = intercept[LakeException](seen.files(table, request))
      assert(gone.error.isInstanceOf[LakeError.NoSuchSnapshot])
    }
    val uncounted = intercept[LakeException](seen.counts(table))
    assert(uncounted.error.isInstanceOf[LakeError.NoSuchSnapshot])
  }

  private val anyId =
    Predicate.Compare(ColumnId(1), Comparison.GreaterOrEqual, Literal.Integral(0))

  private def columnsOf(lake: Lake): Vector[String] =
    tableOf(lake.prepareToWrite(), "t").columns.map(_.name)

  private def matching(lake: Lake): Vector[String] = {
    val now = lake.prepareToWrite()
    val listed = now.files(tableOf(now, "t"), FileRequest(Vector(anyId), Set.empty, None))
    listed.files.map(file => Path.of(file.path).getFileName.toString)
  }

  private def add(lake: Lake, name: String): Unit = {
    val base = lake.prepareToWrite()
    val _ = lake.commit(pending(base, append(tableOf(base, "t"), file(name, 1, 5)))).orThrow
  }

  private def addColumn(lake: Lake, name: String): Unit = {
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    val definition = TableDefinition.of(table)
    val more = definition.copy(columns = definition.columns :+ column(3, name, LakeType.Int64))
    val _ = lake.commit(pending(base, Operation.AlterTable(table, table.schema, more))).orThrow
  }

  private def why(outcome: CommitOutcome): String = outcome match {
    case CommitOutcome.Failed(cause) => cause.getMessage
    case other => fail(other.toString)
  }

  /** A lake with one file in its table, of which a copy was made. */
  private final class Restored {
    val file: Path = Files.createTempDirectory("lake").resolve("lake.sqlite")
    val lake: Lake = Lakes.open(settings(CatalogUri.Sqlite(file.toString)))
    private val copy = file.resolveSibling("copy.sqlite")

    private val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow: Unit
    add(lake, "kept.parquet")
    private val connection =
      new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties)
    connection.createStatement().execute(s"VACUUM INTO '$copy'"): Unit
    connection.close()

    def putBack(): Unit = {
      Vector("-wal", "-shm").foreach { end =>
        Files.deleteIfExists(file.resolveSibling(s"lake.sqlite$end")): Unit
      }
      Files.copy(
        copy,
        file.resolveSibling("again.sqlite"),
        StandardCopyOption.REPLACE_EXISTING,
      ): Unit
      Files.move(
        file.resolveSibling("again.sqlite"),
        file,
        StandardCopyOption.REPLACE_EXISTING,
      ): Unit
    }
  }
}
