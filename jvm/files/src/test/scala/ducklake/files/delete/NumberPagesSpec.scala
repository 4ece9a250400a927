package ducklake.files.delete

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

import scala.util.Using

class NumberPagesSpec extends AnyFunSuite {

  private val conf = new Configuration
  private val absent = -7L

  private val schema = MessageTypeParser.parseMessageType(
    "message m { optional int64 sometimes; required int64 always; }"
  )

  private type Numbers = Int => Option[Long]

  private def written(version: WriterVersion, dictionary: Boolean, of: Numbers): Path = {
    val path = new Path(Files.createTempDirectory("ducklake-numbers").resolve("n.parquet").toString)
    val groups = new SimpleGroupFactory(schema)
    val writer = ExampleParquetWriter
      .builder(path)
      .withType(schema)
      .withWriterVersion(version)
      .withDictionaryEncoding(dictionary)
      .withRowGroupRowCountLimit(400)
      .withPageRowCountLimit(90)
      .build()
    Using.resource(writer) { out =>
      (0 until 1000).foreach { row =>
        val group = groups.newGroup()
        of(row).foreach(group.append("sometimes", _))
        out.write(group.append("always", row * 3L))
      }
    }
    path
  }

  /** The numbers, and how many of them are not NULL. */
  private def read(path: Path, column: Int): (Vector[Long], Int) =
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))) { reader =>
      val pages = new NumberPages(schema.getColumns.get(column), absent)
      val found = new Array[Long](1000)
      Iterator
        .continually(Option(reader.readNextRowGroup()))
        .takeWhile(_.nonEmpty)
        .flatten
        .foldLeft((Vector.empty[Long], 0)) { case ((before, present), group) =>
          val more = pages.read(group, found, before.length)
          (found.toVector.take(before.length + group.getRowCount.toInt), present + more)
        }
    }

  private val cases: Vector[(String, Numbers)] = Vector(
    "some NULL" -> (row => Option.when(row % 5 != 2)(row % 17L)),
    "no NULL" -> (row => Some(row * 1000003L)),
    "only NULL" -> (_ => None),
    "values that stand for NULL" -> (row => Option.when(row % 3 > 0)(if (row % 2 > 0) -7L else 6L)),
  )

  for {
    version <- WriterVersion.values
    dictionary <- Seq(true, false)
    (name, numbers) <- cases
  }
    test(s"$name, $version, dictionary: $dictionary") {
      val path = written(version, dictionary, numbers)

      val expected = (0 until 1000).map(numbers)
      assert(read(path, 0) == (expected.map(_.getOrElse(absent)), expected.count(_.nonEmpty)))
      assert(read(path, 1) == ((0 until 1000).map(_ * 3L), 1000))
    }
}
