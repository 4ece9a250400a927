package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope

/** The lake options that a transaction has set or removed. Options of a table that it made are part
  * of the table's creation.
  *
  * @param changes the new values by key; None: the option is removed
  */
final case class StagedOptions(changes: Map[OptionScope, Map[String, Option[String]]] = Map.empty) {

  def changed(scope: OptionScope, more: Vector[OptionChange]): StagedOptions = {
    val known = changes.getOrElse(scope, Map.empty)
    copy(changes + (scope -> (known ++ more.map(change => change.key -> change.value))))
  }

  /** The same without the options of an object, which is dropped. */
  def without(scope: OptionScope): StagedOptions = copy(changes - scope)

  /** The options in force. */
  def over(stored: Vector[LakeOption]): Vector[LakeOption] = {
    val kept = stored.filterNot(option => changes.get(option.scope).exists(_.contains(option.key)))
    val own = for {
      (scope, values) <- changes.toVector
      (key, value) <- values.toVector
      set <- value
    } yield LakeOption(key, set, scope)
    kept ++ own
  }

  def operations: Vector[Operation.SetOptions] =
    changes.toVector
      .map { case (scope, values) =>
        val sorted = values.toVector.sortBy(_._1)
        Operation.SetOptions(scope, sorted.map { case (key, value) => OptionChange(key, value) })
      }
      .sortBy(_.scope.toString)
}
