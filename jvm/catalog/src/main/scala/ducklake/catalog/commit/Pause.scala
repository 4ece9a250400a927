package ducklake.catalog.commit

/** The wait between two attempts. */
private[commit] object Pause {

  /** Whether the time has passed. False as soon as the thread is interrupted; its flag stays set. */
  def lasts(millis: Long): Boolean =
    try {
      Thread.sleep(millis)
      true
    } catch {
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        false
    }
}
