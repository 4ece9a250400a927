package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.types.Names
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException

/** The schemas of a lake as Spark's namespaces. They have one level, and the empty namespace is
  * `main`.
  */
final class Namespaces(session: SessionLake) {

  def list(): Array[Array[String]] =
    session.currentToRead() match {
      case None => Array(Array(Namespaces.Default))
      case Some(snapshot) => snapshot.schemas().map(s => Array(s.name)).toArray
    }

  /** The namespaces in a namespace. A schema contains none. */
  def list(namespace: Array[String]): Array[Array[String]] =
    if (namespace.isEmpty) list()
    else if (exists(namespace)) Array.empty
    else throw new NoSuchNamespaceException(namespace)

  def exists(namespace: Array[String]): Boolean =
    namespace.length <= 1 && (session.current() match {
      case None => Namespaces.nameOf(namespace).exists(Names.isSame(_, Namespaces.Default))
      case Some(snapshot) => Namespaces.find(snapshot, namespace).isDefined
    })

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

  /** The schema that a namespace names; None for a namespace of more than one level. */
  def nameOf(namespace: Array[String]): Option[String] =
    namespace match {
      case Array() => Some(Default)
      case Array(name) => Some(name)
      case _ => None
    }

  def find(snapshot: LakeSnapshot, namespace: Array[String]): Option[LakeSchema] =
    nameOf(namespace).flatMap(snapshot.schema)
}
