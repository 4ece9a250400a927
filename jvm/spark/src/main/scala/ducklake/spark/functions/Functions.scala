package ducklake.spark.functions

import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction

/** Functions of the catalog: the partition transform `bucket`, for joins of tables with the same
  * buckets, and the functions of partition keys, for writes.
  */
object Functions {

  def list(namespace: Array[String]): Array[Identifier] =
    Array(Identifier.of(namespace, BucketFunction.name()))

  def load(ident: Identifier): UnboundFunction =
    if (ident.name().equalsIgnoreCase(BucketFunction.name())) BucketFunction
    else
      PartitionKeyFunction
        .find(ident.name())
        .getOrElse(throw new NoSuchFunctionException(ident))
}
