package ducklake.spark.streaming.upsert

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.spark.config.StatementOptions
import ducklake.spark.config.StatementOptions.DeleteWhen
import ducklake.spark.config.StatementOptions.MergeKeys
import ducklake.spark.config.StatementOptions.SequenceBy
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.sql.NameText
import ducklake.spark.sparkapi.task.TaskSort
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** How a stream merges its rows into a table.
  *
  * @param keys names of columns; at least one
  * @param sequence the name of the column by which newer rows are known
  * @param deleteWhen the text of a condition on the stream's rows
  */
private[spark] final case class UpsertOptions(
    keys: Vector[String],
    sequence: Option[String],
    deleteWhen: Option[String],
) {

  /** The same with the names that the table gives its columns.
    *
    * Errors: InvalidSetting for a column that the table or the stream lacks, or whose values cannot
    * be compared.
    *
    * @param table its name, for messages
    */
  def inTable(table: String, columns: Array[Column], stream: StructType): UpsertOptions = {
    def column(option: String)(name: String): String = {
      val found = Names.find(columns, name)(_.name).getOrElse {
        refuse(
          option,
          s"names `$name`, which is no column of $table",
          "Name a column of the table.",
        )
      }
      if (!stream.fieldNames.exists(Names.isSame(_, name)))
        refuse(option, s"names `$name`, which the stream lacks", "Add the column to the query.")
      if (!TaskSort.mayOrder(found.dataType))
        refuse(
          option,
          s"names `$name`, whose values of type ${found.dataType.sql} cannot be compared",
          "Name a column of another type.",
        )
      found.name
    }
    copy(keys = keys.map(column(MergeKeys)), sequence = sequence.map(column(SequenceBy)))
  }

  private def refuse(option: String, why: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.InvalidSetting(option, why, hint))
}

private[spark] object UpsertOptions {

  /** None when the options ask for no merge. Errors: InvalidSetting. */
  def of(options: CaseInsensitiveStringMap): Option[UpsertOptions] = {
    val keys = text(options, MergeKeys)
    if (keys.isEmpty)
      StatementOptions.upserts.find(options.containsKey).foreach { option =>
        refuse(option, s"is given without `$MergeKeys`", s"Name the key's columns by `$MergeKeys`.")
      }
    keys.map { names =>
      val columns = Listed.findAllIn(names).map(name(MergeKeys, _)).toVector
      if (columns.isEmpty) refuse(MergeKeys, "names no column", "Name the key's columns.")
      columns.find(name => columns.count(Names.isSame(_, name)) > 1).foreach { twice =>
        refuse(MergeKeys, s"names `$twice` twice", "Name it once.")
      }
      UpsertOptions(
        columns,
        text(options, SequenceBy).map(name(SequenceBy, _)),
        text(options, DeleteWhen),
      )
    }
  }

  /** A name between commas, perhaps in backticks. */
  private val Listed = "(?:[^,`]|`[^`]*+`)++".r

  private def text(options: CaseInsensitiveStringMap, option: String): Option[String] =
    Option(options.get(option))

  private def name(option: String, text: String): String =
    NameText.parts(text.trim) match {
      case Some(Vector(one)) => one
      case _ =>
        refuse(
          option,
          s"has `${text.trim}`, which is no name of a column",
          "Names with other signs are written in backticks; fields of structs cannot be named.",
        )
    }

  private def refuse(option: String, why: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.InvalidSetting(option, why, hint))
}
