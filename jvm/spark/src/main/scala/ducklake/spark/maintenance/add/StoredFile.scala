package ducklake.spark.maintenance.add

import ducklake.catalog.registration.FileColumn
import ducklake.catalog.registration.FileFacts
import ducklake.catalog.registration.FileRegistration
import ducklake.catalog.registration.PathValue
import ducklake.catalog.registration.Refusal
import ducklake.catalog.registration.Registrable
import ducklake.catalog.registration.RegistrationRequest
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.files.foreign.ExistingFile

/** Decides whether a file of another format's table can be a data file where it is, or has to be
  * written again: DuckDB reads INT96 as local times, and takes the value of a column that is not in
  * the file from the path alone (decision 31).
  *
  * @param request with the names that the columns have in files
  * @param facts without columns; `partition` has the values of all keys
  */
private[add] final case class StoredFile(request: RegistrationRequest, facts: FileFacts) {

  private type Found = Either[Refusal, (Registrable, Boolean)]

  /** The registration, and whether the file has to be written again. In that case the mapping and
    * the statistics are those of the old file.
    *
    * @param ids as in [[ColumnMatching.ByStoredName]]
    */
  def of(existing: ExistingFile, ids: Map[Int, String]): Found =
    for {
      _ <- Option
        .when(ids.nonEmpty)(existing.misnamed(ids))
        .flatten
        .map(FootersJob.withoutId)
        .toLeft(())
      found <- registered(existing.columns).left.flatMap { _ =>
        registered(existing.columnsOfInstants).map { case (found, _) => found -> true }
      }
    } yield found

  private def registered(columns: Vector[FileColumn]): Found = {
    val stated = constants(columns)
    val isMoved = stated.exists { case (column, text) => !isInPath(column, text) }
    val whole = facts.copy(
      columns = columns,
      stated = Some(stated.map { case (column, text) => column.name -> Some(text) }),
    )
    new FileRegistration(request).of(whole).map(_ -> isMoved)
  }

  /** The values of the keys whose columns the file lacks. A lacking column is read as NULL. */
  private def constants(columns: Vector[FileColumn]): Vector[(Column, String)] =
    for {
      (key, value) <- request.keys.zip(facts.partition.getOrElse(Vector.empty))
      column <- request.columns.find(_.id == key.column)
      text <- value
      if Names.find(columns, column.name)(_.name).isEmpty
    } yield column -> text

  private def isInPath(column: Column, text: String): Boolean =
    column.dataType match {
      case known: LakeType.Primitive => PathValue.isIn(facts.path, column.name, text, known)
      case _: LakeType.Nested => false
    }
}
