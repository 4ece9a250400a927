package ducklake.files

import org.apache.parquet.io.api.Converter
import org.apache.parquet.io.api.GroupConverter
import org.apache.parquet.io.api.PrimitiveConverter
import org.apache.parquet.schema.GroupType

/** Stands in where Parquet asks for a record converter although columns are read one by one. */
private[files] final class SkippedRecord(schema: GroupType) extends GroupConverter {

  override def getConverter(fieldIndex: Int): Converter =
    schema.getType(fieldIndex) match {
      case group if !group.isPrimitive => new SkippedRecord(group.asGroupType)
      case _ => SkippedRecord.value
    }

  override def start(): Unit = ()

  override def end(): Unit = ()
}

private object SkippedRecord {
  val value: PrimitiveConverter = new PrimitiveConverter {}
}
