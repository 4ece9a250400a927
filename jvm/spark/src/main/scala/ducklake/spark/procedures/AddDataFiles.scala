package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.registration.MatchRules
import ducklake.catalog.registration.RegistrationRequest
import ducklake.spark.maintenance.add.AddFiles
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WriteTarget
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Registers existing Parquet files as data files of a table.
  *
  * @param pathType the type of the argument `path`: one text or an array of texts
  */
final class AddDataFiles(session: SessionLake, pathType: DataType)
    extends LakeProcedure(
      "add_data_files",
      "Existing Parquet files become data files of a table, where they are",
    ) {

  override def isPartOfTransactions: Boolean = true

  override def parameters(): Array[ProcedureParameter] =
    Array(
      Arguments.required("table_name"),
      ProcedureParameter.in("path", pathType).build(),
      Arguments.optional("schema"),
      Arguments.flag("hive_partitioning"),
      Arguments.flag("allow_missing"),
      Arguments.flag("ignore_extra_columns"),
    )

  /** Spark requests the types before it casts the arguments, so both types of `path` are possible.
    */
  override def bind(inputType: StructType): BoundProcedure = {
    val named = inputType.fields.find(_.name.equalsIgnoreCase("path"))
    named.orElse(inputType.fields.lift(1)).map(_.dataType) match {
      case Some(_: ArrayType) => new AddDataFiles(session, ArrayType(StringType))
      case _ => new AddDataFiles(session, StringType)
    }
  }

  override def result(arguments: InternalRow): LocalResult = {
    val supplied = new Arguments(name(), arguments)
    val base = session.base()
    val named = supplied.table(0, 2)
    val table = named.find(base).getOrElse(throw named.missing(session.name))
    val patterns = pathType match {
      case _: ArrayType => supplied.texts(1, "path")
      case _ => Vector(supplied.required(1, "path"))
    }
    val added =
      new AddFiles(session).add(
        base,
        table,
        patterns,
        request(base, table, supplied),
      )
    new LocalResult(AddDataFiles.schema, () => added.map(Vector(_)))
  }

  private def request(
      base: LakeSnapshot,
      table: LakeTable,
      arguments: Arguments,
  ): RegistrationRequest = {
    val config = WriteTarget.existing(session, base, table).config(CaseInsensitiveStringMap.empty())
    RegistrationRequest(
      table.columns,
      table.partition.toVector.flatMap(_.keys),
      MatchRules(
        allowsMissing = arguments.flag(4).getOrElse(false),
        ignoresExtra = arguments.flag(5).getOrElse(false),
      ),
      usesPathKeys = arguments.flag(3).getOrElse(true),
      withoutBounds = config.columnsWithoutBounds,
    )
  }
}

object AddDataFiles {
  val schema: StructType = new StructType().add("filename", StringType)
}
