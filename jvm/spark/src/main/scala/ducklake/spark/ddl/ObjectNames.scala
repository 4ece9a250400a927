package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.connector.catalog.Identifier

/** Finds the schema, table or view that an identifier names, for statements that change the lake.
  */
final class ObjectNames(session: SessionLake) {

  /** The schema of a new table or view. Throws NoSuchNamespaceException. */
  def schemaFor(snapshot: LakeSnapshot, ident: Identifier): LakeSchema =
    Namespaces
      .find(snapshot, ident.namespace())
      .getOrElse(throw new NoSuchNamespaceException(ident.namespace()))

  def table(snapshot: LakeSnapshot, ident: Identifier): Option[LakeTable] =
    snapshot.table(Namespaces.pathOf(ident.namespace()), ident.name())

  def view(snapshot: LakeSnapshot, ident: Identifier): Option[LakeView] =
    snapshot.view(Namespaces.pathOf(ident.namespace()), ident.name())

  /** Whether a table or a view of the schema has this name, without regard to case. */
  def isTaken(snapshot: LakeSnapshot, schema: LakeSchema, name: String): Boolean =
    snapshot.relations(schema).exists(known => Names.isSame(known.name, name))

  /** The new name in a RENAME. The identifier may contain the schema, and the catalog before it. A
    * name without schema means the schema of the table, and a name directly after the catalog means
    * the schema `main`, as elsewhere.
    *
    * Errors: Unsupported for another schema, because the directory of that schema does not hold the
    * table's files.
    */
  def newName(from: LakeSchema, to: Identifier): String = {
    val namespace = to.namespace() match {
      case Array(catalog, rest @ _*) if rest.nonEmpty && catalog == session.name => rest.toArray
      case Array(catalog) if catalog == session.name && from.path != Vector(catalog) =>
        Array(Namespaces.Default)
      case other => other
    }
    val isSame = namespace.isEmpty || Namespaces.isSame(namespace, from.path)
    if (isSame) to.name()
    else
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Moving from schema `${from.qualifiedName}` to `${namespace.mkString(".")}`",
          "Create it there and drop it here.",
        )
      )
  }
}
