package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.address.CatalogUri
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Whether a table is what it was at an earlier snapshot, on SQLite. */
class UntouchedTableSpec extends AnyFunSuite with CommitFixtures {

  /** A lake with the tables `t` and `u`. */
  private def newLake(): Lake = {
    val place = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
    val lake = Lakes.open(settings(CatalogUri.Sqlite(place)))
    for (name <- Vector("t", "u")) commit(lake)(create(_, name))
    lake
  }

  private def commit(lake: Lake)(operation: LakeSnapshot => Operation): LakeSnapshot = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, operation(base))).orThrow: Unit
    lake.prepareToWrite()
  }

  private def addTo(lake: Lake, name: String): LakeSnapshot =
    commit(lake)(base => append(tableOf(base, name), file(s"f${base.snapshot.id.value}", 0, 9)))

  test("commits to other tables leave a table as it was, and one to the table does not") {
    val lake = newLake()
    val first = lake.prepareToWrite()

    val second = addTo(lake, "u")
    val third = commit(lake)(create(_, "w"))
    val fourth = addTo(lake, "t")

    val t = tableOf(first, "t")
    assert(first.isUntouched(t, first.snapshot))
    assert(second.isUntouched(t, first.snapshot))
    assert(third.isUntouched(t, first.snapshot))
    assert(!second.isUntouched(tableOf(first, "u"), first.snapshot))
    assert(!fourth.isUntouched(t, first.snapshot))
    assert(!fourth.isUntouched(t, third.snapshot))
    assert(fourth.isUntouched(tableOf(first, "u"), second.snapshot))
  }

  test("a number that begins or ends like that of the table is another table's") {
    val lake = newLake()
    (1 to 12).foreach(n => commit(lake)(create(_, s"x$n")))
    val base = lake.prepareToWrite()
    val others =
      (1 to 12).map(n => s"x$n").filter(name => tableOf(base, name).id.value.toString.contains("1"))

    others.foreach(addTo(lake, _))

    assert(others.size > 3)
    assert(tableOf(base, "t").id.value == 1)
    assert(lake.prepareToWrite().isUntouched(tableOf(base, "t"), base.snapshot))
  }

  test("nothing is known of a table when a snapshot between has expired, or is another one") {
    val lake = newLake()
    val first = lake.prepareToWrite()
    val second = addTo(lake, "u")
    val third = addTo(lake, "u")
    val t = tableOf(first, "t")
    val later = first.snapshot.copy(time = first.snapshot.time.plusSeconds(1))
    assert(third.isUntouched(t, first.snapshot))
    assert(!third.isUntouched(t, later))

    val expired = ExpiryCriterion.Versions(Set(second.snapshot.id))
    lake.planExpiry(expired).foreach(lake.expire(_): Unit)

    assert(!third.isUntouched(t, first.snapshot))
    assert(!third.isUntouched(t, second.snapshot))
  }
}
