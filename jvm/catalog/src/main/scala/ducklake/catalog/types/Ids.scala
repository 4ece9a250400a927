package ducklake.catalog.types

/** One type per kind of identifier, so that identifiers of different kinds cannot be confused. */
final case class SnapshotId(value: Long) extends AnyVal
final case class SchemaId(value: Long) extends AnyVal
final case class TableId(value: Long) extends AnyVal

/** The column's field id: unique in its table and never used again, equal to Parquet's `field_id`.
  */
final case class ColumnId(value: Long) extends AnyVal
final case class DataFileId(value: Long) extends AnyVal
final case class DeleteFileId(value: Long) extends AnyVal
final case class MappingId(value: Long) extends AnyVal
final case class PartitionId(value: Long) extends AnyVal
final case class MacroId(value: Long) extends AnyVal
