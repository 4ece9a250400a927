package ducklake.catalog.option

/** A new value of an option, as it is stored; None: the option is removed. */
final case class OptionChange(key: String, value: Option[String])
