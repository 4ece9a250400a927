package ducklake.catalog.model

/** What the catalog records about the bytes of a Parquet file, whatever rows it holds. The writers
  * of files measure it.
  *
  * @param footerSize bytes of the Parquet footer, without the eight bytes that follow it
  * @param rowGroups number of row groups, by the footer
  * @param key the key of a file of an encrypted lake
  */
final case class PhysicalFile(
    sizeBytes: Long,
    footerSize: Long,
    rowGroups: Long,
    key: Option[FileKey] = None,
)
