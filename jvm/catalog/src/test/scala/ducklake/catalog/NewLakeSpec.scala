package ducklake.catalog

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.option.LakeOption
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** Lakes that do not exist before the first commit. */
class NewLakeSpec extends AnyFunSuite with CommitFixtures {

  private def newFile(): Path = Files.createTempDirectory("new").resolve("lake.sqlite")

  private def of(file: Path): LakeSettings = settings(CatalogUri.Sqlite(file.toString))

  test("the base of the first commit makes nothing, and the commit makes the lake") {
    val file = newFile()
    val lake = Lakes.open(of(file))
    val base = lake.newestToWrite()

    assert(
      base.snapshot.id == SnapshotId(0) && base.schemas().map(_.directory) == Vector("/data/main/")
    )
    assert(base.schema("MAIN").nonEmpty && base.schema(Vector("main", "s")).isEmpty)
    assert(!Files.exists(file) && lake.newest().isEmpty)

    assert(lake.commit(pending(base, create(base, "t"))).orThrow.id == SnapshotId(1))
    assert(lake.at(SnapshotId(1)).table("main", "t").nonEmpty)
  }

  test("two statements that begin without a lake are committed one after the other") {
    val file = newFile()
    val (one, other) = (Lakes.open(of(file)), Lakes.open(of(file)))
    val (first, second) = (one.newestToWrite(), other.newestToWrite())

    one.commit(pending(first, create(first, "t"))).orThrow
    val same = other.commit(pending(second, create(second, "t")))
    val next = other.commit(pending(second, create(second, "u")))

    assert(same.isInstanceOf[CommitOutcome.Failed])
    assert(next.orThrow.id == SnapshotId(2))
  }

  test("a lake that another session made otherwise is left alone") {
    val file = newFile()
    val lake = Lakes.open(of(file))
    val base = lake.newestToWrite()
    Lakes.open(of(file).copy(encryption = Some(true))).prepareToWrite()

    lake.commit(pending(base, create(base, "t"))) match {
      case CommitOutcome.Failed(cause) => assert(cause.error.condition == "DUCKLAKE_UNSUPPORTED")
      case other => fail(s"$other")
    }
    assert(lake.newest().exists(_.snapshot.id == SnapshotId(0)))
  }

  test("what is written before an encrypted lake is made is encrypted") {
    val lake = Lakes.open(of(newFile()).copy(encryption = Some(true)))

    assert(lake.newestToWrite().isEncrypted && LakeOption.isEncrypted(lake.options()))
  }
}
