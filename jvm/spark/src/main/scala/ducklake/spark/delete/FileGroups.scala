package ducklake.spark.delete

/** Data files whose delete files are written in Spark tasks, a group of files in each task. */
private[spark] object FileGroups {

  /** Up to this number of files, a Spark job would take longer than the files. */
  private val DriverFiles = 8

  /** Up to this number of positions in all of these files together, old ones included. While a
    * delete file is written, a position takes about 40 bytes.
    */
  val DriverPositions = 1_000_000L

  private val GroupFiles = 64
  private val GroupBytes = 512 * 1024

  /** Whether the driver writes the delete files itself.
    *
    * @param positions of a file, deleted before or now
    */
  def areForDriver[A](files: Vector[A])(positions: A => Long): Boolean =
    files.sizeIs <= DriverFiles && files.iterator.map(positions).sum <= DriverPositions

  /** The groups of files for the tasks: each has a bounded number of files, and of bytes that
    * travel with it.
    *
    * @param files at least one
    * @param bytes of the positions of a file
    */
  def of[A](files: Vector[A])(bytes: A => Int): Vector[Vector[A]] = {
    val (full, last, _) =
      files.foldLeft((Vector.empty[Vector[A]], Vector.empty[A], 0)) {
        case ((groups, group, size), each) =>
          val more = bytes(each)
          if (group.isEmpty || (group.sizeIs < GroupFiles && size + more <= GroupBytes))
            (groups, group :+ each, size + more)
          else (groups :+ group, Vector(each), more)
      }
    full :+ last
  }
}
