package ducklake.catalog.jdbc.address

/** User and password from the settings. The password never appears in a text.
  *
  * @param stored the password in a store of secrets; asked only for a database that takes one
  */
final case class Credentials(
    user: Option[String],
    password: Option[String],
    passwordFile: Option[String],
    stored: () => Option[String] = () => None,
) {

  /** The key of a setting that is for a database with users; None when there is none. */
  def stated: Option[String] =
    Vector("user" -> user, "password" -> password, "password-file" -> passwordFile).collectFirst {
      case (key, Some(_)) => key
    }

  override def toString: String = s"Credentials(user=$user, …)"
}

object Credentials {
  val none: Credentials = Credentials(None, None, None)
}
