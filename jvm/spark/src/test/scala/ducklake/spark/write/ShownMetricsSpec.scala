package ducklake.spark.write

import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.Drained
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** What Spark's UI shows of a write: the metrics of its statement, and the output of its tasks. */
final class ShownMetricsSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val folder = Files.createTempDirectory("ducklake-metrics")

  private lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "OFF")
    .config("spark.sql.catalog.lake", "ducklake.spark.DuckLakeCatalog")
    .config("spark.sql.catalog.lake.uri", s"ducklake:sqlite:$folder/lake.sqlite")
    .config("spark.sql.catalog.lake.data-path", s"$folder/data/")
    .getOrCreate()

  // Added to by Spark's bus, which is drained before it is read.
  @volatile private var output = (0L, 0L)

  override protected def beforeAll(): Unit = {
    Files.createDirectories(folder.resolve("data")): Unit
    session.sparkContext.addSparkListener(new SparkListener {
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit = {
        val answer = task.taskMetrics.outputMetrics
        output = (output._1 + answer.recordsWritten, output._2 + answer.bytesWritten)
      }
    })
    session.sql("CREATE TABLE lake.main.t (i INT, s STRING)"): Unit
  }

  override protected def afterAll(): Unit = session.stop()

  /** Bytes of new files; of these, those that tasks wrote. */
  private def run(statement: String): (Long, Long) = {
    val before = sizes
    Drained(session)
    output = (0L, 0L)
    session.sql(statement): Unit
    Drained(session)
    val added = sizes -- before.keys
    (added.values.sum, added.collect { case (path, size) if !path.contains("-delete") => size }.sum)
  }

  private def sizes: Map[String, Long] = {
    val paths = Files.walk(folder.resolve("data"))
    try
      paths
        .filter(_.toString.endsWith(".parquet"))
        .toArray
        .map(path => path.toString -> Files.size(java.nio.file.Path.of(path.toString)))
        .toMap
    finally paths.close()
  }

  /** The newest statement's metrics by the names that are shown. */
  private def shown: Map[String, Long] = {
    val store = session.sharedState.statusStore
    val names = WriteMetrics.all.map(_.description()).toSet
    store
      .executionsList()
      .reverseIterator
      .map { execution =>
        val values = store.executionMetrics(execution.executionId)
        execution.metrics
          .filter(metric => names(metric.name))
          .flatMap(metric => values.get(metric.accumulatorId).map(metric.name -> _))
          .map { case (name, value) => name -> value.replace(",", "").toLong }
          .toMap
      }
      .find(_.nonEmpty)
      .getOrElse(Map.empty)
  }

  private def answer(rows: Long, bytes: Long, files: Long, deletes: Long): Map[String, Long] = Map(
    "rows written" -> rows,
    "bytes written" -> bytes,
    "data files written" -> files,
    "delete files written" -> deletes,
  )

  Seq(
    ("INSERT INTO lake.main.t SELECT id, 'a' FROM range(0, 1000, 1, 1)", 1000L, 1L, 0L),
    ("INSERT OVERWRITE lake.main.t SELECT id, 'a' FROM range(0, 900, 1, 1)", 900L, 1L, 0L),
    ("UPDATE lake.main.t SET s = 'b' WHERE i < 30", 30L, 1L, 1L),
    ("DELETE FROM lake.main.t WHERE i % 30 = 29", 0L, 0L, 1L),
    (
      "MERGE INTO lake.main.t USING (SELECT CAST(id AS INT) AS i FROM range(850, 950, 1, 1)) n " +
        "ON t.i = n.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (i, s) VALUES (n.i, 'd')",
      52L,
      1L,
      1L,
    ),
    ("CREATE TABLE lake.main.n AS SELECT id FROM range(0, 50, 1, 1)", 50L, 1L, 0L),
  ).foreach { case (statement, rows, files, deletes) =>
    test(s"${statement.takeWhile(_ != ' ')} shows what it wrote: $rows rows, $files files") {
      val (bytes, byTasks) = run(statement)

      assert(shown == answer(rows, bytes, files, deletes))
      assert(bytes > 0 && output == ((rows, byTasks)))
    }
  }

  test("rows that the catalog keeps count as rows") {
    run("INSERT INTO lake.main.t VALUES (1, 'x'), (2, 'y'), (3, 'z')"): Unit

    assert(shown == answer(3, 0, 0, 0))
    assert(output == ((3L, 0L)))
  }
}
