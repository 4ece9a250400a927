package ducklake.files.store

/** The access and secret key of S3 that a catalog gives itself. A session may have a token, which
  * belongs to other keys, and a provider that does not look at keys.
  *
  * Source: Hadoop 3.5, S3A's `CredentialProviderListFactory`: the first provider that finds
  * credentials decides, and one finds keys together with a token before another finds keys alone.
  */
private[store] object S3Keys {

  /** S3A's settings. */
  val Prefix = "fs.s3a."

  private val AccessKey = "access.key"
  private val SecretKey = "secret.key"
  private val Token = "session.token"
  private val Provider = "aws.credentials.provider"

  /** When this is set, S3A uses no provider. */
  private val TokenBinding = "delegation.token.binding"

  private val KeysAlone = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
  private val KeysAndToken = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"

  /** The providers that take only the catalog's keys. No entry when the catalog names a provider
    * itself. For a single bucket, a token that is not the catalog's may be in force.
    */
  def providers(settings: Map[String, String]): Map[String, String] =
    partsWithKeys(settings)
      .filterNot(part => settings.contains(part + Provider))
      .map { part =>
        val mayHaveToken = part == Prefix || settings.contains(part + Token)
        part + Provider -> (if (mayHaveToken) s"$KeysAndToken,$KeysAlone" else KeysAlone)
      }
      .toMap

  /** The settings that the session must not add to the catalog's keys for all buckets. */
  def foreignTo(settings: Map[String, String]): Seq[String] =
    if (partsWithKeys(settings).contains(Prefix))
      Seq(Token, TokenBinding).map(Prefix + _).filterNot(settings.contains)
    else Nil

  /** The prefixes for which the catalog gives both keys: `fs.s3a.` for all buckets,
    * `fs.s3a.bucket.<name>.` for a single bucket.
    */
  private def partsWithKeys(settings: Map[String, String]): Seq[String] =
    settings.keys.toSeq
      .filter(key => key.startsWith(Prefix) && key.endsWith(AccessKey))
      .map(_.stripSuffix(AccessKey))
      .filter(part => settings.contains(part + SecretKey))
}
