package ducklake.files.crypto

import ducklake.catalog.model.FileKey

/** What the catalog knows of an encrypted Parquet file. DuckDB gives all files of a statement one
  * key, so the key alone does not tell these files apart: a file with another number of rows is
  * refused, and one of another size cannot be opened.
  */
final case class EncryptedFile(key: FileKey, rows: Long)
