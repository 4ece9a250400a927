package ducklake.spark.extension

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.parser.ParserInterface

import java.lang.reflect.InvocationHandler
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Proxy

/** DuckDB's words on top of Spark's parser: `FROM t AT (VERSION => 3)`, `ALTER TABLE t SET PARTITIONED
  * BY (…)` and its like.
  *
  * Spark's parser goes first. Only a text that it refuses, and that holds such words, is tried once
  * more in Spark's; if that fails too, the first error stands. `SET NOT NULL` alone goes to a lake's
  * procedure at once: Spark parses it, and then refuses it for any column. A proxy, because the
  * parser's interface grows from one Spark version to the next.
  */
object DuckDbSyntax {

  def around(session: SparkSession, parser: ParserInterface): ParserInterface = {
    val tables = new LakeTableNames(session)
    val handler: InvocationHandler = (_, method, arguments) =>
      try
        if (isStatement(method)) statement(parser, tables, method, arguments)
        else call(parser, method, arguments)
      catch { case error: AnalysisException => throw declared(error) }
    val interface = classOf[ParserInterface]
    interface.cast(Proxy.newProxyInstance(interface.getClassLoader, Array(interface), handler))
  }

  /** Spark's errors as the one checked exception that a parser declares: a proxy hides any other. */
  private def declared(error: AnalysisException): Exception =
    error match {
      case known: ParseException => known
      case other =>
        val same = new ParseException(
          None,
          other.origin,
          other.getCondition,
          other.messageParameters,
          other.context,
        )
        same.addSuppressed(other)
        same
    }

  private def statement(
      parser: ParserInterface,
      tables: LakeTableNames,
      method: Method,
      arguments: Array[AnyRef],
  ): AnyRef =
    altered(tables, arguments).filter(isSparksToo) match {
      case Some(instead) => call(parser, method, arguments.updated(0, instead.sql))
      case None =>
        try call(parser, method, arguments)
        catch {
          case first: Exception =>
            val again = altered(tables, arguments)
              .map(_.sql)
              .orElse(AtClause.rewrite(textOf(arguments)))
            again.fold[AnyRef](throw first)(retried(parser, method, arguments, _, first))
        }
    }

  private def retried(
      parser: ParserInterface,
      method: Method,
      arguments: Array[AnyRef],
      text: String,
      first: Exception,
  ): AnyRef =
    try call(parser, method, arguments.updated(0, text))
    catch {
      case second: Exception =>
        first.addSuppressed(second)
        throw first
    }

  /** What a statement of DuckDB's is called in Spark. */
  private final case class Rewritten(procedure: String, sql: String)

  private def altered(
      tables: LakeTableNames,
      arguments: Array[AnyRef],
  ): Option[Rewritten] =
    AlterClause.parse(textOf(arguments)).flatMap { clause =>
      tables.find(clause.table).map { case (catalog, schema) =>
        Rewritten(clause.procedure, clause.call(catalog, schema))
      }
    }

  private def isSparksToo(rewritten: Rewritten): Boolean = rewritten.procedure == "set_not_null"

  private def call(parser: ParserInterface, method: Method, arguments: Array[AnyRef]): AnyRef =
    try method.invoke(parser, Option(arguments).getOrElse(Array.empty[AnyRef])*)
    catch { case e: InvocationTargetException => throw e.getCause }

  private def isStatement(method: Method): Boolean =
    method.getName.startsWith("parse") && method.getParameterTypes.headOption
      .contains(classOf[String])

  private def textOf(arguments: Array[AnyRef]): String =
    arguments.head match {
      case text: String => text
      case _ => ""
    }
}
