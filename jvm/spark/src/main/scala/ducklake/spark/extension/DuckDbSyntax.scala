package ducklake.spark.extension

import org.apache.spark.sql.catalyst.parser.ParserInterface

import java.lang.reflect.InvocationHandler
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Proxy

/** DuckDB's words on top of Spark's parser: `FROM t AT (VERSION => 3)`.
  *
  * Spark's parser goes first. Only a text that it refuses, and that holds such a clause, is tried
  * once more in Spark's words; if that fails too, the first error stands. A proxy, because the
  * parser's interface grows from one Spark version to the next.
  */
object DuckDbSyntax {

  def around(parser: ParserInterface): ParserInterface = {
    val handler: InvocationHandler = (_, method, arguments) => invoke(parser, method, arguments)
    val interface = classOf[ParserInterface]
    interface.cast(Proxy.newProxyInstance(interface.getClassLoader, Array(interface), handler))
  }

  private def invoke(parser: ParserInterface, method: Method, arguments: Array[AnyRef]): AnyRef =
    try call(parser, method, arguments)
    catch {
      case first: Exception if isStatement(method) =>
        rewritten(arguments) match {
          case None => throw first
          case Some(again) =>
            try call(parser, method, again)
            catch {
              case second: Exception =>
                first.addSuppressed(second)
                throw first
            }
        }
    }

  private def call(parser: ParserInterface, method: Method, arguments: Array[AnyRef]): AnyRef =
    try method.invoke(parser, Option(arguments).getOrElse(Array.empty[AnyRef])*)
    catch { case e: InvocationTargetException => throw e.getCause }

  private def isStatement(method: Method): Boolean =
    method.getName.startsWith("parse") && method.getParameterTypes.headOption
      .contains(classOf[String])

  private def rewritten(arguments: Array[AnyRef]): Option[Array[AnyRef]] =
    arguments.head match {
      case text: String => AtClause.rewrite(text).map(t => arguments.updated(0, t))
      case _ => None
    }
}
