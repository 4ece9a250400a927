package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SchemaId

/** Statements on schemas and their macros. */
private[statement] final class SchemaStatements(sql: WriteSql) {
  private val tags = new TagStatements(sql)

  def create(plan: CommitDraft, create: Operation.CreateSchema): CommitDraft = {
    val id = plan.nextCatalogId
    val row = sql.insertRow(MetadataSchema.Schema)(
      "schema_id" -> Bind.Number(id),
      "schema_uuid" -> Bind.Uuid(create.uuid),
      "begin_snapshot" -> Bind.Number(plan.at.value),
      "end_snapshot" -> Bind.Absent,
      "schema_name" -> Bind.Text(create.name),
      "path" -> Bind.Text(create.path.text),
      "path_is_relative" -> Bind.Flag(create.path.isRelative),
      "parent_schema_id" -> Bind.of(create.parent.map(parent => plan.schema(parent.id).value)),
    )
    plan
      .copy(
        nextCatalogId = id + 1,
        aliases = plan.aliases ++ create.alias.map(_ -> SchemaId(id)),
      )
      .run(Vector(row))
      .run(tags.all(id, create.tags, plan.at))
      .withChange(ChangeKind.CreatedSchema, create.parent.toVector.flatMap(_.path) :+ create.name)
  }

  def drop(plan: CommitDraft, schema: LakeSchema): CommitDraft = {
    val id = schema.id.value
    plan
      .run(sql.end(MetadataSchema.Schema, "schema_id", Vector(id), plan.at))
      .run(sql.end(MetadataSchema.Tag, "object_id", Vector(id), plan.at))
      .withChange(ChangeKind.DroppedSchema, id)
  }

  /** The format has no change kind for the tags of a schema, so `changes_made` gets no entry. */
  def setTags(plan: CommitDraft, schema: LakeSchema, after: Map[String, String]): CommitDraft =
    plan.run(tags.changed(schema.id.value, schema.tags, after, plan.at))

  def dropMacro(plan: CommitDraft, drop: Operation.DropMacro): CommitDraft = {
    val kind =
      if (drop.isTableMacro) ChangeKind.DroppedTableMacro else ChangeKind.DroppedScalarMacro
    plan
      .run(sql.end(MetadataSchema.Macro, "macro_id", Vector(drop.id.value), plan.at))
      .withChange(kind, drop.id.value)
  }
}
