package ducklake.catalog.testkit

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** Columns for tests, with what a test does not speak of left empty. */
object Columns {

  /** A column without children; the type as DuckLake spells it. */
  def leaf(id: Long, name: String, typeText: String): Column =
    node(id, name, TypeText.parse(typeText), Vector.empty)

  def leaf(id: Long, name: String, lakeType: LakeType.Primitive): Column =
    node(id, name, lakeType, Vector.empty)

  def struct(id: Long, name: String)(fields: Column*): Column =
    node(id, name, LakeType.StructType, fields.toVector)

  def list(id: Long, name: String)(element: Column): Column =
    node(id, name, LakeType.ListType, Vector(element))

  def map(id: Long, name: String)(key: Column, value: Column): Column =
    node(id, name, LakeType.MapType, Vector(key, value))

  /** A list of values without children. */
  def listOf(id: Long, typeText: String): Column =
    list(id, "l")(leaf(id + 1, "element", typeText))

  /** A map whose keys and values have no children. */
  def mapOf(id: Long, keyText: String, valueText: String): Column =
    map(id, "m")(leaf(id + 1, "key", keyText), leaf(id + 2, "value", valueText))

  private def node(id: Long, name: String, lakeType: LakeType, children: Vector[Column]): Column =
    Column(
      id = ColumnId(id),
      name = name,
      dataType = lakeType,
      nullsAllowed = true,
      initialDefault = None,
      default = None,
      comment = None,
      children = children,
    )
}
