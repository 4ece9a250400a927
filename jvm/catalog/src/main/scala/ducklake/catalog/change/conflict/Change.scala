package ducklake.catalog.change.conflict

/** One entry of the column `changes_made` of a snapshot.
  *
  * Source: DuckDB 1.5.5 (format 4.4).
  */
final case class Change(kind: ChangeKind, subject: ChangeSubject)

/** The object that a change is about. */
sealed trait ChangeSubject

object ChangeSubject {

  /** The name of an object that was created. A schema's name has one part, other names have two:
    * schema and name.
    */
  final case class Named(parts: Vector[String]) extends ChangeSubject

  /** The id of the object, in all entries except entries of created objects. */
  final case class Numbered(id: Long) extends ChangeSubject
}

/** @param token as stored
  * @param key the key in the result of DuckDB's `snapshots` function; empty when the function does
  *   not show the kind
  */
sealed abstract class ChangeKind(val token: String, val key: String)

object ChangeKind {
  case object CreatedSchema extends ChangeKind("created_schema", "schemas_created")
  case object DroppedSchema extends ChangeKind("dropped_schema", "schemas_dropped")
  case object CreatedTable extends ChangeKind("created_table", "tables_created")
  case object DroppedTable extends ChangeKind("dropped_table", "tables_dropped")
  case object CreatedView extends ChangeKind("created_view", "views_created")
  case object DroppedView extends ChangeKind("dropped_view", "views_dropped")
  case object CreatedScalarMacro extends ChangeKind("created_scalar_macro", "scalar_macros_created")
  case object CreatedTableMacro extends ChangeKind("created_table_macro", "table_macros_created")
  case object DroppedScalarMacro extends ChangeKind("dropped_scalar_macro", "scalar_macros_dropped")
  case object DroppedTableMacro extends ChangeKind("dropped_table_macro", "table_macros_dropped")
  case object AlteredTable extends ChangeKind("altered_table", "tables_altered")
  case object AlteredView extends ChangeKind("altered_view", "views_altered")
  case object InsertedInto extends ChangeKind("inserted_into_table", "tables_inserted_into")
  case object DeletedFrom extends ChangeKind("deleted_from_table", "tables_deleted_from")
  case object InlinedInsert extends ChangeKind("inlined_insert", "inlined_insert")
  case object InlinedDelete extends ChangeKind("inlined_delete", "inlined_delete")
  case object Flush extends ChangeKind("inline_flush", "flushed_inlined")
  case object OldFlush extends ChangeKind("flushed_inlined", "flushed_inlined")
  case object MergeAdjacent extends ChangeKind("merge_adjacent", "merge_adjacent")
  case object RewriteDelete extends ChangeKind("rewrite_delete", "rewrite_delete")

  /** Any compaction, in catalogs up to 0.3. DuckDB's function `snapshots` leaves it out. */
  case object Compacted extends ChangeKind("compacted_table", "")

  /** In the order in which DuckDB's `snapshots` function shows them. */
  val all: Vector[ChangeKind] = Vector(
    CreatedSchema,
    DroppedSchema,
    CreatedTable,
    CreatedView,
    CreatedScalarMacro,
    CreatedTableMacro,
    DroppedTable,
    AlteredTable,
    InsertedInto,
    DeletedFrom,
    DroppedView,
    DroppedScalarMacro,
    DroppedTableMacro,
    AlteredView,
    InlinedInsert,
    InlinedDelete,
    Flush,
    OldFlush,
    MergeAdjacent,
    RewriteDelete,
    Compacted,
  )

  /** In the order in which DuckDB writes them. */
  val writingOrder: Vector[ChangeKind] = Vector(
    DroppedSchema,
    DroppedTable,
    DroppedView,
    DroppedScalarMacro,
    DroppedTableMacro,
    CreatedSchema,
    CreatedTable,
    CreatedView,
    CreatedScalarMacro,
    CreatedTableMacro,
    InsertedInto,
    DeletedFrom,
    AlteredTable,
    AlteredView,
    InlinedInsert,
    InlinedDelete,
    Flush,
    OldFlush,
    MergeAdjacent,
    RewriteDelete,
    Compacted,
  )

  /** The keys that `snapshots` shows, each once, in order. */
  val keys: Vector[String] = all.map(_.key).filter(_.nonEmpty).distinct

  /** The kind of a stored token. Tokens are compared without regard to case. */
  def of(token: String): Option[ChangeKind] = all.find(_.token.equalsIgnoreCase(token))
}
