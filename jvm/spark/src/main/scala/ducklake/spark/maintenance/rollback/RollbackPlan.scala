package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** The plan to roll back several tables together.
  *
  * @param targets tables that come back or change
  * @param dropped tables that the past snapshot does not have
  */
private[rollback] final case class TablesPlan(
    targets: Vector[RollbackTarget],
    dropped: Vector[LakeTable],
)

/** The operations of a rollback of the whole lake, except operations on tables.
  *
  * @param drops before tables are dropped
  * @param schemas before tables come back
  * @param views after tables come back
  * @param guards conditions that must hold at the commit
  */
private[rollback] final case class SchemasAndViews(
    drops: Vector[Operation],
    schemas: Vector[Operation],
    views: Vector[Operation],
    guards: Vector[Operation],
)

private[rollback] object SchemasAndViews {
  val none: SchemasAndViews =
    SchemasAndViews(Vector.empty, Vector.empty, Vector.empty, Vector.empty)
}

/** Plans how tables get their past state, their names and schemas included.
  *
  * @param schemaOf the schema that the tables of a past schema come back to
  * @param freed names of views that the same commit drops or gives their past names, as schema and
  *   name
  * @param refuse raises an error with a reason
  */
private[rollback] final class TablesPlanner(
    base: LakeSnapshot,
    past: LakeSnapshot,
    schemaOf: Map[SchemaId, LakeSchema],
    freed: Set[(String, String)],
    refuse: String => Nothing,
) {

  /** The plan for these tables; tables that neither snapshot has are left out. */
  def plan(ids: Vector[TableId]): TablesPlan = {
    val pairs = ids.map(id => (base.table(id), past.table(id)))
    val targets = pairs.collect { case (now, Some(before)) => target(now, before) }
    val dropped = pairs.collect { case (Some(now), None) => now }
    targets.foreach(checkName(_, (dropped ++ targets.flatMap(_.present)).map(_.id).toSet))
    TablesPlan(targets, dropped)
  }

  private def target(now: Option[LakeTable], before: LakeTable): RollbackTarget = {
    val schema = schemaOf.getOrElse(
      before.schema.id,
      refuse(s"has ${before.qualifiedName}, whose schema was dropped since"),
    )
    RollbackTarget(now, before.copy(schema = schema), None)
  }

  /** @param moving tables whose names become free in the same commit */
  private def checkName(target: RollbackTarget, moving: Set[TableId]): Unit = {
    val (schema, name) = (target.past.schema, target.past.name)
    val table = base.table(schema.path, name).filterNot(other => moving(other.id))
    val isView = base.view(schema.path, name).nonEmpty &&
      !freed(TablesPlanner.place(schema.qualifiedName, name))
    if (table.nonEmpty || isView)
      refuse(s"has ${target.past.qualifiedName}, and another relation has this name now")
  }
}

private[rollback] object TablesPlanner {

  /** A name in the form for comparisons. */
  def place(schema: String, name: String): (String, String) =
    (Names.folded(schema), Names.folded(name))

  def drop(table: LakeTable): Vector[Operation] =
    Vector(Operation.DropTable(table), Operation.AssertUnchanged(table, TablePart.Files))
}
