package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationKind
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** The differences between a lake and a past snapshot, except differences within its tables.
  *
  * @param refuse raises an error with a reason
  */
private[rollback] final class LakeDifference(
    base: LakeSnapshot,
    past: LakeSnapshot,
    refuse: String => Nothing,
) {
  private val nowSchemas = base.schemas()
  private val pastSchemas = past.schemas()
  private val views = base.views()
  private val pastViews = past.views()

  /** The tables of both snapshots. */
  lazy val tables: Vector[TableId] =
    (tablesOf(past, pastSchemas) ++ tablesOf(base, nowSchemas)).map(_.id).distinct

  private def tablesOf(at: LakeSnapshot, of: Vector[LakeSchema]): Vector[LakeTable] =
    for {
      schema <- of
      relation <- at.relations(schema) if relation.kind == RelationKind.Table
      table <- at.table(schema.path, relation.name)
    } yield table

  /** Names of views that tables of the past may get: a view that stays also gets its own past name.
    */
  def freed: Set[(String, String)] =
    views.map(view => TablesPlanner.place(view.schema.qualifiedName, view.name)).toSet

  /** The schema where the tables and views of a past schema come back: a schema of the same name
    * and directory, in an equivalent parent, or else the dropped schema itself, which is created
    * again.
    */
  lazy val schemaOf: Map[SchemaId, LakeSchema] =
    pastSchemas
      .map(before => before.id -> nowSchemas.find(isSame(_, before)).getOrElse(before))
      .toMap

  /** The directory of a nested schema does not depend on its parents, so the parents are compared,
    * too.
    */
  private def isSame(now: LakeSchema, before: LakeSchema): Boolean =
    now.path == before.path && now.directory == before.directory &&
      around(now, nowSchemas).zip(around(before, pastSchemas)).forall { case (outer, was) =>
        isSame(outer, was)
      }

  private def around(schema: LakeSchema, all: Vector[LakeSchema]): Option[LakeSchema] =
    schema.parent.flatMap(id => all.find(_.id == id))

  /** Drops of the views that the past snapshot does not have. */
  def dropsOfViews: Vector[Operation] = goneViews.map(Operation.DropView(_))

  /** Schemas as they were, for the time after unwanted tables and views are dropped. Nested schemas
    * are dropped before their parents, and come back after them.
    */
  def schemas: Vector[Operation] = {
    val gone = nowSchemas.filterNot(now => pastSchemas.exists(isSame(now, _)))
    gone.sortBy(-_.parents.size).map(Operation.DropSchema(_)) ++
      pastSchemas.sortBy(_.parents.size).flatMap(schemaAgain)
  }

  private def schemaAgain(before: LakeSchema): Option[Operation] =
    nowSchemas.find(isSame(_, before)) match {
      case None =>
        val around = before.parent.map(parent => schemaOf.get(parent).fold(parent)(_.id))
        Some(Operation.RestoreSchema(before.copy(parent = around), past.snapshot.id))
      case Some(now) =>
        Option.when(now.tags != before.tags)(Operation.SetSchemaTags(now, before.tags))
    }

  /** Views as they were, for the time after the schemas are as they were. */
  def viewsAgain: Vector[Operation] = pastViews.flatMap(restored)

  private def goneViews: Vector[LakeView] =
    views.filterNot(view => pastViews.exists(before => isSame(view, before)))

  /** Whether the text is the same, so that the view need not be dropped. */
  private def isSame(now: LakeView, before: LakeView): Boolean =
    now.id == before.id && now.sql == before.sql && now.dialect == before.dialect &&
      now.aliases == before.aliases && now.columnComments == before.columnComments

  private def restored(before: LakeView): Vector[Operation] = {
    val schema = schemaOf(before.schema.id)
    views.find(isSame(_, before)) match {
      case None =>
        Vector(
          Operation.CreateView(
            schema,
            before.name,
            before.uuid,
            before.dialect,
            before.sql,
            before.aliases,
            before.tags,
            before.columnComments,
          )
        )
      case Some(now) =>
        val isMoved = now.name != before.name || now.schema.id != schema.id
        Vector(
          Option.when(isMoved)(Operation.RenameView(now, schema, before.name)),
          Option.when(now.tags != before.tags)(Operation.SetViewTags(now, before.tags)),
        ).flatten
    }
  }

  /** Errors: the error of `refuse` for macros that differ now. A macro cannot change its schema, so
    * it also differs when its past schema replaces the present one.
    */
  def checkMacros(): Unit = {
    val before = past.macros().map(each => each.copy(schema = schemaOf(each.schema.id)))
    val (then, now) = (before.groupBy(asCalled), base.macros().groupBy(asCalled))
    val others = (then -- now.keys) ++ (now -- then.keys)
    if (others.nonEmpty) {
      val names = others.values.flatten.map(each => s"${each.schema.qualifiedName}.${each.name}")
      val listed = names.toVector.distinct.sorted.mkString(", ")
      refuse(s"has other macros than there are now ($listed)")
    }
  }

  /** The properties on which calls of a macro depend, the schema included. */
  private def asCalled(each: LakeMacro) =
    (each.schema.id, each.name, each.kind, each.parameters, each.dialect, each.sql)
}
