package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable

/** A table that is rolled back to a past snapshot.
  *
  * @param present the table now; None when it was dropped
  * @param past the table as it will be, with the name, schema and folder that it gets
  * @param replaced another table that has the name now, and is dropped
  */
private[rollback] final case class RollbackTarget(
    present: Option[LakeTable],
    past: LakeTable,
    replaced: Option[LakeTable],
)

private[rollback] object RollbackTarget {

  /** The table that has the name now, when the past snapshot has it under any name. Otherwise the
    * table that had the name at the past snapshot and was dropped since. None when no table has or
    * had the name.
    *
    * Errors: InvalidArgument for a table that did not exist at the past snapshot, that has another
    * name now, or whose schema was dropped; and when a view has the name now.
    *
    * @param name finds the table that the caller named
    */
  def of(
      base: LakeSnapshot,
      past: LakeSnapshot,
      name: LakeSnapshot => Option[LakeTable],
  ): Option[RollbackTarget] = {
    val present = name(base)
    val same = for {
      now <- present
      before <- past.table(now.id)
    } yield RollbackTarget(present, placed(before, now), None)
    same.orElse(name(past) match {
      case Some(before) => Some(dropped(base, before, present))
      case None => present.map(absent(_, past))
    })
  }

  private def absent(table: LakeTable, past: LakeSnapshot): Nothing =
    refuse(
      s"names ${table.qualifiedName}, which did not exist at snapshot ${past.snapshot.id.value}"
    )

  private def dropped(
      base: LakeSnapshot,
      before: LakeTable,
      named: Option[LakeTable],
  ): RollbackTarget = {
    base.tableName(before.id).foreach { now =>
      refuse(s"names ${before.qualifiedName}, a table that is named $now now; give this name")
    }
    if (base.view(before.schema.path, before.name).nonEmpty)
      refuse(s"names ${before.qualifiedName}, which is a view now; drop or rename the view first")
    val schema = base
      .schema(before.schema.path)
      .filter(_.directory == before.schema.directory)
      .getOrElse(
        refuse(
          s"names ${before.qualifiedName}, which was dropped with its schema; create schema " +
            s"${before.schema.qualifiedName} first, with the same path"
        )
      )
    RollbackTarget(None, before.copy(schema = schema), named)
  }

  private def placed(before: LakeTable, now: LakeTable): LakeTable =
    before.copy(schema = now.schema, name = now.name, directory = now.directory)

  private def refuse(why: String): Nothing =
    throw new LakeException(
      LakeError.InvalidArgument(RollbackProcedures.ToSnapshot, "table_name", why)
    )
}
