package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RelationKind
import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Moves inlined rows and inlined deletes of a table, a schema or the whole lake to files. */
final class FlushInlinedData(session: SessionLake)
    extends LakeProcedure(
      "flush_inlined_data",
      "Moves rows and deletes that are kept in the catalog into files",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    Array(Arguments.optional("table_name"), Arguments.optional("schema_name"))

  override def result(arguments: InternalRow): LocalResult = {
    val callArguments = new Arguments(name(), arguments)
    val flushed = session.writableIfAny().toVector.flatMap { base =>
      new FlushInlined(session).flush(tables(base, callArguments))
    }
    new LocalResult(
      FlushInlinedData.schema,
      () => flushed.map(table => Vector(table.schema, table.table, table.rows)),
    )
  }

  private def tables(base: LakeSnapshot, arguments: Arguments): Vector[LakeTable] =
    (arguments.text(0), arguments.text(1)) match {
      case (Some(_), _) =>
        val name = arguments.table(0, 1)
        Vector(name.find(base).getOrElse(throw new NoSuchTableException(name.identifier)))
      case (None, Some(schema)) =>
        if (base.schema(schema).isEmpty) throw new NoSuchNamespaceException(Array(schema))
        tablesOf(base, schema)
      case (None, None) => base.schemas().flatMap(schema => tablesOf(base, schema.name))
    }

  private def tablesOf(base: LakeSnapshot, schema: String): Vector[LakeTable] =
    base.schema(schema).toVector.flatMap { lakeSchema =>
      base
        .relations(lakeSchema)
        .filter(_.kind == RelationKind.Table)
        .flatMap(relation => base.table(lakeSchema.name, relation.name))
    }
}

private object FlushInlinedData {

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("rows_flushed", LongType)
}
