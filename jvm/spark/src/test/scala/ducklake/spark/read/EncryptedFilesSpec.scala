package ducklake.spark.read

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileKey
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.files.delete.DeleteFileReader
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.SnapshotPositions
import ducklake.files.delete.StoredDeletes
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import ducklake.spark.testkit.WrittenRows
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.crypto.ColumnEncryptionProperties
import org.apache.parquet.crypto.FileEncryptionProperties
import org.apache.parquet.crypto.ParquetCipher
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.Assertion
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.Files
import java.nio.file.Path
import java.util.Base64
import java.util.Collections

/** Encrypted files of DuckDB and of Spark. */
class EncryptedFilesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles
  files.run("SET force_mbedtls_unsafe = 'true'")

  override protected def afterAll(): Unit = files.close()

  private val secret = "0123456789112345"
  private val key = FileKey(Base64.getEncoder.encodeToString(secret.getBytes(US_ASCII)))
  files.run(s"PRAGMA add_parquet_key('k', '$secret')")

  private val a = column(1, "a", LakeType.Int64)
  private val s = column(2, "s", LakeType.Varchar)
  private val both = TaskRows.spec(data(a), data(s))

  private def byDuckDb(name: String, rows: Int, more: String = ""): FilePart = {
    val options = s", ENCRYPTION_CONFIG {footer_key: 'k'}$more"
    val query = s"SELECT range AS a, 't' || range % 9 AS s FROM range($rows)"
    sealedBy(files.write(name, query, "{a: 1, s: 2}", options), rows.toLong, key)
  }

  private def byUs(rows: Int, options: (String, String)*): (Path, NewDataFile) = {
    val written = new WrittenRows(Vector(a, s), Map("encrypted" -> "true") ++ options)
    val (file, _) = (written.write(values(rows)*).head, written.listing)
    (written.path(file), file)
  }

  private def partOf(written: (Path, NewDataFile)): FilePart = {
    val (path, file) = written
    sealedBy(path, file.recordCount, file.physical.key.getOrElse(fail("the file has no key")))
  }

  private def sealedBy(path: Path, rows: Long, under: FileKey): FilePart =
    TaskRows.part(path).copy(recordCount = rows, key = Some(under))

  private def foundByDuckDb(
      values: String,
      file: Path,
      under: Option[FileKey],
      filter: String = "true",
  ): Vector[String] = {
    val value = s"from_base64('${under.fold("")(_.base64)}')"
    files.texts(
      s"SELECT concat_ws(' ', $values) FROM " +
        s"read_parquet('$file', encryption_config = {footer_key_value: $value}) WHERE $filter"
    )
  }

  private def values(rows: Int): Vector[Seq[Any]] =
    Vector.tabulate(rows)(row => Seq(row.toLong, s"t${row % 9}"))

  private def refused(part: FilePart): LakeError =
    intercept[LakeException](TaskRows.of(both, part)).error

  private def where(predicate: Predicate, part: FilePart): Vector[Any] =
    TaskRows.of(TaskRows.spec(data(a)).copy(predicates = Vector(predicate)), part).map(_.head)

  test("a file of DuckDB is read, with dictionaries, in splits, and in pages of both kinds") {
    val first = byDuckDb("first.parquet", 10000, ", ROW_GROUP_SIZE 2048")
    val second = byDuckDb("second.parquet", 10000, ", ROW_GROUP_SIZE 4096, PARQUET_VERSION V2")
    val halves = Vector(0L -> first.sizeBytes / 2, first.sizeBytes / 2 -> first.sizeBytes).map {
      case (from, to) => first.copy(start = from, length = to - from)
    }

    assert(TaskRows.of(both, first) == values(10000))
    assert(TaskRows.of(both, second) == values(10000))
    assert(TaskRows.of(both, halves*) == values(10000))
  }

  test("our own files are read by us and by DuckDB, with filters on one column and on others") {
    val written = byUs(50000, "parquet_row_group_size" -> "30000", "parquet_version" -> "V2")
    val file = partOf(written)
    def sum(filter: String): Vector[String] =
      foundByDuckDb("count(*), sum(a)", written._1, file.key, filter)

    assert(TaskRows.of(both, file) == values(50000))
    assert(sum("true") == Vector("50000 1249975000"))
    assert(sum("s = 't3'") == Vector("5556 138902778"))
    assert(sum("s = 't3x'") == Vector("0"))
    assert(sum("a >= 40000 AND s <> 't0'") == Vector("8889 400000000"))
    assert(new String(Files.readAllBytes(written._1).take(4), US_ASCII) == "PARE")
    assert(byUs(1)._2.physical.key != byUs(1)._2.physical.key)
  }

  test("row groups are skipped by their statistics") {
    val ours = partOf(byUs(60000, "parquet_row_group_size" -> "30000"))
    val theirs = byDuckDb("skipped.parquet", 60000, ", ROW_GROUP_SIZE 20480")
    val late = Predicate.Compare(ColumnId(1), Comparison.GreaterOrEqual, Literal.Integral(50000))

    val (few, some) = (where(late, ours), where(late, theirs))

    assert(few == Vector.range(30000L, 60000L))
    assert(some.size < 40000 && some.takeRight(10000) == Vector.range(50000L, 60000L))
  }

  test("a dictionary shows that a row group has no matching row") {
    val theirs = byDuckDb("dictionary.parquet", 5000)
    val none = Predicate.Compare(ColumnId(2), Comparison.Equal, Literal.Text("t5x"))
    val spec = TaskRows.spec(data(s), ReadColumn.FileRowNumber).copy(predicates = Vector(none))

    assert(TaskRows.of(spec, theirs).isEmpty)
  }

  test("a wrong key, a cut file, and other files of the same key are refused by name") {
    val file = byDuckDb("whole.parquet", 100)
    val path = Path.of(file.filename)
    val cut = files.folder.resolve("cut.parquet")
    Files.write(cut, Files.readAllBytes(path).dropRight(20))
    val wrong = FileKey(Base64.getEncoder.encodeToString("9123456789112345".getBytes(US_ASCII)))
    val other = byDuckDb("other.parquet", 101)

    val failures = Vector(
      file.copy(key = Some(wrong)),
      file.copy(key = Some(FileKey("no key"))),
      sealedBy(cut, 100, key),
      sealedBy(cut, 100, key).copy(sizeBytes = file.sizeBytes),
      other.copy(sizeBytes = file.sizeBytes),
      other.copy(recordCount = 100L),
    ).map(refused)

    assert(
      failures.map(_.condition) ==
        Vector.fill(6)("DUCKLAKE_UNREADABLE_FILE").updated(1, "DUCKLAKE_ENCRYPTED_LAKE")
    )
    assert(
      failures.map(_.parameters("why").replaceAll("\\d+", "N")) == Vector(
        "its footer cannot be decrypted: its bytes were changed, or its key is another one",
        "its key in the catalog is not the BaseN text of N, N or N bytes",
        "it is no encrypted Parquet file, or its end is missing",
        "it has less than the N bytes of the catalog",
        "it is no encrypted Parquet file, or its end is missing",
        "it has N rows, and the catalog says N",
      )
    )
    assert(!failures.exists(f => f.message.contains(secret) || f.message.contains(key.base64)))
  }

  test("a file that is not encrypted is refused in an encrypted lake") {
    val plain = files.write("plain.parquet", "SELECT 1::BIGINT AS a, 't' AS s", "{a: 1, s: 2}")

    val failure = refused(sealedBy(plain, 1, key))

    assert(failure.condition == "DUCKLAKE_ENCRYPTED_LAKE")
    assert(failure.parameters("why") == "it is not encrypted, and its lake is")
  }

  test("algorithms and keys that lakes do not use are refused by name") {
    val column = ColumnEncryptionProperties.builder("a").withKey(secret.getBytes(US_ASCII)).build()
    def usual = FileEncryptionProperties.builder(secret.getBytes(US_ASCII))
    val counter = foreign("counter", usual.withAlgorithm(ParquetCipher.AES_GCM_CTR_V1).build())
    val columns = Collections.singletonMap(ColumnPath.get("a"), column)
    val keyed = foreign("keyed", usual.withEncryptedColumns(columns).build())
    val prefix = usual.withAADPrefix(Array[Byte](1)).withoutAADPrefixStorage()

    val failures = Vector(counter, keyed, foreign("prefix", prefix.build())).map(refused)

    assert(failures.map(_.condition).distinct == Vector("DUCKLAKE_ENCRYPTED_LAKE"))
    assert(
      failures.map(_.parameters("why")) == Vector(
        "its algorithm is not AES_GCM_V1",
        "its tags sign places (AAD), as in no file of a lake",
        "its tags sign places (AAD), as in no file of a lake",
      )
    )
  }

  /** A file of one row by Parquet's own writer. */
  private def foreign(name: String, encryption: FileEncryptionProperties): FilePart = {
    val schema = MessageTypeParser.parseMessageType("message m { optional int64 a = 1; }")
    val path = files.folder.resolve(s"$name.parquet")
    val writer = ExampleParquetWriter
      .builder(new LocalOutputFile(path))
      .withConf(new PlainParquetConfiguration)
      .withType(schema)
      .withEncryption(encryption)
      .build()
    writer.write(new SimpleGroup(schema).append("a", 7L))
    writer.close()
    sealedBy(path, 1, key)
  }

  test("delete files are encrypted and read, each position with its snapshot") {
    val conf = new Configuration
    val positions = SnapshotPositions((0L until 130000L).map(at => at * 2 -> at % 5))
    val path = files.folder.resolve("sealed-delete.parquet")
    val written = DeleteFileWriter.writeWithSnapshots(
      NewDeletes(s"file:$path", "data.parquet", "main.t", isEncrypted = true),
      positions,
      conf,
    )
    val format = DeleteFormat.ParquetPositions
    val stored = StoredDeletes(s"file:$path", format, Files.size(path), 130000, 260000, written.key)

    val read = DeleteFileReader.readWithSnapshots(stored, "main.t", 9L, conf)

    assert(read.size == 130000 && written.rowGroups == 2)
    assert((0 until 130000).forall(at => read.positionAt(at) == at * 2L))
    assert((0 until 130000).forall(at => read.snapshotAt(at) == at % 5))
    assert(foundByDuckDb("sum(pos)", path, written.key) == Vector("16899870000"))
  }

  test("a changed byte of DuckDB's file gives an error or the same rows, never others") {
    attacked(byDuckDb("attacked.parquet", 50, ", ROW_GROUP_SIZE 2048"))
  }

  test("a changed byte of our file gives an error or the same rows, never others") {
    attacked(partOf(byUs(50)))
  }

  /** Changes one bit of a byte at a time. Every byte in the full sweep, else a sample of them. Only
    * the first letters are not read.
    */
  private def attacked(file: FilePart): Assertion = {
    val bytes = Files.readAllBytes(Path.of(file.filename))
    val target = files.folder.resolve("changed.parquet")
    val step = if (sys.env.get("DUCKLAKE_FULL").contains("1")) 1 else 13
    val outcomes = (0 until bytes.length by step).map { at =>
      val changed = bytes.clone()
      changed(at) = (changed(at) ^ (1 << (at % 8))).toByte
      Files.write(target, changed)
      outcome(file.copy(path = s"file:$target", filename = target.toString))
    }

    val allowed = Set("DUCKLAKE_UNREADABLE_FILE", "DUCKLAKE_ENCRYPTED_LAKE", "rows")
    assert(outcomes.toSet.diff(allowed).isEmpty)
    assert(outcomes.count(_ == "rows") <= outcomes.size * 0.02)
  }

  private def outcome(file: FilePart): String =
    try {
      assert(TaskRows.of(both, file) == values(file.recordCount.toInt))
      "rows"
    } catch { case failure: LakeException => failure.error.condition }
}
