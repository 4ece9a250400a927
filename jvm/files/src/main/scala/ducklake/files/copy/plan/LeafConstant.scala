package ducklake.files.copy.plan

import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.io.api.RecordConsumer

/** The value that a column has in all rows of a file that lacks it. */
trait LeafConstant {
  private[copy] def write(to: ColumnWriter): Unit
}

object LeafConstant {

  val Null: LeafConstant = _.writeNull(0, 0)

  /** @param put adds the value, which is not NULL, of a column that is not nested */
  def of(put: RecordConsumer => Unit): LeafConstant = to => put(new OneValue(to))

  private final class OneValue(to: ColumnWriter) extends RecordConsumer {
    private val Defined = 1

    override def addInteger(value: Int): Unit = to.write(value, 0, Defined)
    override def addLong(value: Long): Unit = to.write(value, 0, Defined)
    override def addBoolean(value: Boolean): Unit = to.write(value, 0, Defined)
    override def addBinary(value: Binary): Unit = to.write(value, 0, Defined)
    override def addFloat(value: Float): Unit = to.write(value, 0, Defined)
    override def addDouble(value: Double): Unit = to.write(value, 0, Defined)

    override def startMessage(): Unit = ()
    override def endMessage(): Unit = ()
    override def startField(name: String, index: Int): Unit = ()
    override def endField(name: String, index: Int): Unit = ()
    override def startGroup(): Unit = ()
    override def endGroup(): Unit = ()
  }
}
