package ducklake.spark.write

import ducklake.catalog.change.TableTarget
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.SupportsTruncate
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.connector.write.WriteBuilder

/** Collects what Spark says of a write. */
final class DuckLakeWriteBuilder(target: WriteTarget, info: LogicalWriteInfo)
    extends WriteBuilder
    with SupportsTruncate {

  // Spark calls the builder's methods one after another, on one thread.
  private var replacement: Replacement = Replacement.Nothing

  /** A table that the commit creates has nothing to replace. */
  override def truncate(): WriteBuilder = {
    target.table match {
      case TableTarget.Existing(_) => replacement = Replacement.Everything
      case TableTarget.Created(_) => ()
    }
    this
  }

  override def build(): Write = new DuckLakeWrite(target, replacement, info)
}
