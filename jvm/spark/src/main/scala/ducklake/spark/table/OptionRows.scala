package ducklake.spark.table

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.LakeOption
import ducklake.catalog.read.OptionScope
import ducklake.spark.SessionLake
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Options as rows. Source: interface 2 and 5; format 8.5. */
object OptionRows {

  private final case class Known(key: String, default: Option[String], description: String)

  private val known: Vector[Known] = Vector(
    Known("data_inlining_row_limit", Some("10"), "Rows of a small change kept in the catalog"),
    Known("parquet_compression", Some("snappy"), "Codec of new Parquet files"),
    Known("parquet_compression_level", None, "Level of the codec, where it has levels"),
    Known("parquet_version", Some("V1"), "Data page version of new Parquet files"),
    Known("parquet_row_group_size", Some("122880"), "Rows of a row group"),
    Known("parquet_row_group_size_bytes", None, "Bytes of a row group"),
    Known("target_file_size", Some("536870912"), "Size a new file should have, in bytes"),
    Known("hive_file_pattern", Some("true"), "Partitioned files go to folders named after values"),
    Known("require_commit_message", Some("false"), "Commits without a message fail"),
    Known("rewrite_delete_threshold", Some("0.95"), "Deleted share from which a file is rewritten"),
    Known("delete_older_than", Some("2 days"), "Age from which cleanup removes files"),
    Known("expire_older_than", None, "Age from which snapshots expire"),
    Known("auto_compact", Some("true"), "Maintenance of the whole lake includes the table"),
    Known("per_thread_output", Some("false"), "Each writing thread makes files of its own"),
    Known("sort_on_insert", Some("true"), "New rows are sorted by the table's sort order"),
    Known("write_deletion_vectors", Some("false"), "Deletes are written as deletion vectors"),
    Known("version", None, "Version of the catalog's format"),
    Known("created_by", None, "What made the lake"),
    Known("data_path", None, "Where the lake's files are"),
    Known("encrypted", Some("false"), "Data files are encrypted"),
  )

  private val storedSchema: StructType = new StructType()
    .add("option_name", StringType)
    .add("description", StringType)
    .add("value", StringType)
    .add("scope", StringType)
    .add("scope_entry", StringType)

  private val inForceSchema: StructType = new StructType()
    .add("option_name", StringType)
    .add("value", StringType)
    .add("scope", StringType)

  /** The options that are stored, as DuckDB's `options` shows them. */
  def stored(session: SessionLake, snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      storedSchema,
      () =>
        session.lake.options().sortBy(o => (o.key, o.scope.toString)).map { option =>
          val description = known.find(_.key == option.key).map(_.description)
          val (scope, entry) = described(snapshot, option.scope)
          Vector[Any](option.key, description, option.value, scope, entry)
        },
      hasPast = false,
    )

  /** One row per known option with the value that holds for the table and where it comes from. */
  def inForce(session: SessionLake, table: LakeTable): LocalResult =
    new LocalResult(
      inForceSchema,
      () => {
        val options = session.lake.options()
        known.flatMap { option =>
          valueOf(session, table, options.filter(_.key == option.key), option).map {
            case (value, scope) => Vector[Any](option.key, value, scope)
          }
        }
      },
      hasPast = false,
    )

  /** None only for what neither is stored nor has a default. */
  private def valueOf(
      session: SessionLake,
      table: LakeTable,
      stored: Vector[LakeOption],
      option: Known,
  ): Option[(Option[String], String)] = {
    def at(scope: OptionScope, name: String) =
      stored.find(_.scope == scope).map(o => (Option(o.value), name))
    val key =
      if (option.key == "data_inlining_row_limit")
        session.config.inliningRowLimit.map(n => (Option(n.toString), "CATALOG KEY"))
      else None
    at(OptionScope.OfTable(table.id), "TABLE")
      .orElse(at(OptionScope.OfSchema(table.schema.id), "SCHEMA"))
      .orElse(at(OptionScope.Global, "GLOBAL"))
      .orElse(key)
      .orElse(Some((option.default, "DEFAULT")))
  }

  private def described(snapshot: LakeSnapshot, scope: OptionScope): (String, Option[String]) =
    scope match {
      case OptionScope.Global => ("GLOBAL", None)
      case OptionScope.OfSchema(id) =>
        ("SCHEMA", snapshot.schemas().find(_.id == id).map(_.name))
      case OptionScope.OfTable(id) => ("TABLE", snapshot.tableName(id))
    }
}
