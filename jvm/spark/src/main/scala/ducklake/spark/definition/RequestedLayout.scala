package ducklake.spark.definition

import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.sql.FormatVersion
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.connector.expressions
import org.apache.spark.sql.connector.expressions.NamedReference

/** The partition keys and the sort order that PARTITIONED BY and CLUSTER BY request. Spark gives
  * both as transforms.
  */
final case class RequestedLayout(
    partition: Vector[PartitionSpecChange.NamedKey],
    sort: Vector[SortChange.NamedKey],
)

object RequestedLayout {

  /** @param version of the lake
    *
    * Errors: Unsupported for transforms that DuckLake does not have, and for transforms of parts of
    * columns.
    */
  def of(transforms: Seq[expressions.Transform], version: FormatVersion): RequestedLayout = {
    val (clusters, keys) = transforms.partition(_.name.equalsIgnoreCase("cluster_by"))
    RequestedLayout(
      keys.toVector.flatMap(keysOf(_, version)),
      clusters.toVector.flatMap(_.references.toVector).map(ascending),
    )
  }

  def ascending(reference: NamedReference): SortChange.NamedKey =
    SortChange.NamedKey(columnOf(reference, "CLUSTER BY"), SortDirection.Ascending, NullOrder.Last)

  private def keysOf(
      transform: expressions.Transform,
      version: FormatVersion,
  ): Vector[PartitionSpecChange.NamedKey] = {
    val column = transform.references match {
      case Array(reference) => columnOf(reference, transform.describe())
      case _ => refuse(transform.describe(), "A key is made of one column.")
    }
    val count = transform.arguments.collectFirst { case literal: expressions.Literal[?] =>
      literal.value()
    }
    val number = count.collect { case whole: Int => whole }
    KeyFunctions
      .of(transform.name, number, version)
      .filterOrElse(_ => count.isDefined == number.isDefined, KeyFunctions.hint(version))
      .fold(refuse(transform.describe(), _), _.map(PartitionSpecChange.NamedKey(column, _)))
  }

  private def columnOf(reference: NamedReference, where: String): String =
    reference.fieldNames match {
      case Array(name) => name
      case parts =>
        refuse(s"${parts.mkString(".")} in $where", "Keys are made of whole columns.")
    }

  private def refuse(what: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.Unsupported(s"The key $what", hint))
}
