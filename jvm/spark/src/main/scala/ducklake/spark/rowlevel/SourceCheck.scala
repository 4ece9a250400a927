package ducklake.spark.rowlevel

/** Whether a source that a statement reads twice gave the same rows each time. */
private[spark] trait SourceCheck {

  /** Why the rows may have been other ones; None when they were the same. Asked after both reads. */
  def problem(): Option[String]
}
