package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest

import java.sql.Connection
import java.sql.DriverManager
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters.MapHasAsScala

/** A measure, run by hand: sessions with connections of their own that append to tables of one lake
  * in PostgreSQL, beside bare transactions with as many statements. It fails when a file is lost, or
  * a session gets less than a fifth of what the median session gets.
  *
  * Arguments: host, port, name of an empty database, user, seconds.
  */
object ManySessions extends CommitFixtures {
  private val Sessions = 64
  private val Tables = 16

  def main(arguments: Array[String]): Unit = {
    val (host, port, database) = (arguments(0), arguments(1), arguments(2))
    val (user, seconds) = (arguments(3), arguments(4))
    val properties = Map("user" -> user)
    val uri = CatalogUri.Postgres(host, port.toInt, database, properties)
    val address = s"jdbc:postgresql://$host:$port/$database?user=$user&prepareThreshold=0"
    val bare = timed(seconds.toInt)(bareSessions(address))
    val ours = timed(seconds.toInt)(lakeSessions(uri))
    println(s"bare transactions: ${answer(bare, seconds.toInt)}")
    println(s"commits to a lake: ${answer(ours, seconds.toInt)}")
    check(Lakes.open(settings(uri)), ours)
  }

  /** Runs the sessions for some seconds. Returns how often each succeeded. */
  private def timed(seconds: Int)(sessions: Vector[() => Boolean]): Vector[Long] = {
    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds.toLong)
    val threads = Executors.newFixedThreadPool(sessions.size)
    val counts = sessions.map { commit =>
      threads.submit { () =>
        var count = 0L
        while (System.nanoTime() < end) {
          if (commit()) count += 1
        }
        count
      }
    }
    threads.shutdown()
    counts.map(_.get)
  }

  private val failures = new ConcurrentHashMap[String, Int]

  private def lakeSessions(uri: CatalogUri.Postgres): Vector[() => Boolean] = {
    val first = Lakes.open(settings(uri))
    val base = first.prepareToWrite()
    val creations = (0 until Tables).map(number => create(base, s"t$number"))
    first.commit(pending(base, creations: _*)).orThrow: Unit
    (0 until Sessions).toVector.map { number =>
      val own = Map("ApplicationName" -> s"session-$number")
      val lake = Lakes.open(settings(uri).copy(jdbcProperties = own))
      var turn = 0
      () => {
        val isDone = append(lake, s"t${number % Tables}", s"$number-${turn + 1}.parquet")
        if (isDone) turn += 1
        isDone
      }
    }
  }

  private def append(lake: Lake, table: String, name: String): Boolean = {
    val base = lake.prepareToWrite()
    lake.commit(pending(base, append(tableOf(base, table), file(name, 1, 5)))) match {
      case CommitOutcome.Failed(cause) =>
        failures.merge(cause.error.condition, 1, (a, b) => a + b): Unit
        false
      case outcome =>
        outcome.orThrow: Unit
        true
    }
  }

  /** Transactions that read once and then write the rows that an append writes. Nothing of them is
    * shared by all, but for the sequence.
    */
  private def bareSessions(address: String): Vector[() => Boolean] = {
    val first = DriverManager.getConnection(address)
    first
      .createStatement()
      .execute(
        """CREATE SEQUENCE bare_id;
        |CREATE TABLE bare_snapshot (id BIGINT PRIMARY KEY, at TIMESTAMPTZ, a BIGINT, b BIGINT, c BIGINT);
        |CREATE TABLE bare_changes (id BIGINT PRIMARY KEY, what TEXT);
        |CREATE TABLE bare_file (id BIGINT PRIMARY KEY, table_id BIGINT, path TEXT, rows BIGINT);
        |CREATE TABLE bare_column (file_id BIGINT, column_id BIGINT, lower TEXT, upper TEXT);
        |CREATE TABLE bare_table (id BIGINT, rows BIGINT, bytes BIGINT);
        |INSERT INTO bare_table SELECT i, 0, 0 FROM generate_series(0, 15) AS s(i)""".stripMargin
      ): Unit
    first.close()
    (0 until Sessions).toVector.map { number =>
      val connection = DriverManager.getConnection(address)
      connection.setAutoCommit(false)
      () => bareCommit(connection, number)
    }
  }

  private def bareCommit(connection: Connection, number: Int): Boolean = {
    val statement = connection.createStatement()
    val found = statement.executeQuery("SELECT nextval('bare_id'), max(id) FROM bare_snapshot")
    found.next(): Unit
    val id = found.getLong(1)
    val table = number % Tables
    Vector(
      s"INSERT INTO bare_snapshot VALUES ($id, now(), 1, 2, 3)",
      s"INSERT INTO bare_file VALUES ($id, $table, '$number.parquet', 10)",
      s"INSERT INTO bare_column VALUES ($id, 1, '1', '5')",
      s"UPDATE bare_table SET rows = rows + 10, bytes = bytes + 1000 WHERE id = $table",
      s"INSERT INTO bare_changes VALUES ($id, 'inserted_into_table:$table')",
    ).foreach(text => statement.execute(text): Unit)
    statement.close()
    connection.commit()
    true
  }

  private def answer(counts: Vector[Long], seconds: Int): String = {
    val sorted = counts.sorted
    val median = sorted(sorted.size / 2)
    f"${counts.sum.toDouble / seconds}%.0f per second; the sessions ${sorted.head} to ${sorted.last}, " +
      f"median $median, the slowest ${sorted.head.toDouble / median}%.2f of it"
  }

  private def check(lake: Lake, counts: Vector[Long]): Unit = {
    val now = lake.newest().getOrElse(fail("no snapshot"))
    val paths = (0 until Tables).flatMap { number =>
      now.files(tableOf(now, s"t$number"), FileRequest.everyFile).files.map(_.path)
    }
    val expected = counts.zipWithIndex.flatMap { case (count, number) =>
      (1L to count).map(turn => s"/data/main/t${number % Tables}/$number-$turn.parquet")
    }
    if (paths.sorted != expected.sorted) fail("files are lost or doubled")
    if (!failures.isEmpty) fail(failures.asScala.mkString(", "))
    val sorted = counts.sorted
    if (sorted.head * 5 < sorted(sorted.size / 2)) fail("a session starves")
  }
}
