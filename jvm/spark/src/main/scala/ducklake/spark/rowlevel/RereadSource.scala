package ducklake.spark.rowlevel

/** Whether a source that a statement reads twice gave the same rows each time. */
private[spark] trait RereadSource {

  /** Why the two reads may have given different rows; None when they gave the same rows. Called
    * after both reads.
    */
  def problem(): Option[String]
}
