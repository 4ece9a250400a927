package ducklake.spark.rowlevel

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.LakeType

/** Whether rows of a table survive being read into Spark's types and written back. */
private[rowlevel] object Rewritable {

  /** Errors: Unsupported, naming the column that would lose something. */
  def check(table: LakeTable): Unit =
    lossy(table.columns).foreach { column =>
      throw new LakeException(
        LakeError.Unsupported(
          s"UPDATE or MERGE of ${table.qualifiedName}, whose column `${column.name}` has " +
            "nanoseconds that Spark cannot carry,",
          "Change such rows with DuckDB; DELETE works.",
        )
      )
    }

  private def lossy(columns: Vector[Column]): Option[Column] =
    columns.find { column =>
      column.dataType == LakeType.TimestampNs || lossy(column.children).nonEmpty
    }
}
