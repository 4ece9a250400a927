package ducklake.files.io

import ducklake.catalog.error.LakeError
import org.apache.parquet.hadoop.BadConfigurationException

/** Compressions for which Parquet's library needs a class that is not on the class path: brotli,
  * which DuckDB writes, and LZO.
  */
private[io] object MissingCodec {

  private val NotFound = """Class (\S+\.(\w+?)(?:Codec)?) was not found""".r

  /** None when the failure has another reason. */
  def error(path: String, table: String, chain: List[Throwable]): Option[LakeError] =
    chain.collectFirst { case missing: BadConfigurationException => missing.getMessage }.collect {
      case NotFound(className, codec) =>
        LakeError.UnreadableFile(
          path,
          table,
          s"it is compressed by $codec, and Spark has no class $className",
          "Let DuckDB write the rows again with the option parquet_compression zstd, or give Spark the " +
            "class",
        )
    }
}
