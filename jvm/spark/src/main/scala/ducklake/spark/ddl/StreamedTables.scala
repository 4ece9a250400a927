package ducklake.spark.ddl

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.connector.catalog.Identifier

/** Refuses the table that Spark creates for a stream. Spark creates it before it checks whether the
  * table can be streamed to. Streams cannot write to a lake yet, and the empty table would remain.
  *
  * Spark does not say for whom it creates a table, so the call stack is examined. It is searched
  * only for a public class of Spark and its method.
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
