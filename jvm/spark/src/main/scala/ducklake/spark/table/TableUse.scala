package ducklake.spark.table

import ducklake.spark.read.MetadataColumns
import org.apache.spark.sql.connector.catalog.MetadataColumn

/** What Spark has a table for. */
sealed abstract class TableUse {

  /** The hidden columns that the table has. */
  def hidden: Array[MetadataColumn] = MetadataColumns.asArray
}

object TableUse {

  case object Any extends TableUse

  /** DESCRIBE, which leaves out what is of no use to people. */
  case object Described extends TableUse {
    override def hidden: Array[MetadataColumn] = MetadataColumns.shown
  }
}
