package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.codehaus.janino.SimpleCompiler

import java.lang.reflect.Method
import java.lang.reflect.Modifier

/** The parser's interface grows from one Spark version to the next, and we are compiled for the oldest.
  * A method that our class lacks is handed on by a subclass that is compiled when the session starts. A
  * dynamic proxy would not do: it hides what a parser throws and does not declare.
  */
private[extension] object NewerParser {

  private val ours = classOf[DuckDbSyntax]
  private val name = "NewerDuckDbSyntax"

  def complete(session: SparkSession, parser: ParserInterface): ParserInterface =
    missing(classOf[ParserInterface]) match {
      case Vector() => new DuckDbSyntax(session, parser)
      case methods =>
        val made = compiled(methods).getConstructors.head.newInstance(session, parser)
        classOf[ParserInterface].cast(made)
    }

  /** The methods of the interface that our class would not answer. */
  private[extension] def missing(interface: Class[?]): Vector[Method] =
    interface.getMethods.toVector.filter { method =>
      val own = ours.getMethods.find { known =>
        known.getName == method.getName &&
        known.getReturnType == method.getReturnType &&
        known.getParameterTypes.sameElements(method.getParameterTypes)
      }
      Modifier.isAbstract(method.getModifiers) && own.forall(m =>
        Modifier.isAbstract(m.getModifiers)
      )
    }

  private[extension] def compiled(methods: Vector[Method]): Class[?] = {
    val compiler = new SimpleCompiler
    compiler.setParentClassLoader(ours.getClassLoader)
    compiler.cook(source(methods))
    compiler.getClassLoader.loadClass(name)
  }

  private def source(methods: Vector[Method]): String =
    s"""public final class $name extends ${ours.getName} {
       |  public $name(${classOf[SparkSession].getName} session, ${classOf[
        ParserInterface
      ].getName} parser) {
       |    super(session, parser);
       |  }
       |${methods.map(handedOn).mkString("\n")}
       |}""".stripMargin

  private def handedOn(method: Method): String = {
    val types = method.getParameterTypes.toVector.map(_.getCanonicalName)
    val names = types.indices.map(i => s"a$i")
    val parameters = types.zip(names).map { case (of, called) => s"$of $called" }.mkString(", ")
    val thrown = method.getExceptionTypes.toVector.map(_.getCanonicalName)
    val clause = if (thrown.isEmpty) "" else thrown.mkString(" throws ", ", ", "")
    s"""  public ${method.getReturnType.getCanonicalName} ${method.getName}($parameters)$clause {
       |    return parser().${method.getName}(${names.mkString(", ")});
       |  }""".stripMargin
  }
}
