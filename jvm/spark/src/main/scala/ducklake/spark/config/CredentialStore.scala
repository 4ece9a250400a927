package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.security.alias.CredentialProviderFactory

import java.io.IOException

/** Secrets in Hadoop's credential providers, under the full names of the settings whose values they
  * are.
  */
private[spark] object CredentialStore {

  /** The secret with the name `setting`: from the providers that the catalog itself names, then
    * from the session's providers. None without a provider, or when no provider has it. Errors:
    * InvalidSetting, when a provider cannot be read.
    */
  def secret(session: Configuration, own: HadoopSettings, setting: String): Option[String] = {
    val ofCatalog = new Configuration(session)
    own.values.foreach { case (key, value) => ofCatalog.set(key, value) }
    secret(ofCatalog, setting).orElse(secret(session, setting))
  }

  private[config] def secret(hadoop: Configuration, setting: String): Option[String] = {
    val path = CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH
    if (Option(hadoop.getTrimmed(path)).forall(_.isEmpty)) None
    else
      try Option(hadoop.getPassword(setting)).map(new String(_))
      catch {
        case error: IOException =>
          val why =
            s"is looked for in the stores of `$path`, which cannot be read (${causeOf(error)})"
          val hint = "Correct the path, or leave it out."
          throw new LakeException(LakeError.InvalidSetting(setting, why, hint), Some(error))
      }
  }

  /** The innermost reason; Hadoop's outer errors only say that the configuration is wrong. */
  private def causeOf(error: Throwable): String =
    Option(error.getCause).fold(error.getMessage)(causeOf)
}
