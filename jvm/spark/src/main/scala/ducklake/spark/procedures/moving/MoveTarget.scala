package ducklake.spark.procedures.moving

import ducklake.catalog.LakeSnapshot
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.connector.catalog.Identifier

/** The name of the table that a move makes. */
private[moving] object MoveTarget {

  /** Without a schema, the name may have that of a schema before it. */
  def of(base: LakeSnapshot, table: String, schema: Option[String]): Identifier = {
    val dots = if (schema.isEmpty) table.indices.filter(table(_) == '.') else Vector.empty
    val split = dots.iterator
      .flatMap(dot => Namespaces.ofText(base, table.take(dot)).map(_ -> table.drop(dot + 1)))
      .nextOption()
    split match {
      case Some((found, name)) => Identifier.of(found.path.toArray, name)
      case None =>
        val named = schema.getOrElse(Namespaces.Default)
        val path = Namespaces.ofText(base, named).fold(Vector(named))(_.path)
        Identifier.of(path.toArray, table)
    }
  }
}
