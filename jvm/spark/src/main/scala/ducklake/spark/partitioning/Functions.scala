package ducklake.spark.partitioning

import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction

/** Functions of the catalog: the partition transforms `bucket` and `epoch_day` and so on, for joins
  * of tables with the same partitions, and the functions of partition keys, for writes.
  */
object Functions {

  def list(namespace: Array[String]): Array[Identifier] =
    transforms.map(function => Identifier.of(namespace, function.name())).toArray

  def load(ident: Identifier): UnboundFunction =
    transforms
      .find(_.name().equalsIgnoreCase(ident.name()))
      .orElse(PartitionKeyFunction.find(ident.name()))
      .getOrElse(throw new NoSuchFunctionException(ident))

  private val transforms: Vector[UnboundFunction] = BucketFunction +: EpochFunction.all
}
