package ducklake.catalog.read.snapshot

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Row
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** Decodes rows of `ducklake_metadata`. */
private[snapshot] object OptionDecoder {

  def decode(row: Row): LakeOption = {
    val key = row.text(1)
    LakeOption(key, row.text(2), scope(key, row.textOption(3), row.longOption(4)))
  }

  private def scope(key: String, kind: Option[String], id: Option[Long]): OptionScope =
    (kind, id) match {
      case (None, _) => OptionScope.Global
      case (Some("schema"), Some(schema)) => OptionScope.OfSchema(SchemaId(schema))
      case (Some("table"), Some(table)) => OptionScope.OfTable(TableId(table))
      case (Some(other), _) =>
        throw new LakeException(
          LakeError.CorruptCatalog(s"option `$key`", s"its scope is `$other`")
        )
    }
}
