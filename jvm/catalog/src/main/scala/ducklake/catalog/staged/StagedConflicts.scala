package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** What other threads of a session have done to schemas, tables and views of its transaction since
  * a statement looked at them: at the commit nobody looks again, and the catalog would hold two
  * tables of one name, or a table that is both dropped and changed.
  *
  * @param objects of the statements before
  */
private[staged] final class StagedConflicts(objects: StagedObjects) {
  import StagedConflicts.refused

  /** Why the operation cannot follow. */
  def of(operation: Operation): Option[LakeError] = operation match {
    case delete: Operation.DeleteRows => lost(delete.table)
    case Operation.Truncate(table) => lost(table)
    case Operation.DropTable(table) => lost(table)
    case Operation.AlterTable(table, schema, definition) =>
      lost(table).orElse(taken(schema, definition.name, Some(table.id)))
    case create: Operation.CreateTable =>
      lost(create.schema).orElse(taken(create.schema, create.definition.name, None))
    case create: Operation.CreateView =>
      lost(create.schema).orElse(taken(create.schema, create.name, None))
    case Operation.RenameView(view, schema, name) =>
      lost(view).orElse(taken(schema, name, Some(view.id)))
    case Operation.DropView(view) => lost(view)
    case Operation.SetViewTags(view, _) => lost(view)
    case create: Operation.CreateSchema => create.parent.flatMap(lost).orElse(taken(create))
    case Operation.SetSchemaTags(schema, _) => lost(schema)
    case Operation.DropSchema(schema) => lost(schema).orElse(filled(schema))
    case _ => None
  }

  private def lost(table: LakeTable): Option[LakeError] =
    Option.when(isGone(table.id.value, objects.tables.get(table.id)))(
      refused(s"change ${table.qualifiedName}", "dropped it")
    )

  private def lost(view: LakeView): Option[LakeError] =
    Option.when(isGone(view.id.value, objects.views.get(view.id)))(
      refused(s"change the view ${view.qualifiedName}", "dropped it")
    )

  private def lost(schema: LakeSchema): Option[LakeError] =
    Option.when(isGone(schema.id.value, objects.schemas.get(schema.id)))(
      refused(s"use the schema ${schema.qualifiedName}", "dropped it")
    )

  /** Nothing is kept of an object that the transaction has both made and dropped. */
  private def isGone(id: Long, known: Option[StagedObject[_, _]]): Boolean =
    known.fold(UncommittedIds.contains(id))(_.now.isEmpty)

  /** Tables and views share their names. Those of the base were compared by the statement. */
  private def taken(schema: LakeSchema, name: String, own: Option[TableId]): Option[LakeError] = {
    val others = tablesIn(schema.id).map(table => table.id -> table.name) ++
      viewsIn(schema.id).map(view => view.id -> view.name)
    Option.when(others.exists { case (id, other) =>
      !own.contains(id) && Names.isSame(other, name)
    })(refused(s"use the name ${schema.qualifiedName}.$name", "took the name"))
  }

  private def taken(create: Operation.CreateSchema): Option[LakeError] =
    Option.when(
      schemas.exists(other =>
        other.parent == create.parent.map(_.id) && Names.isSame(other.name, create.name)
      )
    )(refused(s"make the schema ${create.name}", "made it"))

  private def filled(schema: LakeSchema): Option[LakeError] =
    Option.when(
      tablesIn(schema.id).nonEmpty || viewsIn(schema.id).nonEmpty ||
        schemas.exists(_.parent.contains(schema.id))
    )(refused(s"drop the schema ${schema.qualifiedName}", "made something in it"))

  private def schemas: Iterable[LakeSchema] = objects.schemas.values.flatMap(_.now)

  private def tablesIn(schema: SchemaId): Iterable[LakeTable] =
    objects.tables.values.flatMap(_.now).filter(_.schema.id == schema)

  private def viewsIn(schema: SchemaId): Iterable[LakeView] =
    objects.views.values.flatMap(_.now).filter(_.schema.id == schema)
}

private[staged] object StagedConflicts {

  def refused(wants: String, did: String): LakeError =
    LakeError.CommitConflict(
      s"it wants to $wants, and another statement of the same transaction $did since it began"
    )
}
