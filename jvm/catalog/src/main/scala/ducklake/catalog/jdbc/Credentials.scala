package ducklake.catalog.jdbc

/** What the settings give beside the address; kept out of every text. */
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
