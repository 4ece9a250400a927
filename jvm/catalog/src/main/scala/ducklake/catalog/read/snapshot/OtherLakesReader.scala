package ducklake.catalog.read.snapshot

import ducklake.catalog.jdbc.Database
import ducklake.catalog.listing.OtherLake
import ducklake.catalog.sql.query.OtherLakesSql

/** Finds the other lakes of a database. */
final class OtherLakesReader(database: Database) {
  private val sql = new OtherLakesSql(database.dialect)

  /** The lakes of the other schemas that may be read. */
  def all(): Vector[OtherLake] =
    sql.schemas.toVector.flatMap { schemas =>
      database.consistent("find the lakes of the other schemas") { session =>
        session.query(schemas)(_.text(1)).flatMap { schema =>
          session.first(sql.dataPath(schema))(_.text(1)).map(OtherLake(schema, _))
        }
      }
    }
}
