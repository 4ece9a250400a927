package ducklake.catalog.model

import ducklake.catalog.types.TableId

/** Which metadata counts as old. */
sealed trait OldMetadataScope

object OldMetadataScope {

  /** Rows alone. */
  case object Rows extends OldMetadataScope

  /** Also the inlined tables of past schema versions that have no row. A session of DuckDB that has
    * read the table before looks for them until it attaches the lake again.
    */
  case object RowsAndInlinedTables extends OldMetadataScope
}

/** Rows of a metadata table, by the table's name; at least one row. */
final case class OldRows(table: String, rows: Long)

/** A registered inlined table. */
final case class OldInlinedTable(table: TableId, name: String, schemaVersion: Long)

/** A row of `ducklake_schema_versions`, by its key. */
final case class OldSchemaVersion(table: TableId, begin: Long)

/** A row of `ducklake_column`, by its key. */
final case class OldColumn(table: TableId, column: Long, begin: Long)

/** The past shapes of tables that still exist which nothing needs.
  *
  * @param partitions ids of partition specs
  */
final case class OldShapes(
    versions: Vector[OldSchemaVersion],
    columns: Vector[OldColumn],
    partitions: Vector[Long],
)

/** What the catalog holds that neither a snapshot nor a file nor an inlined row needs.
  *
  * @param rows how much of it there is, by metadata table, ordered by name
  * @param ownerless inlined tables of tables that the catalog no longer has
  * @param empty inlined tables of past schema versions, without a row
  */
final case class OldMetadata(
    rows: Vector[OldRows],
    ownerless: Vector[OldInlinedTable],
    empty: Vector[OldInlinedTable],
    shapes: OldShapes,
)

object OldMetadata {
  val none: OldMetadata = {
    val shapes = OldShapes(Vector.empty, Vector.empty, Vector.empty)
    OldMetadata(Vector.empty, Vector.empty, Vector.empty, shapes)
  }
}
