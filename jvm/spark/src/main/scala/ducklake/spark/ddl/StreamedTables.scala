package ducklake.spark.ddl

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.connector.catalog.Identifier

/** Refuses the table that Spark makes for a stream before it asks whether the table can be streamed to:
  * no stream writes to a lake yet, and an empty table would stay behind.
  *
  * Spark says nowhere for whom it creates a table, so that the stack is asked: the class name alone is
  * Spark's public one.
  */
private[ddl] object StreamedTables {

  private val writer = "DataStreamWriter"

  /** Errors: Unsupported. */
  def refuse(catalog: String, ident: Identifier): Unit =
    if (isForStream) {
      val name = ((catalog +: ident.namespace().toVector) :+ ident.name()).mkString(".")
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Writing a stream to $name by `toTable`",
          "Create the table, and write each batch with `foreachBatch`.",
        )
      )
    }

  private def isForStream: Boolean =
    StackWalker.getInstance().walk[Boolean] { frames =>
      frames.anyMatch { frame =>
        frame.getMethodName.startsWith("toTable") && frame.getClassName.endsWith(s".$writer")
      }
    }
}
