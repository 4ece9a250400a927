package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** The net effect of the statements of a transaction. Statements read it on top of the base
  * snapshot, and the commit is made from it (decision 30).
  *
  * @param dataPath of the lake, ending in a separator
  * @param objects the schemas, tables and views that were made, changed or dropped
  * @param tables the tables whose rows or definitions changed and that are not dropped
  * @param options the lake options that were changed
  * @param guards conditions under which the transaction may be committed
  * @param generation the number of statements that changed something
  * @param nextId the next of the [[UncommittedIds]], for files, rows and objects
  * @param written full paths of all files that the statements wrote
  */
final case class StagedLake(
    dataPath: String,
    objects: StagedObjects,
    tables: Map[TableId, StagedTable],
    options: StagedOptions,
    guards: Vector[Operation],
    generation: Long,
    nextId: Long,
    written: Vector[String],
) {

  /** The last generation in which a table changed; 0 for a table without changes. */
  def generationOf(table: TableId): Long = tables.get(table).fold(0L)(_.generation)

  /** The full paths of the files that the transaction adds. */
  def addedPaths: Vector[String] = tables.values.toVector.flatMap(_.files.map(_.path))

  /** The files of a table with columns of which the catalog will never know, because the transaction
    * has added and dropped them. A later column may get the same id, so these files cannot be
    * committed as they are.
    */
  def filesOfLostColumns(own: StagedTable): Set[DataFileId] = {
    val before = objects.tables.get(own.table.id).flatMap(_.before)
    val known =
      (before.toVector :+ own.table).flatMap(table => StagedLake.idsOf(table.columns)).toSet
    own.files
      .filterNot(file => StagedLake.idsOf(file.table.columns).forall(known))
      .map(_.id)
      .toSet
  }

  /** The options that the next statement obeys. */
  def optionsOver(stored: Vector[LakeOption]): Vector[LakeOption] =
    options.over(stored) ++ objects.options

  /** Adds the operations of one statement.
    *
    * @param seen the generation of each table that the statement has read
    *
    * Errors: Unsupported for an operation that cannot be part of a transaction; CommitConflict when
    * another statement of the transaction has changed the table that this statement changes.
    */
  def stage(operations: Vector[Operation], seen: TableId => Long): Either[LakeError, StagedLake] =
    operations
      .filter(StagedLake.dependsOnTable)
      .flatMap(_.existing)
      .find(table => generationOf(table.id) != seen(table.id))
      .map(table => Left(StagedLake.changedMeanwhile(table)))
      .getOrElse {
        val begun: Either[LakeError, StagedLake] = Right(copy(generation = generation + 1))
        operations.foldLeft(begun) { (done, operation) =>
          done.flatMap { before =>
            new StagedConflicts(before.objects)
              .of(operation)
              .toLeft(())
              .flatMap(_ => before.step(operation))
          }
        }
      }

  private def step(operation: Operation): Either[LakeError, StagedLake] = operation match {
    case Operation.AppendFiles(target, files) =>
      tableOf(target).map(table => files.foldLeft(this)(_.add(table, _)))
    case Operation.AppendInlined(target, rows) =>
      tableOf(target).map(table => rows.foldLeft(this)(_.add(table, _)))
    case register: Operation.RegisterFiles if register.files.forall(_.deletes.isEmpty) =>
      tableOf(register.target).map(_ => registered(register))
    case delete: Operation.DeleteRows => Right(changed(delete.table)(_.without(delete)))
    case Operation.Truncate(table) => Right(emptied(table))
    case guard: Operation.AssertNoNewRows => Right(guarded(guard))
    case guard: Operation.AssertSameRows => Right(guarded(guard))
    case seen: Operation.AssertRowsSeen => Right(guarded(seen))
    case guard: Operation.AssertUnchanged => Right(guarded(guard))
    case create: Operation.CreateTable => Right(made(create))
    case Operation.DropTable(table) =>
      Right(
        copy(
          objects = objects.without(table),
          tables = tables - table.id,
          options = options.without(OptionScope.OfTable(table.id)),
        )
      )
    case alter: Operation.AlterTable => altered(alter)
    case create: Operation.CreateSchema => Right(made(create))
    case Operation.DropSchema(schema) =>
      val left = options.without(OptionScope.OfSchema(schema.id))
      Right(copy(objects = objects.without(schema), options = left))
    case Operation.SetSchemaTags(schema, tags) =>
      Right(copy(objects = objects.withTags(schema, tags)))
    case Operation.SetOptions(OptionScope.OfTable(id), changes)
        if UncommittedIds.contains(id.value) =>
      Right(copy(objects = objects.withOptions(id, changes)))
    case Operation.SetOptions(scope, changes) =>
      Right(copy(options = options.changed(scope, changes)))
    case create: Operation.CreateView =>
      val view = NewObjects.view(TableId(nextId), create)
      Right(copy(objects = objects.made(view, create), nextId = nextId + 1))
    case Operation.DropView(view) => Right(copy(objects = objects.without(view)))
    case rename: Operation.RenameView => Right(copy(objects = objects.renamed(rename)))
    case Operation.SetViewTags(view, tags) => Right(copy(objects = objects.withTags(view, tags)))
    case drop: Operation.DropMacro =>
      Right(copy(objects = objects.copy(macros = objects.macros :+ drop)))
    case other => Left(StagedLake.notInTransaction(RefusedOperations.nameOf(other)))
  }

  /** The commit ends all rows that it finds, so there may be none that the transaction has not seen.
    */
  private def emptied(table: LakeTable): StagedLake =
    changed(table)(_.emptied).guarded(Operation.AssertNoNewRows(table, RowScope.Every))

  /** Guards of tables that the transaction has made have nothing to guard. */
  private def guarded(guard: Operation): StagedLake =
    if (guard.existing.exists(table => UncommittedIds.contains(table.id.value))) this
    else if (guards.contains(guard)) this
    else copy(guards = guards :+ guard)

  /** The commit compares each guard with the newest snapshot while others wait, so all reads of a
    * table in one shape are one guard.
    */
  private def guarded(seen: Operation.AssertRowsSeen): StagedLake = {
    val (same, others) = guards.partition {
      case known: Operation.AssertRowsSeen => known.copy(conditions = seen.conditions) == seen
      case _ => false
    }
    val known = same.collect { case known: Operation.AssertRowsSeen => known.conditions }.flatten
    val all = known ++ seen.conditions.filterNot(known.contains)
    copy(guards = others).guarded(seen.copy(conditions = all): Operation)
  }

  /** Errors: CommitConflict when another statement has dropped the table, or changed its columns or
    * partition keys, since the rows were planned.
    */
  private def tableOf(target: TableTarget): Either[LakeError, LakeTable] = target match {
    case TableTarget.Existing(table) =>
      Either.cond(isAsSeen(table), table, StagedLake.changedMeanwhile(table))
    case TableTarget.Created(uuid) =>
      objects.tables.values
        .flatMap(_.now)
        .find(_.uuid == uuid)
        .toRight(StagedLake.notInTransaction("Adding rows to an unknown new table"))
  }

  private def isAsSeen(table: LakeTable): Boolean =
    objects.tables.get(table.id) match {
      case Some(known) => known.now.exists(StagedLake.hasSameShape(_, table))
      case None => !UncommittedIds.contains(table.id.value)
    }

  private def made(create: Operation.CreateSchema): StagedLake = {
    val id = SchemaId(nextId)
    val schema = NewObjects.schema(id, create, dataPath)
    copy(objects = objects.made(schema, create.copy(alias = Some(id))), nextId = nextId + 1)
  }

  private def made(create: Operation.CreateTable): StagedLake = {
    val table = NewObjects.table(TableId(nextId), create)
    copy(objects = objects.made(table, create), nextId = nextId + 1)
      .changed(table)(_ => StagedTable.made(table, generation))
  }

  /** Errors: InvalidValue. */
  private def altered(alter: Operation.AlterTable): Either[LakeError, StagedLake] = {
    val base = objects.tables.get(alter.table.id).fold(Option(alter.table))(_.before)
    val after = NewObjects.defined(alter.table, base, alter.schema, alter.definition, nextId)
    val known = tables.getOrElse(after.id, StagedTable(alter.table, generation))
    known.defined(after).map { defined =>
      copy(objects = objects.altered(alter, after), nextId = nextId + 1)
        .changed(after)(_ => defined)
    }
  }

  private def add(table: LakeTable, file: NewDataFile): StagedLake = {
    val rowIds = file.rowIds match {
      case RowIds.Fresh => file.recordCount
      case RowIds.Embedded => 0L
    }
    val own = StagedFile(DataFileId(nextId), file, firstRowId = nextId + 1, table)
    changed(table)(known => known.copy(files = known.files :+ own)).copy(
      nextId = nextId + 1 + rowIds,
      written = written :+ LakePath(file.path, isRelative = true).fileIn(table.directory),
    )
  }

  private def registered(register: Operation.RegisterFiles): StagedLake = {
    val table = register.table
    val mappings = register.mappings.zipWithIndex.map { case (columns, at) =>
      NameMapping(MappingId(nextId + at), columns)
    }
    val begun = copy(nextId = nextId + mappings.size)
    register.files.foldLeft(begun) { (done, file) =>
      val known = StagedRegistration(file.path, file.mapping.map(mappings), register.checkedBelow)
      val id = done.nextId
      val own = StagedFile(DataFileId(id), file.data, firstRowId = id + 1, table, Some(known))
      done
        .changed(table)(all => all.copy(files = all.files :+ own))
        .copy(nextId = id + 1 + file.recordCount)
    }
  }

  private def add(table: LakeTable, row: NewInlinedRow): StagedLake = {
    val own = StagedRow(row.rowId.getOrElse(nextId), row.values)
    changed(table)(known => known.copy(rows = known.rows :+ own))
      .copy(nextId = if (row.rowId.isEmpty) nextId + 1 else nextId)
  }

  private def changed(table: LakeTable)(change: StagedTable => StagedTable): StagedLake = {
    val known = tables.getOrElse(table.id, StagedTable(table, generation))
    copy(tables = tables + (table.id -> change(known).copy(generation = generation)))
  }
}

object StagedLake {

  def empty(dataPath: String): StagedLake =
    StagedLake(
      dataPath,
      StagedObjects(),
      Map.empty,
      StagedOptions(),
      Vector.empty,
      0L,
      UncommittedIds.First + 1,
      Vector.empty,
    )

  /** Whether the operation was made for the table exactly as the statement has seen it. */
  private def dependsOnTable(operation: Operation): Boolean = operation match {
    case _: Operation.DeleteRows | _: Operation.Truncate | _: Operation.AlterTable |
        _: Operation.DropTable =>
      true
    case _ => false
  }

  private def idsOf(columns: Vector[Column]): Vector[ColumnId] =
    columns.flatMap(column => column.id +: idsOf(column.children))

  /** Whether rows that were made for the one table fit the other. */
  private def hasSameShape(one: LakeTable, other: LakeTable): Boolean =
    one.columns == other.columns &&
      TableDefinition.of(one).partition == TableDefinition.of(other).partition

  private def changedMeanwhile(table: LakeTable): LakeError =
    StagedConflicts.refused(s"change ${table.qualifiedName}", "changed the table")

  /** The error of something that cannot be part of a transaction. */
  def notInTransaction(what: String): LakeError =
    LakeError.Unsupported(
      s"$what inside a transaction",
      "Nothing was changed, and the transaction is still open. Commit or roll it back first.",
    )
}
