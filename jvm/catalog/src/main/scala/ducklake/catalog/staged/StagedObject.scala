package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.SortSpec
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** A schema, table or view that a transaction has made, changed or dropped.
  *
  * @tparam A the object as statements see it
  * @tparam C the operation that makes it
  * @param before the object at the base; None when the transaction made it
  * @param made the operation that makes it as it is now
  * @param now None when it is dropped
  */
final case class StagedObject[A, C](before: Option[A], made: Option[C], now: Option[A]) {

  /** Whether nothing of it is left: the transaction made and dropped it. */
  def isGone: Boolean = before.isEmpty && now.isEmpty

  /** The object at the base, when it is dropped. */
  def dropped: Option[A] = before.filter(_ => now.isEmpty)

  /** The object at the base, and as it is now. */
  def changed: Option[(A, A)] = before.zip(now)
}

object StagedObject {

  /** An object at the base that is dropped. */
  def gone[A, C](before: A): StagedObject[A, C] = StagedObject(Some(before), None, None)

  /** An object that the transaction makes. */
  def of[A, C](made: C, now: A): StagedObject[A, C] = StagedObject(None, Some(made), Some(now))
}

/** Objects that a transaction makes, as statements see them. */
private[staged] object NewObjects {

  /** @param dataPath ends in a separator */
  def schema(id: SchemaId, create: Operation.CreateSchema, dataPath: String): LakeSchema =
    LakeSchema(
      id,
      create.uuid,
      create.parent.map(_.id),
      create.parent.toVector.flatMap(_.path),
      create.name,
      create.path.folderIn(dataPath),
      create.tags,
    )

  def table(id: TableId, create: Operation.CreateTable): LakeTable = {
    val definition = create.definition
    val bare = LakeTable(
      id,
      create.uuid,
      create.schema,
      definition.name,
      create.path.folderIn(create.schema.directory),
      definition.columns,
      definition.tags,
      None,
      None,
    )
    defined(bare, None, create.schema, definition, id.value)
  }

  /** The table with another definition. Partition keys and a sort order that it has now or had at
    * the base keep their ids.
    *
    * @param base the table at the base, if it was there
    * @param id of new partition keys and of a new sort order
    */
  def defined(
      table: LakeTable,
      base: Option[LakeTable],
      schema: LakeSchema,
      definition: TableDefinition,
      id: Long,
  ): LakeTable = {
    val known = table +: base.toVector
    val partition = known.find(TableDefinition.of(_).partition == definition.partition)
    val sort = known.find(TableDefinition.of(_).sort == definition.sort)
    table.copy(
      schema = schema,
      name = definition.name,
      columns = definition.columns,
      tags = definition.tags,
      partition =
        partition.fold(spec(id, definition))(_.partition).map(retyped(_, table, definition)),
      sort = sort.fold(Option.when(definition.sort.nonEmpty)(SortSpec(id, definition.sort)))(_.sort),
    )
  }

  private def spec(id: Long, definition: TableDefinition): Option[PartitionSpec] =
    Option.when(definition.partition.nonEmpty)(PartitionSpec(PartitionId(id), definition.partition))

  private def retyped(
      spec: PartitionSpec,
      before: LakeTable,
      after: TableDefinition,
  ): PartitionSpec = {
    val types = before.columns.map(column => column.id -> column.dataType).toMap
    val changed = after.columns.filter(column => types.get(column.id).exists(_ != column.dataType))
    val ofKeys = changed.map(_.id).toSet.intersect(spec.keys.map(_.column).toSet)
    spec.copy(changed = spec.changed ++ ofKeys)
  }

  def view(id: TableId, create: Operation.CreateView): LakeView =
    LakeView(
      id,
      create.uuid,
      create.schema,
      create.name,
      create.dialect,
      create.sql,
      create.aliases,
      create.tags,
      create.columnComments,
    )
}
