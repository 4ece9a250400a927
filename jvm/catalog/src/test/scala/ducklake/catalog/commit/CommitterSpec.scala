package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.UUID
import java.util.concurrent.Executors

import scala.concurrent.Await
import scala.concurrent.ExecutionContext
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt

/** Commits on real SQLite and DuckDB files, from an empty database on. */
class CommitterSpec extends AnyFunSuite with CommitFixtures {

  private def onEach(name: String)(body: Lake => Any): Unit =
    on("sqlite", "duckdb")(name)(body)

  private def on(kinds: String*)(name: String)(body: Lake => Any): Unit =
    kinds.foreach { kind =>
      test(s"$name, on $kind") {
        val folder = Files.createTempDirectory("lake")
        val file = folder.resolve("lake.db").toString
        val uri = if (kind == "sqlite") CatalogUri.Sqlite(file) else CatalogUri.DuckDb(file)
        body(Lakes.open(settings(uri))): Unit
      }
    }

  onEach("a lake is made by the first statement that writes") { lake =>
    assert(lake.newest().isEmpty)
    val first = lake.prepareToWrite()
    assert(first.snapshot.id.value == 0)
    lake.commit(pending(first, create(first, "t"))).orThrow
    val now = lake.newest().getOrElse(fail("no snapshot"))
    assert(now.snapshot.id.value == 1)
    assert(tableOf(now, "t").columns.map(_.name) == Vector("id", "name"))
    assert(lake.snapshots().flatMap(_.changesMade).last == "created_table:\"main\".\"t\"")
  }

  onEach("appended files get consecutive row ids") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val second = lake.prepareToWrite()
    val table = tableOf(second, "t")
    lake
      .commit(
        pending(second, append(table, file("a.parquet", 1, 5), file("b.parquet", 6, 9)))
      )
      .orThrow
    val now = lake.newest().getOrElse(fail("no snapshot"))
    val files = now.files(tableOf(now, "t"), FileRequest.everyFile).files
    assert(files.map(_.rowIdStart) == Vector(Some(0L), Some(10L)))
    assert(files.map(_.path) == Vector("/data/main/t/a.parquet", "/data/main/t/b.parquet"))
    assert(now.snapshot.nextFileId == 2)
  }

  onEach("a commit on an older base is rebased on inserts") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    (1 to 3).foreach(i =>
      lake.commit(pending(base, append(table, file(s"f$i.parquet", 1, 5)))).orThrow
    )
    val now = lake.newest().getOrElse(fail("no snapshot"))
    val files = now.files(table, FileRequest.everyFile).files
    assert(files.map(_.rowIdStart) == Vector(Some(0L), Some(10L), Some(20L)))
  }

  onEach("a commit against what was done since is refused") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    val table = tableOf(base, "t")
    lake.commit(pending(base, Operation.DropTable(table))).orThrow
    lake.commit(pending(base, append(table, file("f.parquet", 1, 5)))) match {
      case CommitOutcome.Failed(cause) =>
        cause.error match {
          case LakeError.CommitConflict(why, _) =>
            assert(why.contains("change rows of main.t, which was dropped"))
          case other => fail(other.toString)
        }
      case other => fail(other.toString)
    }
    assert(lake.newest().exists(_.snapshot.id.value == 2))
  }

  onEach("the same name twice is refused, whatever its case") { lake =>
    val base = lake.prepareToWrite()
    lake.commit(pending(base, create(base, "t"))).orThrow
    assert(lake.commit(pending(base, create(base, "T"))).isInstanceOf[CommitOutcome.Failed])
  }

  onEach("a view that was dropped since is not renamed") { lake =>
    val first = lake.prepareToWrite()
    val main = first.schema("main").getOrElse(fail("no main"))
    val made =
      Operation.CreateView(
        main,
        "v",
        UUID.randomUUID(),
        "spark",
        "SELECT 1 AS a",
        "",
        Map.empty,
        Map.empty,
      )
    lake.commit(pending(first, made)).orThrow
    val base = lake.prepareToWrite()
    val view = base.view("main", "v").getOrElse(fail("no view"))
    lake.commit(pending(base, Operation.DropView(view))).orThrow
    val late = lake.commit(pending(base, Operation.RenameView(view, main, "w")))
    assert(late.isInstanceOf[CommitOutcome.Failed])
    assert(lake.newest().exists(_.snapshot.id.value == 2))
  }

  on("sqlite")("an inlined row whose row id others may have is not ended by it") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()
    def ending(rowId: Long) =
      Operation.DeleteRows(tableOf(base, "t"), Vector.empty, Vector.empty, Map.empty, Vector(rowId))

    lake.commit(pending(base, ending(1000000000000000000L))) match {
      case CommitOutcome.Failed(cause) => assert(cause.error.condition == "DUCKLAKE_UNSUPPORTED")
      case other => fail(other.toString)
    }
  }

  on("sqlite")("what changes nothing makes no snapshot, and is no commit") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val base = lake.prepareToWrite()

    val outcome = lake.commit(pending(base, Operation.Truncate(tableOf(base, "t"))))

    assert(outcome == CommitOutcome.Unchanged(base.snapshot))
    assert(lake.prepareToWrite().snapshot == base.snapshot)
  }

  onEach("many writers lose nothing") { lake =>
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val pool = Executors.newFixedThreadPool(4)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    val writers = (1 to 4).map { writer =>
      Future {
        (1 to 10).foreach { i =>
          val base = lake.prepareToWrite()
          val added = file(s"w$writer-$i.parquet", i.toLong, i.toLong)
          lake.commit(pending(base, append(tableOf(base, "t"), added))).orThrow
        }
      }
    }
    Await.result(Future.sequence(writers), 60.seconds)
    pool.shutdown()
    val now = lake.newest().getOrElse(fail("no snapshot"))
    val files = now.files(tableOf(now, "t"), FileRequest.everyFile).files
    assert(files.size == 40)
    assert(files.flatMap(_.rowIdStart).distinct.size == 40)
    assert(now.snapshot.id.value == 41)
  }
}
