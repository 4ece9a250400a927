package ducklake.spark

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.Pin
import ducklake.spark.types.SparkTypes

/** A lake as one session registered it: its name there, its settings, its door. */
final class SessionLake(val config: CatalogConfig, val timeRule: SparkTypes.TimeRule) {

  val lake: Lake = Lakes.open(config.lake)

  def name: String = config.name

  /** The snapshot a statement reads that names none; None while there is no lake yet. */
  def current(): Option[LakeSnapshot] =
    config.pin match {
      case None => lake.newest()
      case Some(Pin.Version(id)) => Some(lake.at(id))
      case Some(Pin.Time(instant)) => Some(lake.atOrBefore(instant))
    }
}
