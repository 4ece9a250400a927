package ducklake.spark.session

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.types.Names

/** The tables whose rows or columns a commit changes, so that cached rows of them are no longer
  * right.
  */
private[session] object ChangedTables {

  /** The names of the changed tables, in all spellings of a query. */
  def changed(catalog: String, operations: Vector[Operation]): Vector[Vector[String]] =
    spellings(catalog, operations.flatMap(_.changedName))

  /** The names that afterwards mean another table, or no table, in all spellings of a query. */
  def ended(catalog: String, operations: Vector[Operation]): Vector[Vector[String]] =
    spellings(catalog, operations.flatMap(_.endedName))

  /** A table of `main` also has a spelling without schema. */
  private def spellings(catalog: String, names: Vector[Vector[String]]): Vector[Vector[String]] =
    names.distinct.flatMap { name =>
      val whole = catalog +: name
      if (isInMain(name)) Vector(whole, Vector(catalog, name.last)) else Vector(whole)
    }

  private def isInMain(name: Vector[String]): Boolean =
    name.sizeIs == 2 && Names.isSame(name.head, "main")
}
