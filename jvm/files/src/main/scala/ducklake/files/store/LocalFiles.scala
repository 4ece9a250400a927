package ducklake.files.store

import java.nio.file.Files
import java.nio.file.Path

/** Local files, of which Java and Hadoop say "not there" also where they cannot tell. */
private[files] object LocalFiles {

  /** Whether there is certainly no such file. False where rights hide whether there is one. Nothing is
    * below a file that stands in the place of a folder.
    */
  def isSurelyAbsent(path: Path): Boolean =
    Iterator
      .iterate(path)(_.getParent)
      .takeWhile(_ != null)
      .exists(each => Files.notExists(each) || (each != path && Files.isRegularFile(each)))
}
