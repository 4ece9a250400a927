package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.parser.ParseException

/** Reads names that users write. */
private[spark] object NameText {

  /** The parts of a name with dots, in Spark's spelling with backticks. None for another text. */
  def parts(text: String): Option[Vector[String]] =
    try Some(CatalystSqlParser.parseMultipartIdentifier(text).toVector)
    catch { case _: ParseException => None }
}
