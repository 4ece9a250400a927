package ducklake.spark.write

import ducklake.catalog.error.LakeException
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.sparkapi.task.TaskHadoopConf
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.FaultyDisk
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Files as a task leaves them. */
final class WrittenFilesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val duckDb = new DuckDbFiles

  override protected def afterAll(): Unit = duckDb.close()

  private val id = column(1, "id", LakeType.Int64)
  private val text = column(2, "s", LakeType.Varchar)

  test("size, footer and rows are recorded as they are, and nothing else is left") {
    val rows = new WrittenRows(Vector(id, text))
    val file = rows.write(Seq(1L, "a"), Seq(2L, null)).head

    val bytes = Files.readAllBytes(rows.path(file))
    val footer = java.nio.ByteBuffer
      .wrap(bytes, bytes.length - 8, 8)
      .order(java.nio.ByteOrder.LITTLE_ENDIAN)
      .getInt
    assert(file.sizeBytes == bytes.length.toLong && file.physical.footerSize == footer.toLong)
    assert(file.recordCount == 2L)
    assert(rows.listing == Vector(file.path))
    assert(
      duckDb.texts(s"SELECT created_by FROM parquet_file_metadata('${rows.path(file)}')") !=
        Vector.empty
    )
  }

  test("columns without bounds keep their counts, and so do their parts") {
    val list = Columns.listOf(3, "int32")
    val columns = Vector(id, text, list)
    val rows = Seq(Seq[Any](1L, "a", Seq(5, 6)), Seq[Any](2L, null, Seq(7)))
    def statistics(withoutBounds: Long*) =
      new WrittenRows(columns, withoutBounds = withoutBounds.map(ColumnId(_)).toSet)
        .write(rows*)
        .head
        .statistics
    val element = list.children.head.id

    val all = statistics()
    val some = statistics(2, 3)

    assert(all(element).min.contains(Literal.Integral(5)) && all(text.id).max.nonEmpty)
    assert(some(id.id) == all(id.id))
    assert(some(text.id) == all(text.id).copy(min = None, max = None))
    assert(some(element) == all(element).copy(min = None, max = None))
    assert(some(text.id).valueCount.contains(1L) && some(text.id).nullCount.contains(1L))
  }

  test(
    "a row of more than a mebibyte, or of many tasks, goes to a file where the catalog takes some"
  ) {
    val rows = new WrittenRows(Vector(text))
    val conf = TaskRows.broadcast(new TaskHadoopConf(FaultyDisk.conf()))
    val spec = rows.spec.copy(maxBufferedRows = 10L)
    def written(length: Int, tasks: Int): WriterCommitMessage = {
      val writer = TaskWriterFactory(spec.ofTasks(tasks), conf).createWriter(0, 0L)
      writer.write(InternalRow(UTF8String.fromString("x".repeat(length))))
      writer.commit()
    }
    def isBuffered(length: Int, tasks: Int): Boolean = written(length, tasks) match {
      case TaskResult(files, held) =>
        assert(files.size + held.size == 1)
        held.nonEmpty
      case other => fail(other.toString)
    }

    assert(isBuffered(1 << 19, tasks = 1) && !isBuffered(1 << 20, tasks = 1))
    assert(isBuffered(1 << 19, tasks = 32) && isBuffered(10_000, tasks = 2_000))
    assert(!isBuffered(20_000, tasks = 2_000), "the rows of all tasks meet on the driver")
  }

  test("a task without rows makes no file") {
    val rows = new WrittenRows(Vector(id))

    assert(rows.write().isEmpty && rows.listing.isEmpty)
  }

  test("every node has its id") {
    val list = column(2, "l", LakeType.ListType, Vector(column(3, "element", LakeType.Int32)))
    val struct = column(4, "st", LakeType.StructType, Vector(column(5, "u", LakeType.Uuid)))
    val map = column(
      6,
      "m",
      LakeType.MapType,
      Vector(column(7, "key", LakeType.Varchar), column(8, "value", LakeType.UInt8)),
    )
    val rows = new WrittenRows(Vector(list, struct, map))
    val uuid = "00000000-0000-0000-0000-000000000001"
    val file = rows
      .write(
        Seq[Any](
          Seq[Any](1, null),
          org.apache.spark.sql.Row(uuid),
          Map[String, Any]("k" -> 255.toShort, "n" -> null),
        ),
        Seq(null, null, null),
      )
      .head

    assert(
      duckDb.texts(
        s"SELECT concat_ws(' ', name, field_id) FROM parquet_schema('${rows.path(file)}')"
      ) == Vector(
        "duckdb_schema",
        "l 2",
        "list",
        "element 3",
        "st 4",
        "u 5",
        "m 6",
        "key_value",
        "key 7",
        "value 8",
      )
    )
    assert(
      duckDb.texts(s"SELECT (l, st.u, m)::VARCHAR FROM '${rows.path(file)}'") ==
        Vector(s"([1, NULL], $uuid, {k=255, n=NULL})", "(NULL, NULL, NULL)")
    )
    val counts = file.statistics.map { case (id, s) =>
      id.value -> ((s.valueCount.get, s.nullCount.get))
    }
    assert(counts == Map(3L -> ((1L, 2L)), 5L -> ((1L, 1L)), 7L -> ((2L, 1L)), 8L -> ((1L, 2L))))
  }

  test("options decide on codec, row groups and pages") {
    val options = Map(
      "parquet_compression" -> "zstd",
      "parquet_compression_level" -> "9",
      "parquet_row_group_size" -> "100",
      "parquet_version" -> "V2",
    )
    val rows = new WrittenRows(Vector(id), options)
    val file = rows.write((1L to 250L).map(Seq(_))*).head

    val path = rows.path(file)
    assert(
      duckDb.texts(
        s"SELECT row_group_num_rows FROM parquet_metadata('$path') ORDER BY row_group_id"
      )
        == Vector("100", "100", "50")
    )
    assert(
      duckDb.texts(s"SELECT DISTINCT compression FROM parquet_metadata('$path')") ==
        Vector("ZSTD")
    )
    val statistics = file.statistics(ColumnId(1))
    assert(statistics.valueCount.contains(250L))
  }

  test("a new file is begun at the wanted size") {
    val options = Map("target_file_size" -> "20000", "parquet_row_group_size" -> "1000")
    val rows = new WrittenRows(Vector(id, text), options)
    val files = rows.write((1L to 10000L).map(n => Seq[Any](n, s"text number $n"))*)

    assert(files.length > 3 && files.map(_.recordCount).sum == 10000L)
    assert(rows.listing == files.map(_.path).sorted)
  }

  test("rows go to the folder of their partition") {
    val key = WriteKey(1, text, Transform.Identity, "s")
    val bucket = WriteKey(0, id, Transform.Bucket(4), "bucket")
    val rows = new WrittenRows(Vector(id, text), partition = Vector(key, bucket))
    val files = rows.write(Seq(null, null), Seq(1L, "a/b"), Seq(1L, "a/b"))

    assert(files.map(_.partition.get) == Vector(Vector(Some("a/b"), Some("0")), Vector(None, None)))
    assert(
      files.map(_.path.replaceFirst("[^/]*$", "")) ==
        Vector(
          "s=a%2Fb/bucket=0/",
          "s=__HIVE_DEFAULT_PARTITION__/bucket=__HIVE_DEFAULT_PARTITION__/",
        )
    )
    assert(rows.listing == files.map(_.path).sorted)
  }

  test("a partition that comes again soon goes on in its file") {
    val key = WriteKey(0, id, Transform.Identity, "id")
    val options = Map("hive_file_pattern" -> "false")
    val rows = new WrittenRows(Vector(id), options, Vector(key))
    val files = rows.write(Seq(1L), Seq(2L), Seq(1L), Seq(2L))

    assert(files.map(_.recordCount) == Vector(2L, 2L))
    assert(files.forall(!_.path.contains("/")))
  }

  Seq("its row groups" -> 4L, "its end" -> 100L).foreach { case (part, room) =>
    test(s"a disk that is full at a file of which it does not take $part: the error says so") {
      val options = Map("parquet_row_group_size" -> "100")
      val disk = FaultyDisk.conf(room)
      val rows = new WrittenRows(Vector(id), options, scheme = "faulty", conf = disk)
      val many = if (room == 4L) 100000 else 10

      val error = intercept[LakeException](rows.write((1 to many).map(n => Seq(n.toLong))*)).error

      assert(error.condition == "DUCKLAKE_UNWRITABLE_FILE")
      assert(error.message.contains("faulty:") && error.message.contains("No space left on device"))
      assert(rows.listing.isEmpty)
    }
  }

  test("a task that is aborted on an interrupted thread deletes its files and stays interrupted") {
    val rows = new WrittenRows(Vector(id), scheme = "faulty")
    val conf = TaskRows.broadcast(new TaskHadoopConf(FaultyDisk.conf()))
    val writer = TaskWriterFactory(rows.spec, conf).createWriter(0, 0L)
    writer.write(InternalRow(1L))

    Thread.currentThread().interrupt()
    writer.abort()

    assert(Thread.interrupted() && rows.listing.isEmpty)
  }

  test("NULL in a NOT NULL column is refused, and no file stays") {
    val required = id.copy(nullsAllowed = false)
    val rows = new WrittenRows(Vector(required))

    val error = intercept[LakeException](rows.write(Seq(1L), Seq(null))).error

    assert(error.condition == "DUCKLAKE_INVALID_VALUE" && error.message.contains("main.t"))
    assert(rows.listing.isEmpty)
  }
}
