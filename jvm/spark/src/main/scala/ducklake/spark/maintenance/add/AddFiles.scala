package ducklake.spark.maintenance.add

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.registration.RegistrationRequest
import ducklake.files.foreign.FileSearch
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.spark.sql.classic.SparkSession

/** Registers existing Parquet files as data files of a table, all in one commit (decision 11). */
final class AddFiles(lake: SessionLake) {

  /** The files that were added, in DuckDB's spelling. Files without rows are left out.
    *
    * @param patterns files, folders and patterns
    *
    * Errors: EncryptedLake; CannotAddFile for the first file that cannot be added,
    * FileAlreadyRegistered, and errors of a commit; then no file was added.
    */
  def add(
      base: LakeSnapshot,
      table: LakeTable,
      patterns: Vector[String],
      request: RegistrationRequest,
  ): Vector[String] = {
    if (base.isEncrypted) SparkErrors.raise(encrypted(table))
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val search = new FileSearch(conf)
    val named = patterns.flatMap(search.files(_, table.qualifiedName))
    new OwnedFiles(lake, table.qualifiedName, conf).refuse(named)
    val outcomes =
      FootersJob.run(lake, FootersSpec(table.qualifiedName, request), found(named))
    outcomes.refused.foreach { file =>
      SparkErrors.raise(
        LakeError
          .CannotAddFile(table.qualifiedName, file.path, file.refusal.why, file.refusal.hint)
      )
    }
    val accepted = outcomes.accepted.sortBy(_.position)
    val operation = Operation.RegisterFiles(
      table,
      outcomes.mappings,
      accepted.map(registered(table, named, _)),
      lake.lake.dataPath(),
      base.snapshot.nextFileId,
    )
    lake.commit(base, Vector(operation), StatementInfo.none).orThrow: Unit
    accepted.map(file => named(file.position))
  }

  private def encrypted(table: LakeTable): LakeError =
    LakeError.EncryptedLake(
      s"Cannot add files to ${table.qualifiedName}",
      "the lake is encrypted, and the files are not",
      "Insert their rows instead: INSERT INTO … SELECT * FROM parquet.`…`",
    )

  private def found(files: Vector[String]): Vector[CandidateFile] =
    files.zipWithIndex.map { case (path, position) =>
      CandidateFile(position, path, PathResolver.hadoopPath(path))
    }

  private def registered(
      table: LakeTable,
      files: Vector[String],
      file: AcceptedFile,
  ): RegisteredFile = {
    val path = files(file.position)
    val stored =
      if (path.startsWith(table.directory))
        LakePath(path.drop(table.directory.length), isRelative = true)
      else LakePath(path, isRelative = false)
    RegisteredFile(
      stored,
      file.mapping,
      file.recordCount,
      file.physical,
      file.partition,
      file.statistics,
    )
  }
}
