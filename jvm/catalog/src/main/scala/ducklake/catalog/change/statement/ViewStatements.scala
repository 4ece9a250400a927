package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeView
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.write.WriteSql

/** Statements on views. */
private[statement] final class ViewStatements(sql: WriteSql, dialect: Dialect) {
  private val tags = new TagStatements(sql)

  def create(plan: CommitDraft, create: Operation.CreateView): CommitDraft = {
    val id = plan.nextCatalogId
    plan
      .copy(nextCatalogId = id + 1)
      .run(Vector(insert(id, plan, create)))
      .run(tags.all(id, create.tags, plan.at))
      .run(comments(id, create.columnComments, plan))
      .withChange(ChangeKind.CreatedView, create.schema.path :+ create.name)
  }

  private def insert(id: Long, plan: CommitDraft, create: Operation.CreateView): Sql =
    sql.insertRow(MetadataSchema.View)(
      "view_id" -> Bind.Number(id),
      "view_uuid" -> Bind.Uuid(create.uuid),
      "begin_snapshot" -> Bind.Number(plan.at.value),
      "end_snapshot" -> Bind.Absent,
      "schema_id" -> Bind.Number(plan.schema(create.schema.id).value),
      "view_name" -> Bind.Text(create.name),
      "dialect" -> Bind.Text(create.dialect),
      "sql" -> Bind.Text(create.sql),
      "column_aliases" -> Bind.Text(create.aliases),
    )

  def drop(plan: CommitDraft, view: LakeView): CommitDraft = {
    val id = view.id.value
    plan
      .run(sql.end(MetadataSchema.View, "view_id", Vector(id), plan.at))
      .run(sql.end(MetadataSchema.Tag, "object_id", Vector(id), plan.at))
      .run(sql.endViewColumnTags(id, plan.at))
      .withChange(ChangeKind.DroppedView, id)
  }

  private def comments(
      view: Long,
      comments: Map[String, String],
      plan: CommitDraft,
  ): Vector[Sql] =
    sql.insert(MetadataSchema.ViewColumnTag, comments.toVector.sorted)(
      "view_id" -> (_ => Bind.Number(view)),
      "column_name" -> (comment => Bind.Text(comment._1)),
      "begin_snapshot" -> (_ => Bind.Number(plan.at.value)),
      "end_snapshot" -> (_ => Bind.Absent),
      "key" -> (_ => Bind.Text("comment")),
      "value" -> (comment => Bind.Text(comment._2)),
    )

  def rename(plan: CommitDraft, rename: Operation.RenameView): CommitDraft = {
    val id = rename.view.id.value
    plan
      .run(sql.end(MetadataSchema.View, "view_id", Vector(id), plan.at))
      .run(Vector(copyRow(plan, rename)))
      .withChange(ChangeKind.CreatedView, rename.schema.path :+ rename.name)
  }

  def setTags(plan: CommitDraft, view: LakeView, after: Map[String, String]): CommitDraft =
    plan
      .run(tags.changed(view.id.value, view.tags, after, plan.at))
      .withChange(ChangeKind.AlteredView, view.id.value)

  private def copyRow(plan: CommitDraft, rename: Operation.RenameView): Sql = {
    val views = dialect.table(MetadataSchema.View)
    val schema = plan.schema(rename.schema.id)
    sql"""INSERT INTO $views (view_id, view_uuid, begin_snapshot, schema_id, view_name, dialect,
         |  "sql", column_aliases)
         |SELECT view_id, view_uuid, CAST(${plan.at} AS BIGINT), CAST($schema AS BIGINT),
         |  CAST(${rename.name} AS VARCHAR), dialect, "sql", column_aliases
         |FROM $views
         |WHERE view_id = ${rename.view.id} AND end_snapshot = ${plan.at}"""
  }
}
