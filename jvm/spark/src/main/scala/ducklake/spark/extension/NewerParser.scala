package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.codehaus.janino.SimpleCompiler

import java.lang.reflect.Method
import java.lang.reflect.Modifier

/** Completes our parser for newer versions of Spark. Spark's parser interface gets new methods from
  * version to version, and this code is compiled for the oldest version. A subclass that is
  * compiled when the session starts forwards the methods that our class lacks. A dynamic proxy does
  * not work, because it hides exceptions that the parser throws and does not declare.
  */
private[extension] object NewerParser {

  private val ours = classOf[DuckDbSyntax]
  private val name = "NewerDuckDbSyntax"

  def complete(session: SparkSession, parser: ParserInterface): ParserInterface =
    missing(classOf[ParserInterface]) match {
      case Vector() => new DuckDbSyntax(session, parser)
      case methods =>
        val instance = compiled(methods).getConstructors.head.newInstance(session, parser)
        classOf[ParserInterface].cast(instance)
    }

  /** The abstract methods of the interface that our class does not implement. */
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
       |${methods.map(forwarding).mkString("\n")}
       |}""".stripMargin

  private def forwarding(method: Method): String = {
    val types = method.getParameterTypes.toVector.map(_.getCanonicalName)
    val names = types.indices.map(i => s"a$i")
    val parameters =
      types.zip(names).map { case (typeName, parameter) => s"$typeName $parameter" }.mkString(", ")
    val thrown = method.getExceptionTypes.toVector.map(_.getCanonicalName)
    val clause = if (thrown.isEmpty) "" else thrown.mkString(" throws ", ", ", "")
    s"""  public ${method.getReturnType.getCanonicalName} ${method.getName}($parameters)$clause {
       |    return parser().${method.getName}(${names.mkString(", ")});
       |  }""".stripMargin
  }
}
