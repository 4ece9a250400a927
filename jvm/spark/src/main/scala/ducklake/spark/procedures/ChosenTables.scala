package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RelationKind
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException

/** The tables that the arguments of a procedure name: a table, the tables of a schema, or all. */
private[procedures] object ChosenTables {

  def of(
      base: LakeSnapshot,
      arguments: Arguments,
      tableIndex: Int,
      schemaIndex: Int,
  ): Vector[LakeTable] =
    (arguments.text(tableIndex), arguments.text(schemaIndex)) match {
      case (Some(_), _) =>
        val name = arguments.table(tableIndex, schemaIndex)
        Vector(name.find(base).getOrElse(throw new NoSuchTableException(name.identifier)))
      case (None, Some(schema)) =>
        if (base.schema(schema).isEmpty) throw new NoSuchNamespaceException(Array(schema))
        ofSchema(base, schema)
      case (None, None) => base.schemas().flatMap(schema => ofSchema(base, schema.name))
    }

  private def ofSchema(base: LakeSnapshot, schema: String): Vector[LakeTable] =
    base.schema(schema).toVector.flatMap { lakeSchema =>
      base
        .relations(lakeSchema)
        .filter(_.kind == RelationKind.Table)
        .flatMap(relation => base.table(lakeSchema.name, relation.name))
    }
}
