package ducklake.spark.moving.parquet

import ducklake.catalog.error.LakeError
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText
import ducklake.files.io.FileFailure
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.MovableSource
import ducklake.spark.moving.NamesInFiles
import ducklake.spark.moving.NewIds
import ducklake.spark.moving.RowCheck
import ducklake.spark.moving.RowSum
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceFolder
import ducklake.spark.moving.SourceKey
import ducklake.spark.moving.SourceRows
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceTransform
import ducklake.spark.sparkapi.catalog.QueriedFile
import ducklake.spark.sparkapi.catalog.QueriedFiles
import ducklake.spark.types.LakeTypes
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

/** Parquet files without a table format, as Spark finds them: in a folder, or those of a table of the
  * session's catalog. Columns and partition values are those that Spark infers.
  */
private[moving] object ParquetSource {

  /** @param source the folder, which has a `/`, or the name of the table
    *
    * Errors: InvalidArgument when there are no Parquet files, or when they belong to a table of
    * another format; UnstorableType; the errors of [[FileFailure.naming]]; Spark's exceptions.
    */
  def open(source: String, table: String, conf: Configuration): MovableSource = {
    val session = SparkSession.active
    val folder = Option.when(source.contains('/'))(SourceFolder.of(source))
    folder.foreach(ofOtherFormat(_, table, conf).foreach(refuse))
    val rows = folder match {
      case Some(found) => session.read.option("mergeSchema", "true").parquet(found.opened)
      case None => session.table(source)
    }
    QueriedFiles.of(rows) match {
      case Some(found) if found.files.nonEmpty =>
        val spelled = folder.fold[String => String](identity)(_.spelled _)
        val read = new ParquetReader(source, spelled, found).table
        MovableSource.once(read, new ParquetRows(rows, source, conf))
      case _ => refuse("is no folder of Parquet files, and no table of them")
    }
  }

  private def refuse(why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument("migrate_from_parquet", "source", why))

  /** Such a folder has files that are no longer rows of the table. */
  private def ofOtherFormat(
      folder: SourceFolder,
      table: String,
      conf: Configuration,
  ): Option[String] =
    FileFailure.naming(folder.path, table) {
      val root = new Path(folder.opened)
      val system = root.getFileSystem(conf)
      def has(name: String): Boolean = system.exists(new Path(root, name))
      def isIceberg: Boolean = has("metadata") &&
        system
          .listStatus(new Path(root, "metadata"))
          .exists(_.getPath.getName.contains(".metadata.json"))
      if (has("_delta_log")) Some("is the folder of a table of Delta: call migrate_from_delta")
      else if (isIceberg) Some("is the folder of a table of Iceberg: call migrate_from_iceberg")
      else Option.when(has(".hoodie"))("is the folder of a table of Hudi")
    }
}

/** The rows as Spark reads them. */
private final class ParquetRows(rows: DataFrame, source: String, conf: Configuration)
    extends SourceRows {

  /** The types are Spark's own, of which those of the lake are made. */
  override def sum(shape: StructType): RowSum =
    RowCheck.sum(
      rows.queryExecution.toRdd,
      rows.schema,
      s"Reading all rows of $source",
      conf,
    )
}

/** @param spelled the path of a file for the lake */
private final class ParquetReader(source: String, spelled: String => String, found: QueriedFiles) {

  private val (columns, next) = {
    val bare = found.schema.fields.toVector.map { field =>
      LakeTypes
        .column(field.name, field.dataType)
        .copy(nullsAllowed = field.nullable, comment = field.getComment())
    }
    NewIds.withIds(bare, 1L)
  }
  private val keys: Vector[Column] =
    found.partition.flatMap(name => columns.find(_.name.equalsIgnoreCase(name)))

  def table: SourceTable =
    SourceTable(
      source,
      columns,
      NamesInFiles.Stored(columns, Map.empty),
      ColumnId(next - 1),
      keys.map(key => SourceKey(key.name, Some(key.id), SourceTransform.Same(Transform.Identity))),
      found.files.map(file),
      keys.flatMap(unusable) ++ defaults,
      Vector.empty,
    )

  private def defaults: Vector[String] =
    found.withDefaults.map(name => s"column `$name` has a default, which older files may lack")

  private def unusable(column: Column): Option[String] =
    Option.when(column.dataType == LakeType.Blob) {
      s"partition column `${column.name}` is of bytes"
    }

  private def file(one: QueriedFile): SourceFile =
    SourceFile(
      spelled(one.path),
      one.sizeBytes,
      recordCount = None,
      Some(keys.zip(one.partition).map { case (key, value) => value.map(text(key, _)) }),
      Vector.empty,
    )

  /** The text of a partition value as a lake stores it. A text that is no value is refused later, by
    * the file's name.
    */
  private def text(key: Column, value: String): String = key.dataType match {
    case known: LakeType.Primitive =>
      ValueText.parseCast(value, known).flatMap(ValueText.print(_, known)).getOrElse(value)
    case _: LakeType.Nested => value
  }
}
