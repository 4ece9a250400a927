package ducklake.catalog.commit

import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.util.UUID

import scala.jdk.CollectionConverters.ListHasAsScala

/** A measure, run by hand: one commit of very many files, on SQLite or on PostgreSQL, there beside
  * another session that commits small appends five times a second. It fails when the heap of the JVM
  * does not hold it, or when a commit of either is not made.
  *
  * Arguments: the number of files, the number of columns; for PostgreSQL: host, port, name of an empty
  * database, user.
  */
object CommitOfManyFiles extends CommitFixtures {

  def main(arguments: Array[String]): Unit = {
    val (files, columns) = (arguments(0).toInt, arguments(1).toInt)
    val uri = arguments.drop(2) match {
      case Array(host, port, database, user) =>
        CatalogUri.Postgres(host, port.toInt, database, Map("user" -> user))
      case _ =>
        CatalogUri.Sqlite(Files.createTempDirectory("lake").resolve("lake.sqlite").toString)
    }
    val lake = Lakes.open(settings(uri))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, table(first.schema("main").getOrElse(fail("no main")), columns)))
    val base = lake.prepareToWrite()
    val many = Vector.tabulate(files)(written(_, columns))
    println(s"$files files of $columns columns: ${aliveMegabytes()} MB before the commit")
    val beside = Option.when(arguments.length > 2)(new SmallCommits(uri))
    beside.foreach(_.start())

    val start = System.nanoTime()
    lake.commit(pending(base, append(tableOf(base, "t"), many: _*))).orThrow: Unit

    val seconds = (System.nanoTime() - start) / 1000000000L
    println(s"committed in $seconds s, ${peakMegabytes()} MB at most, garbage included")
    beside.foreach(small => println(small.end()))
  }

  private def table(schema: ducklake.catalog.model.LakeSchema, columns: Int): Operation = {
    val all = (1 to columns).toVector.map(id => column(id.toLong, s"c$id", LakeType.Varchar))
    val definition = TableDefinition(schema.id, "t", all, Map.empty, Vector.empty, Vector.empty)
    val path = LakePath("t/", isRelative = true)
    Operation.CreateTable(schema, UUID.randomUUID(), path, definition, Map.empty)
  }

  private def written(number: Int, columns: Int): NewDataFile = {
    val statistics = (1 to columns).map { id =>
      val (min, max) = (Literal.Text(s"from $number"), Literal.Text(s"to $number"))
      ColumnId(id.toLong) ->
        ColumnStatistics(Some(min), Some(max), Some(number.toLong), Some(0L), None, Some(1000L))
    }
    NewDataFile(
      s"ducklake-00000000-0000-7000-8000-${"%012d".format(number)}.parquet",
      1000L,
      PhysicalFile(100000L, 1000L, 1L),
      RowIds.Fresh,
      None,
      PackedStatistics.of(statistics.toMap),
    )
  }

  private def aliveMegabytes(): Long = {
    System.gc()
    val runtime = Runtime.getRuntime
    (runtime.totalMemory - runtime.freeMemory) / 1048576
  }

  private def peakMegabytes(): Long =
    ManagementFactory.getMemoryPoolMXBeans.asScala
      .filter(_.getType == java.lang.management.MemoryType.HEAP)
      .map(_.getPeakUsage.getUsed)
      .sum / 1048576
}
