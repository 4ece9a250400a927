package ducklake.spark.docs

import ducklake.spark.config.CatalogConfig
import ducklake.spark.ddl.TableDdl
import ducklake.spark.ddl.TableDescription
import ducklake.spark.session.SessionLake
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.StructType

import java.nio.file.Files

/** A lake with the empty table `main.t`, for pages that tell what a lake shows. */
private[docs] object ExampleLake {

  lazy val session: SessionLake = {
    val folder = Files.createTempDirectory("pages")
    val settings = Map(
      "uri" -> s"ducklake:sqlite:${folder.resolve("lake.sqlite")}",
      "data-path" -> folder.resolve("lake").toString,
    )
    val made = new SessionLake(CatalogConfig.parse("lake", settings), SparkTypes.TimeRule.AsString)
    val table = TableDescription(
      columns = Vector(Column.create("a", IntegerType)),
      partitions = Vector.empty,
      properties = Map.empty,
      hasConstraints = false,
    )
    val _ = new TableDdl(made).create(Identifier.of(Array("main"), "t"), table)
    made
  }

  /** Columns of a result in Markdown: names with their types, in order. */
  def columns(schema: StructType): String =
    schema.fields.map(field => s"`${field.name}` ${field.dataType.sql}").mkString(", ")
}
