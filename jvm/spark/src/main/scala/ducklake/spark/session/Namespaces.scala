package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.types.Names
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException

/** Schemas as Spark's namespaces: one level deep, the empty one being `main`. */
final class Namespaces(session: SessionLake) {

  def list(): Array[Array[String]] =
    session.shown() match {
      case None => Array(Array(Namespaces.Default))
      case Some(snapshot) => snapshot.schemas().map(s => Array(s.name)).toArray
    }

  /** Schemas hold no schemas. */
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

  /** `system` holds the tables about the lake and the procedures; it is never listed. */
  val System: String = "system"

  /** The schema a namespace names; None when it is deeper than one level. */
  def nameOf(namespace: Array[String]): Option[String] =
    namespace match {
      case Array() => Some(Default)
      case Array(name) => Some(name)
      case _ => None
    }

  def find(snapshot: LakeSnapshot, namespace: Array[String]): Option[LakeSchema] =
    nameOf(namespace).flatMap(snapshot.schema)
}
