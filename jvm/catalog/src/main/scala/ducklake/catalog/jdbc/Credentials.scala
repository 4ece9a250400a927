package ducklake.catalog.jdbc

/** User and password from the settings. The password never appears in a text. */
final case class Credentials(
    user: Option[String],
    password: Option[String],
    passwordFile: Option[String],
) {
  override def toString: String = s"Credentials(user=$user, …)"
}

object Credentials {
  val none: Credentials = Credentials(None, None, None)
}
