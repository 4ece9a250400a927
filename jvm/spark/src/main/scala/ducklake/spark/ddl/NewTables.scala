package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.NameRules
import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.commit.Uuid7
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.spark.definition.NewColumns
import ducklake.spark.definition.RequestedLayout
import ducklake.spark.definition.RequestedProperties
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.Identifier

/** Turns the table that CREATE TABLE describes into an operation. */
final class NewTables(session: SessionLake) {

  private val names = new ObjectNames(session)
  private val columns = new NewColumns(session.timeRule)

  /** The operation for a new table. Throws NoSuchNamespaceException and
    * TableAlreadyExistsException. Errors: the errors of names, types, defaults, keys and
    * properties.
    */
  def operation(
      base: LakeSnapshot,
      ident: Identifier,
      info: TableDescription,
  ): Operation.CreateTable = {
    val schema = names.schemaFor(base, ident)
    if (names.isTaken(base, schema, ident.name())) throw new TableAlreadyExistsException(ident)
    operationFor(base, schema, ident.name(), info)
  }

  /** Like [[operation]], without a check that the name is free: the same commit drops the table of
    * that name.
    */
  def operationFor(
      base: LakeSnapshot,
      schema: LakeSchema,
      name: String,
      info: TableDescription,
  ): Operation.CreateTable = {
    NewTables.unsupported(info).foreach(SparkErrors.raise)
    val properties = RequestedProperties.of(info.properties)
    val layout = RequestedLayout.of(info.partitions, base.version)
    NewTables.sortedTwice(properties, layout).foreach(SparkErrors.raise)
    val draft = for {
      _ <- NameRules.table(name)
      bare <- withColumns(
        base,
        schema,
        name,
        columns.ofTable(info.columns, properties.chosenTypes),
      )
      partitioned <- PartitionSpecChange.set(bare, layout.partition)
      sorted <- SortChange.set(partitioned, properties.sort.getOrElse(layout.sort))
      finished <- SchemaChange.finished(sorted)
    } yield finished
    val definition = draft.fold(SparkErrors.raise, _.definition)
    val lengths = TextLengths.ofNew(definition.columns, info.columns.map(_.dataType))
    val tags = lengths.tagged(properties.tags, definition.columns)
    create(schema, definition.copy(tags = tags), properties.options)
  }

  /** The operation for a table whose columns have their ids already, because files name them.
    * Throws NoSuchNamespaceException and TableAlreadyExistsException.
    *
    * @param lastColumn as in `Operation.CreateTable`
    *
    * Errors: the errors of names and columns.
    */
  def identified(
      base: LakeSnapshot,
      ident: Identifier,
      columns: Vector[Column],
      keys: Vector[PartitionKey],
      lastColumn: Option[ColumnId],
  ): Operation.CreateTable = {
    val schema = names.schemaFor(base, ident)
    if (names.isTaken(base, schema, ident.name())) throw new TableAlreadyExistsException(ident)
    val draft = for {
      _ <- NameRules.table(ident.name())
      numbered <- withColumns(base, schema, ident.name(), columns)
      finished <- SchemaChange.finished(numbered)
    } yield finished
    val definition = draft.fold(SparkErrors.raise, _.definition)
    create(schema, definition.copy(columns = columns, partition = keys), Map.empty)
      .copy(lastColumn = lastColumn)
  }

  /** The operation for a table with the columns, partition keys and sort order of another table.
    * Properties of the statement may set another sort order.
    */
  def like(
      base: LakeSnapshot,
      ident: Identifier,
      info: TableDescription,
      source: LakeTable,
  ): Operation.CreateTable = {
    val schema = names.schemaFor(base, ident)
    if (names.isTaken(base, schema, ident.name())) throw new TableAlreadyExistsException(ident)
    NameRules.table(ident.name()).left.foreach(SparkErrors.raise)
    val properties = RequestedProperties.of(info.properties)
    NewTables.typedLike(properties).foreach(SparkErrors.raise)
    val definition = TableDefinition.of(source)
    val draft = TableDraft.ofNew(
      s"${schema.qualifiedName}.${ident.name()}",
      definition.copy(columns = source.columns.map(withoutHistory)),
      base.version,
    )
    val sorted = properties.sort.fold[SchemaChange.Result](Right(draft))(SortChange.set(draft, _))
    val renumbered = sorted.fold(SparkErrors.raise, _.definition)
    val ids = source.columns.map(_.id).zip(renumbered.columns.map(_.id)).toMap[ColumnId, ColumnId]
    val lengths =
      TextLengths.moved(TextLengths.of(source.tags), source.columns, renumbered.columns)
    create(
      schema,
      renumbered.copy(
        schema = schema.id,
        name = ident.name(),
        tags = lengths.tagged(properties.tags, renumbered.columns),
        partition =
          definition.partition.flatMap(key => ids.get(key.column).map(id => key.copy(column = id))),
      ),
      properties.options,
    )
  }

  /** The column in a new table. A new table has no rows that are older than the column, so only a
    * literal default keeps its initial default.
    */
  private def withoutHistory(column: Column): Column = {
    val initial = column.default.collect {
      case ducklake.catalog.types.ColumnDefault.LiteralText(_) => column.initialDefault
    }.flatten
    column.copy(initialDefault = initial)
  }

  private def create(
      schema: LakeSchema,
      definition: TableDefinition,
      options: Map[String, String],
  ): Operation.CreateTable = {
    val uuid = Uuid7.next()
    Operation.CreateTable(
      schema,
      uuid,
      NameRules.directory(definition.name, uuid),
      definition,
      options.map { case (key, value) => RequestedProperties.stored(key, value, definition) },
    )
  }

  /** Adds the columns one after another, so that each name is checked against the names before it.
    */
  private def withColumns(
      base: LakeSnapshot,
      schema: LakeSchema,
      name: String,
      newColumns: Vector[Column],
  ): SchemaChange.Result = {
    val empty =
      TableDefinition(schema.id, name, Vector.empty, Map.empty, Vector.empty, Vector.empty)
    val start: SchemaChange.Result =
      Right(TableDraft.ofNew(s"${schema.qualifiedName}.$name", empty, base.version))
    newColumns.foldLeft(start) { (draft, column) =>
      draft.flatMap(SchemaChange.addToNew(_, column))
    }
  }
}

private object NewTables {

  /** The error for a type that a property sets for a column of a table LIKE another. */
  private def typedLike(properties: RequestedProperties): Option[LakeError] =
    properties.chosenTypes.keys.headOption.map { column =>
      LakeError.Unsupported(
        s"The property `${RequestedProperties.TypePrefix}$column` with LIKE",
        "LIKE takes the types of the other table. Leave the property out.",
      )
    }

  /** The error for a statement that gives two sort orders. */
  private def sortedTwice(
      properties: RequestedProperties,
      layout: RequestedLayout,
  ): Option[LakeError] =
    Option.when(properties.sort.exists(_ != layout.sort) && layout.sort.nonEmpty) {
      LakeError.Unsupported(
        s"CLUSTER BY with another sort order in the property `${RequestedProperties.SortedBy}`",
        "Both give the sort order. Leave one of them out.",
      )
    }

  /** The error for a part of the statement that DuckLake cannot store; None without an unsupported
    * part.
    */
  private def unsupported(info: TableDescription): Option[LakeError] = {
    val what = Vector(
      Option.when(info.hasConstraints)("A constraint other than NOT NULL"),
      info.columns
        .find(column => Option(column.generationExpression()).nonEmpty)
        .map(column => s"The generated column `${column.name()}`"),
      info.columns
        .find(column => Option(column.identityColumnSpec()).nonEmpty)
        .map(column => s"The identity column `${column.name()}`"),
    )
    what.flatten.headOption.map { found =>
      LakeError.Unsupported(
        found,
        "DuckLake has NOT NULL and DEFAULT, and nothing else of this kind.",
      )
    }
  }
}
