package ducklake.files.crypto

import ducklake.catalog.model.FileKey

/** The catalog's facts about an encrypted Parquet file. DuckDB gives all files of a statement one
  * key, so the key alone does not distinguish these files: a file with another number of rows is
  * refused, and a file of another size cannot be opened.
  */
final case class EncryptedFile(key: FileKey, rows: Long)
