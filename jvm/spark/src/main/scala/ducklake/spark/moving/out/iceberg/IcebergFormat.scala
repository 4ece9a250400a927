package ducklake.spark.moving.out.iceberg

/** The version of the format of an exported table. */
sealed abstract class IcebergFormat(val number: Int)

object IcebergFormat {

  /** Most readers know it. Deletes are position delete files. */
  case object Second extends IcebergFormat(2)

  /** Deletes are deletion vectors; there are times with nanoseconds. */
  case object Third extends IcebergFormat(3)

  val all: Vector[IcebergFormat] = Vector(Second, Third)

  def of(number: Long): Option[IcebergFormat] = all.find(_.number.toLong == number)
}
