package ducklake.spark.config

/** Settings of Hadoop's file systems for the files of one catalog: its keys `hadoop.<property>`.
  *
  * The values may be secrets, so the text of this class shows only the names.
  */
final case class HadoopSettings(values: Map[String, String]) {
  override def toString: String = values.keys.toVector.sorted.mkString("HadoopSettings(", ", ", ")")
}

object HadoopSettings {

  /** The Hadoop settings among the keys of a catalog. */
  def in(options: Map[String, String]): HadoopSettings =
    HadoopSettings(options.collect {
      case (key, value) if key.startsWith(ConfigKey.HadoopPrefix) =>
        key.stripPrefix(ConfigKey.HadoopPrefix) -> value
    })

  val none: HadoopSettings = HadoopSettings(Map.empty)
}
