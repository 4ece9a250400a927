package ducklake.catalog.listing

/** A lake whose metadata tables are in another schema of the same database.
  *
  * @param dataPath as it is stored
  */
final case class OtherLake(schema: String, dataPath: String)
