package ducklake.spark.extension.stream

import ducklake.spark.testkit.LocalSpark
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.ducklake.Drained
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.atomic.AtomicLong

/** How much of an epoch the driver gets. */
class FewRowsSpec extends AnyFunSuite with LocalSpark {

  /** @param sizes the number of rows of each task */
  private def rows(sizes: Seq[Int], bytes: Int): RDD[InternalRow] =
    session.sparkContext.parallelize(sizes, sizes.size).mapPartitionsWithIndex { (task, some) =>
      val project = UnsafeProjection.create(Array[DataType](IntegerType, BinaryType))
      some.flatMap(count => Iterator.range(0, count)).map { row =>
        project(InternalRow(task * 100000 + row, new Array[Byte](bytes))).copy(): InternalRow
      }
    }

  /** The bytes of the results of all tasks that `body` has run, and their number. */
  private def resultsOf[A](body: => A): (A, Long, Int) = {
    val bytes = new AtomicLong
    val listener = new SparkListener {
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit =
        bytes.addAndGet(task.taskMetrics.resultSize): Unit
    }
    Drained(session)
    session.sparkContext.addSparkListener(listener)
    try {
      var found = Option.empty[A]
      val tasks = tasksOf { found = Some(body) }
      (found.get, bytes.get, tasks)
    } finally session.sparkContext.removeSparkListener(listener)
  }

  test("rows of many tasks, each with less than a MiB, do not come to the driver") {
    val (found, bytes, _) = resultsOf(FewRows.of(rows(Seq.fill(32)(8), bytes = 100000)))

    assert(found.isEmpty)
    assert(bytes < 6L * 1024 * 1024)
  }

  test("few rows come with the first job") {
    val (found, _, tasks) = resultsOf(FewRows.of(rows(Seq.fill(32)(20), bytes = 100)))

    val wanted = for { task <- 0 until 32; row <- 0 until 20 } yield task * 100000 + row
    assert(found.map(_.map(_.getInt(0))).contains(wanted.toVector))
    assert(tasks == 32)
  }

  test("few rows of one task of many are fetched by a second job, in their order") {
    val (found, _, tasks) = resultsOf(FewRows.of(rows(2 +: 100 +: Seq.fill(510)(0), bytes = 10000)))

    assert(found.map(_.map(_.getInt(0))).contains(Vector(0, 1) ++ (100000 until 100100)))
    assert(tasks == 513 || tasks == 514)
  }

  test("too many small rows are many, by the rows of all tasks") {
    assert(FewRows.of(rows(Seq(5000, 5000), bytes = 1)).map(_.size).contains(10000))
    assert(FewRows.of(rows(Seq(5000, 5001), bytes = 1)).isEmpty)
    assert(FewRows.of(rows(Seq(10001), bytes = 1)).isEmpty)
    assert(FewRows.of(rows(Seq(0), bytes = 1)).contains(Vector.empty))
  }
}
