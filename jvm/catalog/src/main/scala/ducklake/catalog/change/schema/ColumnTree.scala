package ducklake.catalog.change.schema

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names

/** Finds columns by path, as in `s.a`, `l.element.x`, `m.value.y`. A name is matched exactly first,
  * then without regard to case.
  */
private[schema] object ColumnTree {

  def indexOf(siblings: Vector[Column], name: String): Option[Int] = {
    val exact = siblings.indexWhere(_.name == name)
    val found =
      if (exact >= 0) exact else siblings.indexWhere(sibling => Names.isSame(sibling.name, name))
    Option.when(found >= 0)(found)
  }

  def find(columns: Vector[Column], path: Vector[String]): Option[Column] =
    path match {
      case name +: rest =>
        indexOf(columns, name).map(columns).flatMap { column =>
          if (rest.isEmpty) Some(column) else find(column.children, rest)
        }
      case _ => None
    }

  /** Whether the path leads through the key of a map. */
  def isInKey(columns: Vector[Column], path: Vector[String]): Boolean =
    path.indices.drop(1).exists { length =>
      find(columns, path.take(length)).exists { holder =>
        holder.dataType == LakeType.MapType && indexOf(holder.children, path(length)).contains(0)
      }
    }

  /** The columns after an edit of one level of the tree. `edit` gets the siblings on the level of
    * `path` and the index of the column that the path names, and returns the new siblings. None
    * when the path names no column.
    */
  def edit[E](columns: Vector[Column], path: Vector[String])(
      edit: (Vector[Column], Int) => Either[E, Vector[Column]]
  ): Option[Either[E, Vector[Column]]] =
    path match {
      case name +: rest =>
        indexOf(columns, name).flatMap { at =>
          if (rest.isEmpty) Some(edit(columns, at))
          else
            this
              .edit(columns(at).children, rest)(edit)
              .map(_.map { children =>
                columns.updated(at, columns(at).copy(children = children))
              })
        }
      case _ => None
    }
}
