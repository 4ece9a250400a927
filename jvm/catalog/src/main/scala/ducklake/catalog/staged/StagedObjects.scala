package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** The schemas, tables and views that a transaction has made, changed or dropped.
  *
  * @param macros the drops of macros
  */
final case class StagedObjects(
    schemas: Map[SchemaId, StagedObject[LakeSchema, Operation.CreateSchema]] = Map.empty,
    tables: Map[TableId, StagedObject[LakeTable, Operation.CreateTable]] = Map.empty,
    views: Map[TableId, StagedObject[LakeView, Operation.CreateView]] = Map.empty,
    macros: Vector[Operation.DropMacro] = Vector.empty,
) {
  import StagedObjects.*

  def isEmpty: Boolean = schemas.isEmpty && tables.isEmpty && views.isEmpty && macros.isEmpty

  def made(schema: LakeSchema, create: Operation.CreateSchema): StagedObjects =
    copy(schemas = schemas + (schema.id -> StagedObject.of(create, schema)))

  def made(table: LakeTable, create: Operation.CreateTable): StagedObjects =
    copy(tables = tables + (table.id -> StagedObject.of(create, table)))

  def made(view: LakeView, create: Operation.CreateView): StagedObjects =
    copy(views = views + (view.id -> StagedObject.of(create, view)))

  def without(schema: LakeSchema): StagedObjects =
    copy(schemas = withoutOne(schemas, schema.id, schema))

  def without(table: LakeTable): StagedObjects =
    copy(tables = withoutOne(tables, table.id, table))

  def without(view: LakeView): StagedObjects = copy(views = withoutOne(views, view.id, view))

  def withTags(schema: LakeSchema, tags: Map[String, String]): StagedObjects = {
    val known = schemas.getOrElse(schema.id, StagedObject(Some(schema), None, None))
    val changed =
      known.copy(made = known.made.map(_.copy(tags = tags)), now = Some(schema.copy(tags = tags)))
    copy(schemas = schemas + (schema.id -> changed))
  }

  /** @param after the table with the new definition */
  def altered(alter: Operation.AlterTable, after: LakeTable): StagedObjects = {
    val known = tables.getOrElse(after.id, StagedObject(Some(alter.table), None, None))
    val made = known.made.map(_.copy(schema = alter.schema, definition = alter.definition))
    copy(tables = tables + (after.id -> known.copy(made = made, now = Some(after))))
  }

  /** Changes the options of a table that the transaction made. */
  def withOptions(id: TableId, changes: Vector[OptionChange]): StagedObjects = {
    val changed = tables.get(id).map { known =>
      id -> known.copy(made = known.made.map { create =>
        val options = changes.foldLeft(create.options) { (all, change) =>
          change.value.fold(all - change.key)(value => all + (change.key -> value))
        }
        create.copy(options = options)
      })
    }
    copy(tables = tables ++ changed)
  }

  /** The options of the tables that the transaction made. */
  def options: Vector[LakeOption] =
    for {
      (id, table) <- tables.toVector
      create <- table.made.toVector
      (key, value) <- create.options.toVector
    } yield LakeOption(key, value, OptionScope.OfTable(id))

  def renamed(rename: Operation.RenameView): StagedObjects =
    changed(rename.view)(_.copy(schema = rename.schema, name = rename.name)) {
      _.copy(schema = rename.schema, name = rename.name)
    }

  def withTags(view: LakeView, tags: Map[String, String]): StagedObjects =
    changed(view)(_.copy(tags = tags))(_.copy(tags = tags))

  private def changed(view: LakeView)(
      change: LakeView => LakeView
  )(ofMade: Operation.CreateView => Operation.CreateView): StagedObjects = {
    val known = views.getOrElse(view.id, StagedObject(Some(view), None, Some(view)))
    val after = known.copy(made = known.made.map(ofMade), now = known.now.map(change))
    copy(views = views + (view.id -> after))
  }

  /** The operations of the commit, in an order in which each name is free when it is taken, and each
    * schema is there when something is made in it.
    */
  def operations: Vector[Operation] = drops ++ changes ++ creations

  private def drops: Vector[Operation] =
    inOrder(tables)(_.value).flatMap(_.dropped).map(Operation.DropTable(_)) ++
      inOrder(views)(_.value).flatMap(_.dropped).map(Operation.DropView(_)) ++ macros ++
      inOrder(schemas)(_.value).reverse.flatMap(_.dropped).map(Operation.DropSchema(_))

  private def changes: Vector[Operation] = {
    val ofTables = inOrder(tables)(_.value).flatMap(_.changed).collect {
      case (before, after) if TableDefinition.of(before) != TableDefinition.of(after) =>
        Operation.AlterTable(before, after.schema, TableDefinition.of(after))
    }
    val ofViews = inOrder(views)(_.value).flatMap(_.changed)
    val renames = ofViews.collect {
      case (before, after) if (before.schema.id, before.name) != ((after.schema.id, after.name)) =>
        Operation.RenameView(before, after.schema, after.name)
    }
    val tags = ofViews.collect {
      case (before, after) if before.tags != after.tags =>
        Operation.SetViewTags(before, after.tags)
    }
    val ofSchemas = inOrder(schemas)(_.value).flatMap(_.changed).collect {
      case (before, after) if before.tags != after.tags =>
        Operation.SetSchemaTags(before, after.tags)
    }
    ofTables ++ renames ++ tags ++ ofSchemas
  }

  private def creations: Vector[Operation] =
    inOrder(schemas)(_.value).flatMap(_.made) ++ inOrder(tables)(_.value).flatMap(_.made) ++
      inOrder(views)(_.value).flatMap(_.made)
}

private object StagedObjects {

  def withoutOne[I, A, C](
      all: Map[I, StagedObject[A, C]],
      id: I,
      one: A,
  ): Map[I, StagedObject[A, C]] = {
    val known = all.getOrElse(id, StagedObject.gone[A, C](one))
    if (known.before.isEmpty) all - id else all + (id -> known.copy(made = None, now = None))
  }

  /** Objects of the base first, own objects in the order in which they were made. */
  def inOrder[I, A](all: Map[I, A])(number: I => Long): Vector[A] =
    all.toVector.sortBy { case (id, _) => number(id) }.map(_._2)
}
