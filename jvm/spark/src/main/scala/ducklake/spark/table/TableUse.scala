package ducklake.spark.table

import ducklake.spark.read.MetadataColumns
import org.apache.spark.sql.connector.catalog.MetadataColumn

/** The use for which Spark loads a table. */
sealed abstract class TableUse {

  /** The hidden columns that the table has in this use. */
  def hidden: Array[MetadataColumn] = MetadataColumns.asArray
}

object TableUse {

  /** Every use except DESCRIBE. */
  case object Any extends TableUse

  /** DESCRIBE, which leaves out the hidden columns that are not for users. */
  case object Described extends TableUse {
    override def hidden: Array[MetadataColumn] = MetadataColumns.shown
  }
}
