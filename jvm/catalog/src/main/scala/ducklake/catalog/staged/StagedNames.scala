package ducklake.catalog.staged

import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationKind
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.Names

/** Schemas, tables and views as the statements of a transaction find them: those of the base
  * without what the transaction has dropped or changed, and what it has made or changed.
  */
final class StagedNames(objects: StagedObjects) {

  def schemas(base: => Vector[LakeSchema]): Vector[LakeSchema] =
    if (objects.schemas.isEmpty) base
    else
      base.filterNot(schema => objects.schemas.contains(schema.id)) ++
        objects.schemas.values.flatMap(_.now).toVector.sortBy(_.id.value)

  /** Ordered by name. */
  def relations(schema: LakeSchema)(base: => Vector[RelationName]): Vector[RelationName] = {
    val hidden =
      objects.tables.values
        .flatMap(_.before)
        .collect {
          case table if table.schema.id == schema.id => RelationName(table.name, RelationKind.Table)
        }
        .toSet ++ objects.views.values.flatMap(_.before).collect {
        case view if view.schema.id == schema.id => RelationName(view.name, RelationKind.View)
      }
    val own = tablesIn(schema).map(table => RelationName(table.name, RelationKind.Table)) ++
      viewsIn(schema).map(view => RelationName(view.name, RelationKind.View))
    (inBase(schema, Vector.empty[RelationName])(base).filterNot(hidden) ++ own).sortBy(_.name)
  }

  def table(schema: LakeSchema, name: String)(base: => Option[LakeTable]): Option[LakeTable] =
    Names
      .find(tablesIn(schema), name)(_.name)
      .orElse(
        inBase(schema, Option.empty[LakeTable])(base)
          .filterNot(table => objects.tables.contains(table.id))
      )

  def view(schema: LakeSchema, name: String)(base: => Option[LakeView]): Option[LakeView] =
    Names
      .find(viewsIn(schema), name)(_.name)
      .orElse(
        inBase(schema, Option.empty[LakeView])(base)
          .filterNot(view => objects.views.contains(view.id))
      )

  def views(base: => Vector[LakeView]): Vector[LakeView] =
    (base.filterNot(view => objects.views.contains(view.id)) ++
      objects.views.values.flatMap(_.now)).sortBy(view => (view.schema.qualifiedName, view.name))

  /** The catalog knows nothing of a schema that the transaction has made. */
  private def inBase[A](schema: LakeSchema, nothing: A)(base: => A): A =
    if (UncommittedIds.contains(schema.id.value)) nothing else base

  private def tablesIn(schema: LakeSchema): Vector[LakeTable] =
    objects.tables.values.flatMap(_.now).filter(_.schema.id == schema.id).toVector

  private def viewsIn(schema: LakeSchema): Vector[LakeView] =
    objects.views.values.flatMap(_.now).filter(_.schema.id == schema.id).toVector
}
