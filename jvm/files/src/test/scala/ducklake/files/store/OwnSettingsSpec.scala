package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

/** The settings of a catalog over those of a session. */
final class OwnSettingsSpec extends AnyFunSuite {

  private val keys = Map("fs.s3a.access.key" -> "ours", "fs.s3a.secret.key" -> "ours")
  private val provider = "fs.s3a.aws.credentials.provider"
  private val keysAlone = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
  private val ofKeys = s"org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider,$keysAlone"
  private val ofMachine = "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider"

  /** What is in force of these settings. */
  private def inForce(session: Map[String, String], catalog: Map[String, String])(
      asked: String*
  ): Seq[Option[String]] = {
    val conf = new Configuration(false)
    session.foreach { case (key, value) => conf.set(key, value) }
    OwnSettings.layOver(conf, catalog)
    asked.map(key => Option(conf.get(key)))
  }

  test("keys of a catalog do not go with a token of the session") {
    val session = Map(
      "fs.s3a.session.token" -> "theirs",
      "fs.s3a.bucket.b.session.token" -> "theirs",
      "fs.s3a.delegation.token.binding" -> "theirs",
    )

    assert(
      inForce(session, keys)((session.keys.toSeq :+ provider)*) == Seq(
        None,
        None,
        None,
        Some(ofKeys),
      )
    )
    val own = keys + ("fs.s3a.session.token" -> "ours")
    assert(
      inForce(session, own)("fs.s3a.session.token", "fs.s3a.bucket.b.session.token", provider) ==
        Seq(Some("ours"), None, Some(ofKeys))
    )
  }

  test("keys of a catalog count although the session names a provider") {
    val ofBucket = "fs.s3a.bucket.b.aws.credentials.provider"
    val session = Map(provider -> ofMachine, ofBucket -> ofMachine)

    assert(inForce(session, keys)(provider, ofBucket) == Seq(Some(ofKeys), None))
    val named = keys + (provider -> "a.Provider")
    assert(inForce(session, named)(provider, ofBucket) == Seq(Some("a.Provider"), None))
  }

  test("keys of a catalog for one bucket go with no token and no provider of the session there") {
    val (ofOurs, ofOther) =
      ("fs.s3a.bucket.b.aws.credentials.provider", "fs.s3a.bucket.c.aws.credentials.provider")
    val session =
      Map("fs.s3a.session.token" -> "theirs", ofOurs -> ofMachine, ofOther -> ofMachine)
    val catalog =
      Map("fs.s3a.bucket.b.access.key" -> "ours", "fs.s3a.bucket.b.secret.key" -> "ours")

    assert(
      inForce(session, catalog)(ofOurs, ofOther, "fs.s3a.session.token") ==
        Seq(Some(keysAlone), Some(ofMachine), Some("theirs"))
    )
  }

  test("a provider that a catalog names takes the keys of the session, as S3A finds them") {
    val ofBucket = "fs.s3a.bucket.b.aws.credentials.provider"
    val (key, keyOfBucket) = ("fs.s3a.access.key", "fs.s3a.bucket.b.access.key")
    val session =
      Map(provider -> ofMachine, ofBucket -> ofMachine, key -> "theirs", keyOfBucket -> "theirs")

    assert(
      inForce(session, Map(provider -> keysAlone))(provider, ofBucket, key, keyOfBucket) ==
        Seq(Some(keysAlone), None, Some("theirs"), Some("theirs"))
    )
  }

  test("a catalog without keys of its own works with the session's") {
    val session = Map("fs.s3a.session.token" -> "theirs", provider -> ofMachine)
    val region = Map("fs.s3a.endpoint.region" -> "eu")

    assert(
      inForce(session, region)("fs.s3a.session.token", provider) ==
        Seq(Some("theirs"), Some(ofMachine))
    )
  }

  test("a store of secrets of a catalog goes before the session's stores for S3") {
    val store = "security.credential.provider.path"
    val (common, ofS3, ofBucket) =
      (s"hadoop.$store", s"fs.s3a.$store", s"fs.s3a.bucket.b.$store")
    val session = Map(common -> "theirs", ofS3 -> "theirs", ofBucket -> "theirs")

    assert(
      inForce(session, Map(common -> "ours"))(common, ofS3, ofBucket) ==
        Seq(Some("ours"), None, None)
    )
    assert(inForce(session, keys + (ofS3 -> "ours"))(common, ofS3) == Seq(None, Some("ours")))
  }
}
