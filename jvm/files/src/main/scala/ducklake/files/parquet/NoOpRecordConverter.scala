package ducklake.files.parquet

import org.apache.parquet.io.api.Converter
import org.apache.parquet.io.api.GroupConverter
import org.apache.parquet.io.api.PrimitiveConverter
import org.apache.parquet.schema.GroupType

/** A record converter that does nothing. Parquet requires one, although columns are read directly
  * here.
  */
private[files] final class NoOpRecordConverter(schema: GroupType) extends GroupConverter {

  override def getConverter(fieldIndex: Int): Converter =
    schema.getType(fieldIndex) match {
      case group if !group.isPrimitive => new NoOpRecordConverter(group.asGroupType)
      case _ => NoOpRecordConverter.value
    }

  override def start(): Unit = ()

  override def end(): Unit = ()
}

private object NoOpRecordConverter {
  val value: PrimitiveConverter = new PrimitiveConverter {}
}
