package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.FileMergeSource
import ducklake.catalog.change.operation.MergedFile
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RewriteSource
import ducklake.catalog.change.operation.RewrittenFiles
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.testkit.RaisedLake
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

import scala.util.Random

/** The counters of a table are never below what its live files and inlined rows add up to: DuckDB 2.0
  * subtracts whole files from them, and breaks when they get negative. Such a drop by DuckDB is one of
  * the random steps.
  *
  * Source: format 14.4.
  */
class StatisticsPropertySpec extends AnyFunSuite with CommitFixtures {

  private val steps = 25

  for {
    version <- FormatVersion.targets
    seed <- 1 to 3
  } test(s"counters of a lake of ${version.text} cover what is live, seed $seed") {
    val file = Files.createTempDirectory("lake").resolve("lake.db")
    val lake = Lakes.open(settings(CatalogUri.Sqlite(file.toString)).copy(version = version))
    val first = lake.prepareToWrite()
    lake.commit(pending(first, create(first, "t"))).orThrow
    val random = new Random(seed.toLong)

    (1 to steps).foreach { number =>
      val did = step(lake, file, number, random)
      assert(shortfall(file) == Vector.empty, s"after $did")
    }
  }

  private def step(lake: Lake, file: Path, number: Int, random: Random): String = {
    val base = lake.prepareToWrite()
    val live = base.files(tableOf(base, "t"), FileRequest.everyFile).files
    def one: DataFile = live(random.nextInt(live.size))
    random.nextInt(if (live.isEmpty) 2 else 8) match {
      case 0 => done("insert", lake, base, append(tableOf(base, "t"), this.file(s"$number", 1, 9)))
      case 1 => done("small insert", lake, base, inlined(base, number))
      case 2 => done("drop of a file", lake, base, deleted(base, ended = Vector(one)))
      case 3 if live.exists(_.deleteFiles.isEmpty) =>
        val whole = live.filter(_.deleteFiles.isEmpty)
        done("delete", lake, base, deleted(base, thinned = Some((whole.head, number))))
      case 4 if live.count(_.deleteFiles.isEmpty) > 1 =>
        done("merge", lake, base, merged(base, live.filter(_.deleteFiles.isEmpty).take(2), number))
      case 5 if live.exists(_.deleteFiles.nonEmpty) =>
        done(
          "rewrite",
          lake,
          base,
          rewritten(base, live.filter(_.deleteFiles.nonEmpty).head, number),
        )
      case 6 => done("truncate", lake, base, Operation.Truncate(tableOf(base, "t")))
      case _ => droppedByDuckDb(file, one)
    }
  }

  private def done(what: String, lake: Lake, base: LakeSnapshot, operation: Operation): String = {
    lake.commit(pending(base, operation)).orThrow: Unit
    what
  }

  private def inlined(base: LakeSnapshot, number: Int): Operation = {
    val row = NewInlinedRow(None, Vector(Literal.Integral(number.toLong), Literal.Text("x")))
    Operation.AppendInlined(TableTarget.Existing(tableOf(base, "t")), Vector(row))
  }

  private def deleted(
      base: LakeSnapshot,
      ended: Vector[DataFile] = Vector.empty,
      thinned: Option[(DataFile, Int)] = None,
  ): Operation = {
    val deletes = thinned.map { case (file, number) =>
      NewDeleteFile(file.id, Vector.empty, s"$number-delete", 3, PhysicalFile(300, 100, 1))
    }
    Operation
      .DeleteRows(tableOf(base, "t"), ended.map(_.id), deletes.toVector, Map.empty, Vector.empty)
  }

  /** The new file is larger than the old ones together. */
  private def merged(base: LakeSnapshot, files: Vector[DataFile], number: Int): Operation = {
    val whole = file(s"$number", 1, 9)
      .copy(
        recordCount = files.map(_.recordCount).sum,
        physical = PhysicalFile(5000, 200, 1),
        rowIds = RowIds.Embedded,
      )
    val sources =
      files.map(source => FileMergeSource(source.id, LakePath("x", true), source.sizeBytes))
    val span = SnapshotRange(files.map(_.begin).minBy(_.value), base.snapshot.id)
    val table = tableOf(base, "t")
    Operation
      .MergeFiles(table, Vector(MergedFile(sources, table.columns, None, None, span, whole)))
  }

  private def rewritten(base: LakeSnapshot, old: DataFile, number: Int): Operation = {
    val rest =
      file(s"$number", 1, 9).copy(
        recordCount = 7,
        physical = PhysicalFile(900, 200, 1),
        rowIds = RowIds.Embedded,
      )
    val source = RewriteSource(old.id, old.deleteFiles.map(_.id), 0, old.sizeBytes)
    val table = tableOf(base, "t")
    Operation.RewriteFiles(
      table,
      Vector(RewrittenFiles(Vector(source), table.columns, None, Some(rest))),
    )
  }

  /** What DuckDB 2.0 does to the counters. It commits a snapshot; here the file only ends. */
  private def droppedByDuckDb(path: Path, old: DataFile): String = {
    RaisedLake.run(
      path,
      s"UPDATE ducklake_table_stats SET record_count = record_count - ${old.recordCount}, " +
        s"file_size_bytes = file_size_bytes - ${old.sizeBytes}",
      "DELETE FROM ducklake_table_column_stats",
      "UPDATE ducklake_delete_file SET end_snapshot = (SELECT MAX(snapshot_id) FROM " +
        s"ducklake_snapshot) WHERE data_file_id = ${old.id.value} AND end_snapshot IS NULL",
      "UPDATE ducklake_data_file SET end_snapshot = (SELECT MAX(snapshot_id) FROM " +
        s"ducklake_snapshot) WHERE data_file_id = ${old.id.value}",
    )
    "drop of a file by DuckDB"
  }

  /** The counters that are too small: counter, value, what is live. */
  private def shortfall(path: Path): Vector[Vector[String]] = {
    val inlined = RaisedLake
      .ask(path, "SELECT table_name FROM ducklake_inlined_data_tables")
      .map(_.head)
      .map { table =>
        val end = RaisedLake.ask(path, s"SELECT name FROM pragma_table_info('$table')")(2).head
        RaisedLake.ask(path, s"SELECT COUNT(*) FROM $table WHERE $end IS NULL").head.head.toLong
      }
      .sum
    RaisedLake.ask(
      path,
      "SELECT stats.record_count, stats.file_size_bytes, live.records, live.bytes " +
        "FROM ducklake_table_stats AS stats, (SELECT COALESCE(SUM(record_count), 0) AS records, " +
        "COALESCE(SUM(file_size_bytes), 0) AS bytes FROM ducklake_data_file " +
        "WHERE end_snapshot IS NULL) AS live " +
        s"WHERE stats.record_count < live.records + $inlined OR stats.file_size_bytes < live.bytes",
    )
  }
}
