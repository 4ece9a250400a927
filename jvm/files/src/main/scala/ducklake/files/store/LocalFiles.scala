package ducklake.files.store

import java.nio.file.Files
import java.nio.file.Path

/** Local files. Java and Hadoop report them as missing also when they cannot decide. */
private[files] object LocalFiles {

  /** Whether the file certainly does not exist. False when permissions hide it. Nothing exists
    * below a file in the place of a folder.
    */
  def isSurelyAbsent(path: Path): Boolean =
    Iterator
      .iterate(path)(_.getParent)
      .takeWhile(_ != null)
      .exists(each => Files.notExists(each) || (each != path && Files.isRegularFile(each)))
}
