package ducklake.spark.session

import ducklake.catalog.types.Names

/** The names of tables whose cached rows are no longer right. */
private[session] object ChangedTables {

  /** The names in all spellings of a query. A table of `main` also has a spelling without schema. */
  def spelled(catalog: String, names: Vector[Vector[String]]): Vector[Vector[String]] =
    names.distinct.flatMap { name =>
      val whole = catalog +: name
      if (isInMain(name)) Vector(whole, Vector(catalog, name.last)) else Vector(whole)
    }

  private def isInMain(name: Vector[String]): Boolean =
    name.sizeIs == 2 && Names.isSame(name.head, "main")
}
