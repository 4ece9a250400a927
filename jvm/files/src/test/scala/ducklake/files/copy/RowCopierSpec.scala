package ducklake.files.copy

import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.files.copy.plan.CopyPlan
import ducklake.files.copy.plan.LeafConstant
import ducklake.files.copy.plan.SourceFile
import ducklake.files.copy.plan.SourceFiles
import ducklake.files.crypto.EncryptedFile
import ducklake.files.delete.DeletedPositions
import ducklake.files.parquet.ReservedFields
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files
import java.nio.file.Paths

import scala.jdk.CollectionConverters.ListHasAsScala

class RowCopierSpec extends AnyFunSuite {

  private val conf = new Configuration
  private val folder = Files.createTempDirectory("ducklake-copy")

  private def column(id: Int, name: String, kind: LakeType, children: Column*): Column =
    Column(
      ColumnId(id.toLong),
      name,
      kind,
      nullsAllowed = true,
      None,
      None,
      None,
      children.toVector,
    )

  private val columns = Vector(
    column(1, "n", LakeType.Int64),
    column(2, "d", LakeType.Float64),
    column(3, "l", LakeType.ListType, column(4, "element", LakeType.Varchar)),
    column(5, "missing", LakeType.Int32),
  )

  private val blank = MessageTypeParser.parseMessageType(
    s"""message duckdb_schema {
       |  optional int64 n (INTEGER(64,true)) = 1;
       |  optional double d = 2;
       |  optional group l (LIST) = 3 { repeated group list { optional binary element (STRING) = 4; } }
       |  optional int32 missing (INTEGER(32,true)) = 5;
       |  optional int64 ${ReservedFields.rowIdName} (INTEGER(64,true)) = ${ReservedFields.rowId};
       |  optional int64 ${ReservedFields.snapshotIdName} (INTEGER(64,true)) = ${ReservedFields.snapshotId};
       |}""".stripMargin
  )

  private val optional = """message m {
    |  optional int64 n (INTEGER(64,true)) = 1;
    |  optional double d = 2;
    |  optional group l (LIST) = 3 { repeated group list { optional binary element (STRING) = 4; } }
    |}""".stripMargin

  private val required = """message m {
    |  required group x (LIST) = 3 { repeated group list { required binary item (STRING) = 4; } }
    |  required int32 y = 1;
    |  required double z = 2;
    |}""".stripMargin

  private def written(
      name: String,
      schema: String,
      rows: Int,
  )(fill: (Group, Int) => Unit): String = {
    val message = MessageTypeParser.parseMessageType(schema)
    val path = folder.resolve(name).toString
    val groups = new SimpleGroupFactory(message)
    val writer = ExampleParquetWriter
      .builder(new Path(path))
      .withType(message)
      .withCompressionCodec(CompressionCodecName.SNAPPY)
      .withRowGroupRowCountLimit(100)
      .withPageRowCountLimit(30)
      .build()
    try
      (0 until rows).foreach { row =>
        val group = groups.newGroup()
        fill(group, row)
        writer.write(group)
      }
    finally writer.close()
    path
  }

  /** Row `n` has the numbers n and n / 2, unless they are NULL, and a list of n % 4 texts. */
  private def inOptional(group: Group, row: Int): Unit = {
    if (row % 5 != 0) group.append("n", row.toLong).append("d", row / 2.0)
    if (row % 7 != 0) {
      val list = group.addGroup("l")
      (0 until row % 4).foreach { at =>
        val item = list.addGroup("list")
        if (at > 0) item.append("element", s"t$row.$at")
      }
    }
  }

  private def inRequired(group: Group, row: Int): Unit = {
    val list = group.addGroup("x")
    (0 until row % 3).foreach(at => list.addGroup("list").append("item", s"r$row.$at"))
    group.append("y", -row).append("z", Double.NaN): Unit
  }

  private def source(path: String, first: Long, begin: Long, deleted: Long*): SourceFile =
    source(path, groupsOf(path).sum, Some(first), begin, deleted*)

  private def source(
      path: String,
      rows: Long,
      first: Option[Long],
      begin: Long,
      deleted: Long*
  ): SourceFile =
    SourceFile(
      path,
      path,
      Files.size(Paths.get(path)),
      footerSize = 0L,
      rows,
      first,
      begin,
      RowVisibility.All,
      None,
      Set.empty,
      () => DeletedPositions(deleted.toArray),
    )

  private def format(version: WriterVersion, rows: Int): CopyFormat =
    CopyFormat(
      CompressionCodecName.SNAPPY,
      CopyFormat.properties(ParquetProperties.builder().withWriterVersion(version)),
      rows,
      1L << 20,
      Set.empty,
      Map("made by" -> "a test"),
    )

  private def copied(format: CopyFormat, sources: SourceFile*): (String, WrittenCopy) = {
    val path = Files.createTempDirectory(folder, "out").resolve("new.parquet").toString
    val files = SourceFiles.read(sources.toVector, "main.t", conf)
    val plan = CopyPlan.of(files, columns, blank, columns.map(_.id), Map.empty).get
    (path, new RowCopier(files, plan, format, conf).write(path))
  }

  private def rowsOf(path: String): Vector[String] = {
    val reader = ParquetReader.builder(new GroupReadSupport, new Path(path)).build()
    try Iterator.continually(reader.read()).takeWhile(_ != null).map(text).toVector
    finally reader.close()
  }

  /** A row in one line, the columns by their ids. */
  private def text(row: Group): String = {
    val schema: MessageType = row.getType.asInstanceOf[MessageType]
    val byId = schema.getFields.asScala.indices.sortBy(at => schema.getType(at).getId.intValue)
    byId
      .map { at =>
        if (row.getFieldRepetitionCount(at) == 0) "-"
        else if (schema.getType(at).isPrimitive) row.getValueToString(at, 0)
        else {
          val list = row.getGroup(at, 0)
          (0 until list.getFieldRepetitionCount(0))
            .map { each =>
              val item = list.getGroup(0, each)
              if (item.getFieldRepetitionCount(0) == 0) "-" else item.getValueToString(0, 0)
            }
            .mkString("[", ",", "]")
        }
      }
      .mkString(" ")
  }

  private def groupsOf(path: String): Vector[Long] = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(new Path(path), conf))
    try reader.getRowGroups.asScala.map(_.getRowCount).toVector
    finally reader.close()
  }

  private lazy val first = written("optional.parquet", optional, 250)(inOptional)
  private lazy val second = written("required.parquet", required, 20)(inRequired)

  private val expected = rowsOf(first).zipWithIndex.map { case (row, at) =>
    s"$row - 3 ${1000 + at}"
  } ++
    rowsOf(second).zipWithIndex.map { case (row, at) => s"$row - 8 ${5000 + at}" }

  for (version <- WriterVersion.values) {
    test(s"live rows are copied value by value, with row ids and snapshots ($version)") {
      val deleted = Vector[Long](0, 5, 6, 99, 100, 249)
      val (path, file) = copied(
        format(version, 1000),
        source(first, 1000L, 3L, deleted*),
        source(second, 5000L, 8L),
      )

      val kept = expected.zipWithIndex.collect {
        case (row, at) if !deleted.contains(at.toLong) => row
      }
      assert(rowsOf(path) == kept)
      assert(groupsOf(path) == Vector(264L))
      assert((file.recordCount, file.snapshots) == ((264L, Some((3L, 8L)))))
      assert(file.statistics(ColumnId(1)).min.map(_.toString) == Some("Integral(-19)"))
      assert(file.statistics(ColumnId(2)).containsNan == Some(true))
      assert(file.statistics(ColumnId(5)).nullCount == Some(264L))
    }

    test(s"large row groups are copied as they are, and rows around them are not ($version)") {
      val (path, file) = copied(
        format(version, 100),
        source(first, 1000L, 3L, 150L),
        source(second, 5000L, 8L),
      )

      assert(rowsOf(path) == expected.patch(150, Nil, 1))
      assert(groupsOf(path) == Vector(100L, 99L, 50L, 20L))
      assert(file.statistics(ColumnId(2)).max.isEmpty)
      assert(file.statistics(ColumnId(2)).containsNan == Some(true))
      assert(file.statistics(ColumnId(1)).nullCount == Some(49L))
    }
  }

  test("rows are copied in the order that somebody else chooses") {
    val deleted = Vector[Long](0, 5, 150)
    val sources = Vector(source(first, 1000L, 3L, deleted*), source(second, 5000L, 8L))
    val files = SourceFiles.read(sources, "main.t", conf)
    val plan = CopyPlan.of(files, columns, blank, columns.map(_.id), Map.empty).get
    val copy = new ReorderedCopy(files, plan, format(WriterVersion.PARQUET_1_0, 100), conf)
    val path = Files.createTempDirectory(folder, "out").resolve("new.parquet").toString
    val rows = Vector.newBuilder[Array[Byte]]

    val span = copy.read(rows += _)
    val file = copy.write(path, rows.result().reverseIterator, span)

    val kept = expected.zipWithIndex.collect {
      case (row, at) if !deleted.contains(at.toLong) => row
    }
    assert(rowsOf(path) == kept.reverse)
    assert(groupsOf(path) == Vector(100L, 100L, 67L))
    assert((file.recordCount, file.snapshots) == ((267L, Some((3L, 8L)))))
    assert(file.statistics(ColumnId(2)).containsNan == Some(true))
  }

  test("rows of files that lack a column have its default") {
    val files = SourceFiles.read(Vector(source(first, 0L, 1L)), "main.t", conf)
    val of = columns.init :+ columns.last.copy(initialDefault = Some("7"))
    val seven = Map(ColumnId(5) -> LeafConstant.of(_.addInteger(7)))
    val plan = CopyPlan.of(files, of, blank, of.map(_.id), seven).get
    val path = Files.createTempDirectory(folder, "out").resolve("new.parquet").toString

    new RowCopier(files, plan, format(WriterVersion.PARQUET_1_0, 100), conf).write(path)

    val found = rowsOf(path)
    assert(found == rowsOf(first).zipWithIndex.map { case (row, at) => s"$row 7 1 $at" })
  }

  test("an encrypted file has the same rows, however it was copied") {
    val plain = format(WriterVersion.PARQUET_1_0, 100)
    val hidden = plain.copy(isEncrypted = true)
    def encrypted(written: (String, WrittenCopy)): SourceFile = {
      val (path, file) = written
      val known = file.physical.key.map(EncryptedFile(_, file.recordCount))
      source(path, file.recordCount, None, 1L).copy(encrypted = known)
    }
    def shown(written: (String, WrittenCopy)): String = copied(plain, encrypted(written))._1

    val first4 = copied(hidden, source(first, 1000L, 3L), source(second, 5000L, 8L))
    val byChunk = copied(hidden, encrypted(first4))
    val byValue = copied(
      hidden.copy(rowGroupRows = 300),
      encrypted(first4).copy(deletes = () => DeletedPositions(Array(7L, 110L, 210L, 260L))),
    )

    assert(Files.readString(java.nio.file.Path.of(first4._1), ISO_8859_1).startsWith("PARE"))
    assert(first4._2.physical.rowGroups == 4L && first4._2.snapshots == Some((3L, 8L)))
    assert(Vector(first4, byChunk).map(file => rowsOf(shown(file))) == Vector(expected, expected))
    assert(groupsOf(shown(byChunk)) == Vector(100L, 100L, 50L, 20L))
    assert(rowsOf(shown(byValue)) == without(expected, 7, 110, 210, 260))
    assert(Vector(first4, byChunk, byValue).flatMap(_._2.physical.key).distinct.size == 3)
  }

  private def without(rows: Vector[String], positions: Int*): Vector[String] =
    rows.zipWithIndex.collect { case (row, at) if !positions.contains(at) => row }

  test("copied chunks keep their bytes and their indexes") {
    val (path, _) = copied(format(WriterVersion.PARQUET_1_0, 100), source(first, 0L, 1L))

    val chunks = Vector(first, path).map { file =>
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(new Path(file), conf))
      val content = Files.readAllBytes(java.nio.file.Path.of(file))
      try
        for {
          group <- reader.getRowGroups.asScala.toVector
          chunk <- group.getColumns.asScala.toVector.take(3)
          start = chunk.getStartingPos
          offsets = reader.readOffsetIndex(chunk)
          pages = (0 until offsets.getPageCount).map(offsets.getOffset(_) - start)
          bounds = reader.readColumnIndex(chunk).getMinValues.asScala.map(_.duplicate).toVector
        } yield (
          content.slice(start.toInt, (start + chunk.getTotalSize).toInt).toVector,
          pages,
          bounds,
        )
      finally reader.close()
    }
    assert(chunks(0).size == 9)
    assert(chunks(0) == chunks(1))
  }

  test("a column that is required in all files stays so, and its chunks are copied") {
    val other = written("required2.parquet", required, 60)(inRequired)
    val (path, file) = copied(
      format(WriterVersion.PARQUET_1_0, 100),
      source(second, 0L, 1L),
      source(other, 500L, 2L),
    )

    val rows = rowsOf(second).zipWithIndex.map { case (row, at) => s"$row - 1 $at" } ++
      rowsOf(other).zipWithIndex.map { case (row, at) => s"$row - 2 ${500 + at}" }
    assert(rowsOf(path) == rows)
    assert(groupsOf(path) == Vector(20L, 60L))
    assert(repetitionsOf(path) == Vector("REQUIRED", "REQUIRED", "OPTIONAL", "OPTIONAL"))
    assert(file.statistics(ColumnId(1)).nullCount == Some(0L))
    val (mixed, _) =
      copied(format(WriterVersion.PARQUET_1_0, 100), source(second, 0L, 1L), source(first, 9L, 1L))
    assert(repetitionsOf(mixed).forall(_ == "OPTIONAL"))
  }

  test("bounds of copied chunks without field ids and of other rows are put together") {
    val bare = "message m { optional int64 n (INTEGER(64,true)); optional double d; }"
    val other =
      written("bare.parquet", bare, 110)((group, row) => group.append("n", row.toLong): Unit)
    val (path, file) = copied(format(WriterVersion.PARQUET_1_0, 100), source(other, 0L, 1L))

    assert(groupsOf(path) == Vector(100L, 10L))
    val known = file.statistics(ColumnId(1))
    assert((known.min, known.max) == ((Some(Literal.Integral(0)), Some(Literal.Integral(109)))))
  }

  private def repetitionsOf(path: String): Vector[String] = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(new Path(path), conf))
    try
      reader.getFileMetaData.getSchema.getFields.asScala.toVector.take(4).map(_.getRepetition.name)
    finally reader.close()
  }

  test("files whose rows cannot be copied have no plan") {
    val floats =
      "message m { optional int64 n (TIMESTAMP(MILLIS,false)) = 1; optional double d = 2; }"
    val other = written("other.parquet", floats, 1)((_, _) => ())
    def plan(
        file: SourceFile,
        of: Vector[Column],
        defaults: Map[ColumnId, LeafConstant] = Map.empty,
    ): Option[CopyPlan] =
      CopyPlan
        .of(SourceFiles.read(Vector(file), "main.t", conf), of, blank, of.map(_.id), defaults)
    val good = source(first, 0L, 1L)

    assert(plan(good, columns).nonEmpty)
    assert(plan(source(other, 0L, 1L), columns).isEmpty)
    assert(plan(good.copy(constants = Set(ColumnId(1))), columns).isEmpty)
    assert(plan(good, columns.init :+ columns.last.copy(initialDefault = Some("7"))).isEmpty)
  }
}
