package ducklake.files.foreign

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import scala.jdk.CollectionConverters.IteratorHasAsScala

/** Files with geometries in columns of bytes, declared in the key `geo` of their metadata. DuckDB
  * reads these columns as geometries and does not cast them to blobs; a geometry in a lake needs
  * Parquet's own type.
  *
  * Source: GeoParquet 1.1; DuckDB 1.5.5, observed, e2e/test_geometries.
  */
private[foreign] object GeoParquet {

  private val Key = "geo"
  private val json = new ObjectMapper

  /** The names of the columns; none when the metadata are not JSON, which DuckDB ignores. */
  def columns(metadata: java.util.Map[String, String]): Set[String] =
    Option(metadata.get(Key)).fold(Set.empty[String]) { text =>
      try json.readTree(text).path("columns").fieldNames.asScala.toSet
      catch { case _: JsonProcessingException => Set.empty }
    }
}
