package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.path.PathSpelling
import ducklake.catalog.read.file.StoredPaths
import ducklake.catalog.sql.Dialect

/** Refuses files that the lake already has: data files of any snapshot, and files scheduled for
  * deletion. DuckDB registers a file twice, which doubles its rows, and its cleanup deletes a file
  * that was registered again.
  */
private[commit] final class RegisteredPathsCheck(session: Session, dialect: Dialect) {

  /** Errors: FileAlreadyRegistered. */
  def check(operations: Vector[Operation]): Unit =
    operations.foreach {
      case register: Operation.RegisterFiles => check(register)
      case _ => ()
    }

  private def check(register: Operation.RegisterFiles): Unit = {
    val paths = register.files.map(_.path.fileIn(register.table.directory))
    val bySpelling = paths.groupBy(PathSpelling.of)
    bySpelling.values
      .find(_.size > 1)
      .foreach(same => refuse(register, same.head, "is given twice"))
    new StoredPaths(session, dialect, register.dataPath)
      .find(bySpelling.keySet, register.checkedBelow)
      .foreach(found => refuse(register, bySpelling(found).head, "is a file of the lake already"))
  }

  private def refuse(register: Operation.RegisterFiles, path: String, why: String): Nothing =
    throw new LakeException(
      LakeError.FileAlreadyRegistered(register.table.qualifiedName, path, why)
    )
}
