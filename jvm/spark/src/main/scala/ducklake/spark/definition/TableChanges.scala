package ducklake.spark.definition

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.schema.ColumnPlace
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionRules
import ducklake.catalog.types.ColumnId
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.catalog.ColumnDefaults
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.*
import org.apache.spark.sql.types.DataType

/** Applies the changes of ALTER TABLE to the definition of a table, one after another. */
final class TableChanges(session: SessionLake, base: LakeSnapshot, table: LakeTable) {

  import TableChanges.Comment

  private val columns = new NewColumns(session.timeRule)
  private val defaults = new ColumnDefaults(session.timeRule)
  private val types = new TypeChanges(session.timeRule)

  /** The table after all changes. The draft's `rows` are Empty only when the changes need a table
    * without rows. Errors: the errors of [[SchemaChange]], InvalidOption, UnstorableType,
    * Unsupported.
    */
  def all(changes: Seq[TableChange]): TableDraft = {
    val next = base.nextColumnId(table)
    val changed = result(changes, next, RowPresence.HasRows)
    val found = changed.left.flatMap { error =>
      RowsOfTable.presence(base, table) match {
        case RowPresence.Empty => result(changes, next, RowPresence.Empty)
        case RowPresence.HasRows => Left(error)
      }
    }
    found.fold(SparkErrors.raise, identity)
  }

  /** Whether an existing column can be changed in this way. Otherwise Spark casts the written
    * values to its type. A table without rows is no exception: an INSERT keeps its types.
    */
  def allows(change: ColumnChange): Boolean =
    try
      result(Seq(change), TableChanges.NoColumnIsAdded, RowPresence.HasRows)
        .exists(_.definition != definition)
    catch {
      case refused: LakeException if refused.error.isInstanceOf[LakeError.UnstorableType] => false
    }

  /** Refuses to give columns types that do not hold their values, also in a table without rows: the
    * types are those of a source, and nobody has asked for them. Errors: Unsupported.
    */
  def checkEvolution(changes: Seq[TableChange]): Unit =
    changes.foreach {
      case retype: UpdateColumnType if !allows(retype) =>
        val column = retype.fieldNames.mkString(".")
        val name = s"${session.name}.${table.qualifiedName}"
        val kind = retype.newDataType.sql
        SparkErrors.raise(
          LakeError.Unsupported(
            s"MERGE WITH SCHEMA EVOLUTION INTO `$name` with $kind for the column `$column`",
            s"Spark 4.1 would change the column to the type of the source. Give the source the type " +
              s"that the column has, `CAST($column AS ${typeOf(retype)})`, or use Spark 4.2 or newer.",
          )
        )
      case _ => ()
    }

  private def typeOf(change: ColumnChange): String =
    SchemaChange
      .column(start(TableChanges.NoColumnIsAdded, RowPresence.HasRows), change.fieldNames.toVector)
      .fold("…")(SparkTypes.of(_, session.timeRule).sql)

  private def definition: TableDefinition = TableDefinition.of(table)

  private def result(
      changes: Seq[TableChange],
      next: ColumnId,
      rows: RowPresence,
  ): SchemaChange.Result = {
    val unchanged: SchemaChange.Result = Right(start(next, rows))
    changes
      .foldLeft(unchanged)((draft, change) => draft.flatMap(changed(_, change)))
      .flatMap(SchemaChange.finished)
  }

  private def start(next: ColumnId, rows: RowPresence): TableDraft =
    TableDraft(table.qualifiedName, definition, next, base.version, rows)

  private def changed(draft: TableDraft, change: TableChange): SchemaChange.Result =
    change match {
      case add: AddColumn =>
        SchemaChange
          .add(
            draft,
            add.fieldNames.toVector.dropRight(1),
            columns.ofChange(add),
            place(Option(add.position)),
          )
          .map(withLength(_, add.fieldNames.toVector, add.dataType))
      case column: ColumnChange => ofColumn(draft, column)
      case set: SetProperty => property(draft, set)
      case remove: RemoveProperty => withoutProperty(draft, remove.property)
      case cluster: ClusterBy =>
        SortChange.set(draft, cluster.clusteringColumns.toVector.map(RequestedLayout.ascending))
      case other =>
        Left(
          LakeError.Unsupported(
            s"The change ${other.getClass.getSimpleName} of a table",
            "DuckLake has columns, comments, properties, keys and sort orders to change.",
          )
        )
    }

  private def ofColumn(draft: TableDraft, change: ColumnChange): SchemaChange.Result = {
    val path = change.fieldNames.toVector
    change match {
      case drop: DeleteColumn => dropped(draft, path, drop)
      case rename: RenameColumn => SchemaChange.rename(draft, path, rename.newName)
      case retype: UpdateColumnType =>
        types.to(draft, path, retype.newDataType).map(withLength(_, path, retype.newDataType))
      case nullability: UpdateColumnNullability if nullability.nullable =>
        SchemaChange.dropNotNull(draft, path)
      case _: UpdateColumnNullability => NotNull.set(draft, base, table, path)
      case comment: UpdateColumnComment =>
        SchemaChange.setComment(draft, path, Option(comment.newComment).filter(_.nonEmpty))
      case position: UpdateColumnPosition =>
        SchemaChange.move(draft, path, place(Option(position.position)))
      case default: UpdateColumnDefaultValue => defaulted(draft, path, default)
      case other =>
        Left(
          LakeError.Unsupported(
            s"The change ${other.getClass.getSimpleName} of a column",
            "DuckLake has no such property of columns.",
          )
        )
    }
  }

  private def dropped(
      draft: TableDraft,
      path: Vector[String],
      drop: DeleteColumn,
  ): SchemaChange.Result =
    if (drop.ifExists && SchemaChange.column(draft, path).isEmpty) Right(draft)
    else SchemaChange.drop(draft, path)

  /** The draft with the length of the column's texts, which the type declares. */
  private def withLength(draft: TableDraft, path: Vector[String], dataType: DataType): TableDraft =
    SchemaChange.column(draft, path).fold(draft) { column =>
      val known = TextLengths.of(draft.definition.tags)
      val lengths = known.declared(column, dataType)
      if (lengths == known) draft
      else tagged(draft, lengths.tagged(draft.definition.tags, draft.definition.columns))
    }

  private def defaulted(
      draft: TableDraft,
      path: Vector[String],
      change: UpdateColumnDefaultValue,
  ): SchemaChange.Result = {
    val stored = for {
      text <- ColumnDefaults.sqlOf(change)
      column <- SchemaChange.column(draft, path)
      default <- defaults.later(column, text)
    } yield default
    SchemaChange.setDefault(draft, path, stored)
  }

  private def property(draft: TableDraft, set: SetProperty): SchemaChange.Result = {
    RequestedProperties.check(set.property, set.value)
    if (
      RequestedProperties
        .isDropped(set.property) || RequestedProperties.isStorageFormat(set.property)
    )
      Right(draft)
    else if (OptionRules.isKnown(set.property)) {
      val _ = RequestedProperties.stored(set.property, set.value, draft.definition)
      Right(draft)
    } else if (RequestedProperties.isType(set.property))
      Left(
        LakeError.InvalidOption(set.property, set.value, "it is said when the table is created")
      )
    else if (set.property.equalsIgnoreCase(RequestedProperties.SortedBy))
      SortChange.set(draft, SortOrderText.parse(set.value))
    else if (set.property == Comment && set.value.isEmpty) withoutProperty(draft, Comment)
    else Right(tagged(draft, draft.definition.tags + (set.property -> set.value)))
  }

  private def withoutProperty(draft: TableDraft, key: String): SchemaChange.Result =
    if (key.equalsIgnoreCase(RequestedProperties.SortedBy)) SortChange.set(draft, Vector.empty)
    else if (RequestedProperties.isType(key))
      Left(LakeError.InvalidOption(key, "", "the type of a column stays"))
    else if (key.equalsIgnoreCase(TextLengths.Tag))
      Left(LakeError.InvalidOption(key, "", "ALTER COLUMN … TYPE STRING takes away a length"))
    else Right(tagged(draft, draft.definition.tags - key))

  private def tagged(draft: TableDraft, tags: Map[String, String]): TableDraft =
    draft.copy(definition = draft.definition.copy(tags = tags))

  private def place(position: Option[ColumnPosition]): ColumnPlace =
    position match {
      case None => ColumnPlace.Last
      case Some(after: After) => ColumnPlace.After(after.column)
      case Some(_) => ColumnPlace.First
    }
}

object TableChanges {

  /** The property with the table's comment. For COMMENT IS NULL Spark sets it to an empty text. */
  private val Comment = "comment"

  /** Stands for the next column id when no change adds a column. */
  private val NoColumnIsAdded = ColumnId(Long.MaxValue)

  /** The lake options that the changes set, as they are stored.
    *
    * @param table after the changes
    */
  def options(changes: Seq[TableChange], table: TableDefinition): Vector[OptionChange] =
    changes.toVector.collect {
      case set: SetProperty if OptionRules.isKnown(set.property) =>
        val (key, value) = RequestedProperties.stored(set.property, set.value, table)
        OptionChange(key, Some(value))
      case remove: RemoveProperty if OptionRules.isKnown(remove.property) =>
        OptionChange(OptionRules.key(remove.property), None)
    }
}
