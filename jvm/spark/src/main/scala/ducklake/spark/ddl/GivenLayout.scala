package ducklake.spark.ddl

import ducklake.catalog.change.LayoutChange
import ducklake.catalog.change.SortChange
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.partition.Transform
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.connector.expressions
import org.apache.spark.sql.connector.expressions.NamedReference

import java.util.Locale

/** PARTITIONED BY and CLUSTER BY: what Spark calls transforms, as keys of a lake. */
final case class GivenLayout(
    partition: Vector[LayoutChange.By],
    sort: Vector[SortChange.By],
)

object GivenLayout {

  /** Errors: Unsupported for transforms that DuckLake does not have, and of parts of columns. */
  def of(transforms: Seq[expressions.Transform]): GivenLayout = {
    val (clusters, keys) = transforms.partition(_.name.equalsIgnoreCase("cluster_by"))
    GivenLayout(
      keys.toVector.flatMap(keysOf),
      clusters.toVector.flatMap(_.references.toVector).map(ascending),
    )
  }

  def ascending(reference: NamedReference): SortChange.By =
    SortChange.By(columnOf(reference, "CLUSTER BY"), SortDirection.Ascending, NullOrder.Last)

  /** The keys of a transform: Spark's plurals stand for several. Source: interface 4. */
  private def keysOf(transform: expressions.Transform): Vector[LayoutChange.By] = {
    def column = transform.references match {
      case Array(one) => columnOf(one, transform.describe())
      case _ => refuse(transform.describe(), "A key is made of one column.")
    }
    def all(parts: Transform*) = parts.toVector.map(LayoutChange.By(column, _))
    transform.name.toLowerCase(Locale.ROOT) match {
      case "identity" => all(Transform.Identity)
      case "bucket" => all(Transform.Bucket(count(transform)))
      case "year" | "years" => all(Transform.Year)
      case "month" => all(Transform.Month)
      case "day" => all(Transform.Day)
      case "hour" => all(Transform.Hour)
      case "months" => all(Transform.Year, Transform.Month)
      case "days" => all(Transform.Year, Transform.Month, Transform.Day)
      case "hours" => all(Transform.Year, Transform.Month, Transform.Day, Transform.Hour)
      case _ =>
        refuse(
          transform.describe(),
          "DuckLake has the column itself, year, month, day, hour and bucket.",
        )
    }
  }

  private def count(bucket: expressions.Transform): Int =
    bucket.arguments.collectFirst { case literal: expressions.Literal[?] =>
      literal.value()
    } match {
      case Some(number: Int) if number > 0 => number
      case _ => refuse(bucket.describe(), "The number of buckets is 1 or more.")
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
