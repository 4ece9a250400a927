package ducklake.catalog

import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.web.WebLimits
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.sql.FormatVersion

/** How a lake is opened: checked values, with all defaults filled in. Equal settings share
  * connections and caches.
  *
  * @param dataPath where files go when the lake is created. It must agree with the stored path,
  *   unless `dataPathRule` says to use it instead of the stored path
  * @param encryption whether the files of a new lake are encrypted; it must agree with an existing
  *   lake. None: a new lake is not encrypted
  * @param version the version of a new lake, and the version to which an older lake is migrated
  * @param busyTimeoutMillis how long to wait for a locked SQLite or DuckDB file, or for a lock in
  *   PostgreSQL
  * @param retry of commits that collide with other commits
  * @param pool of connections to PostgreSQL
  * @param web limits of the copy of a catalog that a web server publishes
  * @param planMemory how much memory the plan of one table may take
  */
final case class LakeSettings(
    uri: CatalogUri,
    metadataSchema: Option[String],
    dataPath: Option[String],
    dataPathRule: DataPathRule,
    absence: AbsenceRule,
    migration: MigrationRule,
    encryption: Option[Boolean],
    version: FormatVersion,
    busyTimeoutMillis: Int,
    retry: RetryPolicy,
    pool: PoolSettings,
    jdbcProperties: Map[String, String],
    web: WebLimits = WebLimits.default,
    planMemory: PlanMemory = PlanMemory.ofHeap,
) {

  /** Whether both name one lake by its catalog. Other spellings of one address are not recognised. */
  def isSameLake(other: LakeSettings): Boolean =
    uri.display == other.uri.display && metadataSchema == other.metadataSchema

  /** Values of JDBC properties may be secrets; their names are not. */
  override def toString: String = {
    val named = jdbcProperties.map { case (name, _) => name -> "hidden" }
    val shown = productIterator.map(value => if (value == jdbcProperties) named else value)
    shown.mkString("LakeSettings(", ", ", ")")
  }
}

/** What happens when a lake of an older version is written. */
sealed trait MigrationRule

object MigrationRule {

  /** The lake is migrated to the version of the settings first. */
  case object Automatic extends MigrationRule
  case object Refuse extends MigrationRule
}

sealed trait DataPathRule

object DataPathRule {

  /** A given data path must be the stored one. */
  case object MustAgree extends DataPathRule

  /** A given data path is used in place of the stored one. */
  case object Override extends DataPathRule
}

/** What a database without DuckLake's tables means. */
sealed trait AbsenceRule

object AbsenceRule {

  /** An empty lake, until the first statement that creates something. */
  case object EmptyLake extends AbsenceRule

  /** An error that says `why`. */
  final case class Refuse(why: String) extends AbsenceRule
}
