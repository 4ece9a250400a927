package ducklake.files.path

/** The names of a file that a task writes, one for each of the first attempts at the task. The
  * driver chooses them, so that it can delete all files that a failed job may have written: an
  * attempt that succeeds after its job failed never reports its file to the driver. No two attempts
  * share a name, because an attempt that is killed late deletes its file.
  */
final case class AttemptNames(known: Vector[String]) {

  /** @param attempt how many attempts began before
    * @param another makes a name for an attempt that the driver did not expect
    */
  def of(attempt: Int)(another: => String): String = known.lift(attempt).getOrElse(another)
}

object AttemptNames {

  /** Spark gives up after four failures of a task; lost executors may cause more attempts. */
  private val KnownAttempts = 8

  def next(name: => String): AttemptNames = AttemptNames(Vector.fill(KnownAttempts)(name))
}
