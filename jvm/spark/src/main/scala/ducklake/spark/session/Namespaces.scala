package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.types.Names
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException

/** The schemas of a lake as Spark's namespaces. The empty namespace is `main`. In lakes of version
  * 1.1 a schema may hold schemas, so that a namespace has several levels.
  */
final class Namespaces(session: SessionLake) {

  def list(): Array[Array[String]] =
    session.currentToRead() match {
      case None => Array(Array(Namespaces.Default))
      case Some(snapshot) => children(snapshot, None)
    }

  /** The namespaces in a namespace. */
  def list(namespace: Array[String]): Array[Array[String]] =
    if (namespace.isEmpty) list()
    else
      session.current() match {
        case None if Namespaces.isDefault(namespace) => Array.empty
        case None => throw new NoSuchNamespaceException(namespace)
        case Some(snapshot) =>
          val schema = Namespaces
            .find(snapshot, namespace)
            .getOrElse(throw new NoSuchNamespaceException(namespace))
          children(snapshot, Some(schema))
      }

  private def children(
      snapshot: LakeSnapshot,
      parent: Option[LakeSchema],
  ): Array[Array[String]] =
    snapshot.schemas().filter(_.parent == parent.map(_.id)).map(_.path.toArray).toArray

  def exists(namespace: Array[String]): Boolean =
    session.current() match {
      case None => Namespaces.isDefault(namespace)
      case Some(snapshot) => Namespaces.find(snapshot, namespace).isDefined
    }

  def metadata(namespace: Array[String]): Map[String, String] =
    session.current() match {
      case None if exists(namespace) => Map.empty
      case None => throw new NoSuchNamespaceException(namespace)
      case Some(snapshot) =>
        val schema = Namespaces
          .find(snapshot, namespace)
          .getOrElse(throw new NoSuchNamespaceException(namespace))
        schema.tags + ("location" -> schema.directory)
    }
}

object Namespaces {
  val Default: String = "main"

  /** The namespace of the metadata tables of the lake and of the procedures. It is never listed. */
  val System: String = "system"

  /** The names that lead to the schema that a namespace names. */
  def pathOf(namespace: Array[String]): Vector[String] =
    if (namespace.isEmpty) Vector(Default) else namespace.toVector

  def isDefault(namespace: Array[String]): Boolean =
    isSame(pathOf(namespace).toArray, Vector(Default))

  /** Whether a namespace is a schema with these names. */
  def isSame(namespace: Array[String], path: Vector[String]): Boolean =
    namespace.length == path.size && namespace.zip(path).forall { case (a, b) =>
      Names.isSame(a, b)
    }

  def find(snapshot: LakeSnapshot, namespace: Array[String]): Option[LakeSchema] =
    snapshot.schema(pathOf(namespace))

  /** The schema that a text names: a schema with exactly this name, or else the schema at the end
    * of several names with dots between them. A name may be in double quotes.
    */
  def ofText(snapshot: LakeSnapshot, text: String): Option[LakeSchema] =
    snapshot.schema(text).orElse {
      if (SeveralNames.matches(text)) snapshot.schema(namesIn(text)) else None
    }

  /** The text by which [[ofText]] finds the schema to which these names lead. */
  def textOf(path: Vector[String]): String =
    path match {
      case Vector(name) => name
      case several => several.map(name => "\"" + name.replace("\"", "\"\"") + "\"").mkString(".")
    }

  // Possessive, because otherwise each character takes a frame of the stack.
  private val OneName = "\"(?:[^\"]|\"\")*+\"|[^\".]++"
  private val SeveralNames = s"(?:$OneName)(?:\\.(?:$OneName))*+".r

  private def namesIn(text: String): Vector[String] =
    OneName.r.findAllIn(text).toVector.map { name =>
      if (name.startsWith("\"")) name.drop(1).dropRight(1).replace("\"\"", "\"") else name
    }
}
