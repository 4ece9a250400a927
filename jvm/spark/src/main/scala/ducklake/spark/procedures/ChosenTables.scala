package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RelationKind
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.maintenance.compact.FilesWhere
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException

/** The tables that the arguments of a procedure name: a table, the tables of a schema, or all. */
private[procedures] object ChosenTables {

  /** @param lake the name of the lake, for the error about a table that does not exist */
  def of(
      lake: String,
      base: LakeSnapshot,
      arguments: Arguments,
      tableIndex: Int,
      schemaIndex: Int,
  ): MaintainedTables =
    (arguments.text(tableIndex), arguments.text(schemaIndex)) match {
      case (Some(_), _) =>
        val name = arguments.table(tableIndex, schemaIndex)
        MaintainedTables.Named(
          name.find(base).getOrElse(throw name.missing(lake))
        )
      case (None, Some(schema)) =>
        val found = Namespaces
          .ofText(base, schema)
          .getOrElse(throw new NoSuchNamespaceException(Array(schema)))
        MaintainedTables.AllOf(ofSchema(base, found))
      case (None, None) => all(base)
    }

  def all(base: LakeSnapshot): MaintainedTables =
    MaintainedTables.AllOf(base.schemas().flatMap(ofSchema(base, _)))

  private def ofSchema(base: LakeSnapshot, schema: LakeSchema): Vector[LakeTable] =
    base
      .relations(schema)
      .filter(_.kind == RelationKind.Table)
      .flatMap(relation => base.table(schema.path, relation.name))
}

/** The files that the argument `where` of a procedure chooses. */
private[procedures] object ChosenFiles {

  /** Errors: InvalidArgument for a condition without a table, whose columns it is about. */
  def of(
      procedure: String,
      arguments: Arguments,
      tableIndex: Int,
      whereIndex: Int,
  ): FilesWhere =
    arguments.text(whereIndex).fold[FilesWhere](FilesWhere.All) { condition =>
      if (arguments.text(tableIndex).isEmpty) arguments.fail("where", "needs `table_name`")
      FilesWhere.MayMatch(procedure, condition)
    }
}
