package ducklake.spark.maintenance.flush

import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.config.HadoopSettings
import ducklake.spark.job.AwaitedJob
import ducklake.spark.sparkapi.task.TaskHadoopConf
import ducklake.spark.testkit.FaultyDisk
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import ducklake.spark.write.TaskWriterFactory
import org.apache.spark.SparkContext
import org.apache.spark.TaskContext
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.Drained
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

/** Attempts of Spark tasks whose results do not count leave no files. */
final class LostTasksSpec extends AnyFunSuite with BeforeAndAfterAll {

  private lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2,3]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "OFF")
    .config("spark.hadoop.fs.faulty.impl", classOf[FaultyDisk].getName)
    .getOrCreate()

  private def context: SparkContext = session.sparkContext

  override protected def afterAll(): Unit = session.stop()

  private val id = column(1, "id", LakeType.Int64)
  private val version =
    RowVersion(1L, SnapshotId(1), None, Vector(Literal.Integral(7)), Vector.empty)

  private def flushSpec(rows: WrittenRows): FlushSpec = {
    val directory = rows.spec.directory
    val config = rows.spec.config
    FlushSpec("main.t", directory, directory, Vector(id), Vector.empty, Vector.empty, config)
  }

  private def input(rows: WrittenRows): FlushInput =
    FlushInput.of(session, flushSpec(rows), Vector(version))

  test("an attempt of a write that fails when it has handed back its files leaves none") {
    val rows = new WrittenRows(Vector(id))
    val factory = TaskWriterFactory(rows.spec, TaskHadoopConf.broadcast(context, FaultyDisk.conf()))
    val write = (task: TaskContext, _: Iterator[Int]) => {
      val writer = factory.createWriter(task.partitionId(), task.taskAttemptId())
      writer.write(InternalRow(7L))
      writer.commit(): Unit
      if (task.attemptNumber() < 2) throw new IllegalStateException("the attempt is lost")
    }

    context.runJob(context.parallelize(Seq(1), 1), write): Unit

    assert(rows.listing.size == 1)
  }

  test("an attempt of a flush that fails after its files were written leaves none") {
    val rows = new WrittenRows(Vector(id))
    val (spec, versions) = (flushSpec(rows), Vector(version))
    val conf = TaskHadoopConf.broadcast(context, FaultyDisk.conf())
    val write = (task: TaskContext, _: Iterator[Int]) => {
      val files = FlushWriter.write(spec, versions, Vector.empty, conf.value.value)
      if (task.attemptNumber() < 2) throw new IllegalStateException("the attempt is lost")
      files.map(_.file.path)
    }

    val kept = context.runJob(context.parallelize(Seq(1), 1), write).toVector.flatten

    assert(rows.listing == kept && kept.size == 1)
  }

  test("a flush that is interrupted ends its job, whose tasks leave no files") {
    val rows = new WrittenRows(Vector(id), scheme = "faulty")
    val ended = new CountDownLatch(1)
    Drained(session)
    context.addSparkListener(new SparkListener {
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit = ended.countDown()
    })
    FaultyDisk.gate = new CountDownLatch(1)
    FaultyDisk.reached = new CountDownLatch(1)
    var taken = Vector.empty[FlushedFile]
    var condition = ""
    val flush = new Thread(() =>
      try
        FlushJob
          .run(
            session,
            "Writing",
            HadoopSettings.none,
            flushSpec(rows),
            Vector(input(rows)),
            taken ++= _,
          )
      catch {
        case failure: LakeException if Thread.currentThread().isInterrupted =>
          condition = failure.error.condition
      }
    )
    flush.start()
    assert(FaultyDisk.reached.await(60, TimeUnit.SECONDS))
    flush.interrupt()
    flush.join()
    FaultyDisk.gate.countDown()

    assert(ended.await(60, TimeUnit.SECONDS))
    assert(condition == "DUCKLAKE_STATEMENT_INTERRUPTED" && taken.isEmpty)
    assert(rows.listing.isEmpty)
  }

  test("a job is cancelled when the thread that waits for it is interrupted") {
    val waiting = context.parallelize(Seq(1), 1).map { row =>
      LostTasksSpec.reached.countDown()
      LostTasksSpec.gate.await()
      row
    }
    var failure = Option.empty[LakeException]
    val driver = new Thread(() =>
      try AwaitedJob.run(context, "Waiting", "waited")(waiting.collectAsync()): Unit
      catch { case interrupted: LakeException => failure = Some(interrupted) }
    )
    driver.start()
    assert(LostTasksSpec.reached.await(60, TimeUnit.SECONDS))
    driver.interrupt()
    driver.join()
    LostTasksSpec.gate.countDown()

    assert(failure.exists(_.error == LakeError.StatementInterrupted("waited")))
  }

  test("the driver knows every file that a task of a flush may have written") {
    val rows = new WrittenRows(Vector(id))
    val (spec, planned) = (flushSpec(rows), input(rows))
    val ended = version.copy(end = Some(SnapshotId(2)))
    val conf = TaskHadoopConf.broadcast(context, FaultyDisk.conf())
    val write = (task: TaskContext, each: Iterator[FlushInput]) => {
      val names = each.next().names
      if (task.attemptNumber() == 1) throw new IllegalStateException("the attempt is lost")
      FlushWriter.write(spec, Vector(ended), names, conf.value.value): Unit
    }

    context.runJob(context.parallelize(Seq(planned), 1), write): Unit

    assert(rows.listing.size == 2 && rows.listing.forall(planned.paths.contains))
  }

  test("a flush whose tasks end well hands over all of their files") {
    val rows = new WrittenRows(Vector(id))
    var taken = Vector.empty[FlushedFile]

    FlushJob.run(
      session,
      "Writing files",
      HadoopSettings.none,
      flushSpec(rows),
      Vector(input(rows), input(rows)),
      taken ++= _,
    )

    assert(rows.listing == taken.map(_.file.path).sorted && taken.size == 2)
    assert(taken.forall(each => Files.size(rows.path(each.file)) == each.file.sizeBytes))
  }
}

private object LostTasksSpec {
  val reached = new CountDownLatch(1)
  val gate = new CountDownLatch(1)
}
