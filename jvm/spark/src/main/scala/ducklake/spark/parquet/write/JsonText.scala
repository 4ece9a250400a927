package ducklake.spark.parquet.write

import com.fasterxml.jackson.core.JsonFactory
import com.fasterxml.jackson.core.JsonProcessingException
import ducklake.spark.errors.ValueSubject
import org.apache.spark.unsafe.types.UTF8String

import scala.annotation.tailrec

/** Checks texts that are written as values of DuckDB's type JSON. */
object JsonText {

  private val factory = new JsonFactory

  /** The unchanged text, if it is exactly one JSON value. Errors: InvalidValue. */
  def checked(text: UTF8String, subject: ValueSubject): UTF8String =
    if (isJson(text)) text else subject.refuse(s"`$text`", "it is no JSON")

  private def isJson(text: UTF8String): Boolean = {
    val parser = factory.createParser(text.getBytes)
    try Option(parser.nextToken()).exists(_ => valueEnds(parser, values = 0))
    catch { case _: JsonProcessingException => false }
    finally parser.close()
  }

  /** Whether the current token begins the last value. `values` counts the values before it, of
    * which there must be none.
    */
  @tailrec
  private def valueEnds(
      parser: com.fasterxml.jackson.core.JsonParser,
      values: Int,
  ): Boolean = {
    parser.skipChildren()
    if (Option(parser.nextToken()).isEmpty) values == 0 else valueEnds(parser, values + 1)
  }
}
