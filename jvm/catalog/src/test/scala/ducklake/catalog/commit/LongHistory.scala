package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.model.SnapshotOrder
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.sql.DriverManager
import java.time.Instant

/** A measure, run by hand in a JVM with a small heap: what a long history of a lake needs.
  *
  * Arguments: the number of snapshots, then the path of a new SQLite file, or host, port, name of an
  * empty database and user of a PostgreSQL server.
  */
object LongHistory extends CommitFixtures {

  /** The time of snapshot 0. */
  val Begin: Instant = Instant.parse("2026-01-01T00:00:00Z")

  def main(arguments: Array[String]): Unit = {
    val last = arguments.head.toLong
    val (uri, address, texts) = arguments.tail match {
      case Array(file) => (CatalogUri.Sqlite(file), s"jdbc:sqlite:$file", snapshots(last))
      case Array(host, port, database, user) =>
        val uri = CatalogUri.Postgres(host, port.toInt, database, Map("user" -> user))
        (uri, s"jdbc:postgresql://$host:$port/$database?user=$user", ofPostgres(last))
      case _ => fail("the arguments are those of the comment")
    }
    val lake = Lakes.open(settings(uri))
    val base = lake.prepareToWrite()
    lake.commit(pending(base, create(base, "t"))).orThrow: Unit
    val connection = DriverManager.getConnection(address)
    texts.foreach(text => connection.createStatement().executeUpdate(text): Unit)
    connection.close()
    println(s"$last snapshots, heap of ${Runtime.getRuntime.maxMemory >> 20} MB")
    measure(lake, last)
  }

  private def measure(lake: Lake, last: Long): Unit = {
    val newestFirst = SnapshotRequest(order = SnapshotOrder.NewestFirst)
    timed("list all")(lake.listSnapshots(SnapshotRequest()).size)
    timed("the newest ten")(lake.listSnapshots(newestFirst.copy(limit = Some(10))).size)
    timed("of a table")(lake.listSnapshots(SnapshotRequest(table = Some(TableId(1)))).size)
    timed("range by times") {
      val (from, to) = (Begin.plusSeconds(90), Begin.plusSeconds(60 * last - 90))
      lake.changeRange(ChangeBound.time(from), ChangeBound.time(to))
    }
    timed("first entries") {
      lake.newest().flatMap(_.firstEntries(TableId(9), SnapshotId(2))(_ => true))
    }
    timed("expire half") {
      val half = ExpiryCriterion.OlderThan(Begin.plusSeconds(30 * last))
      lake.planExpiry(half).map(lake.expire).map(_.snapshots)
    }
    timed("expire the rest") {
      val all = ExpiryCriterion.OlderThan(Instant.now().plusSeconds(1000000000L))
      lake.planExpiry(all).map(lake.expire).map(_.snapshots)
    }
  }

  private def timed(what: String)(body: => Any): Unit = {
    val started = System.nanoTime()
    val result = body
    println(s"$what: $result, ${(System.nanoTime() - started) / 1000000} ms")
  }

  /** Gives a new lake in SQLite, which has snapshots 0 and 1 with table 1, snapshots up to `last`: one a
    * minute, of which every second one changed the table.
    */
  def snapshots(last: Long): Vector[String] = {
    val time =
      s"strftime('%Y-%m-%d %H:%M:%S', ${Begin.getEpochSecond} + 60 * id, 'unixepoch') || '+00'"
    val series =
      s"WITH RECURSIVE ids(id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id < $last)"
    inserted(series, s"ids", time)
  }

  private def ofPostgres(last: Long): Vector[String] = {
    val time = s"to_timestamp(${Begin.getEpochSecond} + 60 * id)"
    inserted("", s"generate_series(2, $last) AS ids(id)", time)
  }

  private def inserted(series: String, from: String, time: String): Vector[String] = Vector(
    s"UPDATE ducklake_snapshot SET snapshot_time = ${time.replace("* id", "* snapshot_id")}",
    s"INSERT INTO ducklake_snapshot $series SELECT id, $time, 1, 2, 0 FROM $from",
    "INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made, author) " +
      s"$series SELECT id, CASE id % 2 WHEN 0 THEN 'inserted_into_table:1' ELSE " +
      s"'inserted_into_table:2' END, 'somebody with a long name' FROM $from",
  )
}
