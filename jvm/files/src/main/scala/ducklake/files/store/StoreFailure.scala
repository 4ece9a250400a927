package ducklake.files.store

import java.nio.file.AccessDeniedException

/** Failures of an object store, or of the connection to it, in plain words. The exceptions belong
  * to connectors that are not on our class path, so they are recognized by their names and by the
  * store's own codes.
  *
  * Source: Hadoop 3.5, S3A, `S3AUtils.translateException`; Amazon S3, list of error codes.
  */
private[files] object StoreFailure {

  /** The reason, as the end of a sentence. None when no object store is behind the failure.
    *
    * @param chain the exception and its causes
    */
  def reason(chain: List[Throwable]): Option[String] = {
    val texts = chain.flatMap(cause => Option(cause.getMessage))
    def says(codes: String*) = codes.find(code => texts.exists(_.contains(code)))
    def isOne(names: String*) = chain.exists(cause => names.contains(cause.getClass.getSimpleName))
    if (isOne("UnknownStoreException") || says("NoSuchBucket").nonEmpty)
      Some("its bucket does not exist")
    else
      says(skew*)
        .map(code => s"the clocks of this machine and of the store differ too much ($code)")
        .orElse(Option.when(isOne(withoutCredentials*))("no credentials of the store were found"))
        .orElse(says(denials*).map(code => s"the store refused access ($code)"))
        .orElse(Option.when(isDenied(chain) || says(refused*).nonEmpty)("the store refused access"))
        .orElse(Option.when(says(closed*).nonEmpty)("its file system was closed in the meantime"))
        .orElse(Option.when(isSilence(chain))(s"the store could not be reached (${last(texts)})"))
        .orElse(Option.when(isOne(faults*))(s"the store failed (${last(texts)})"))
  }

  private val skew =
    Seq("RequestTimeTooSkewed", "RequestNotReadyYet", "RequestExpired", "RequestInTheFuture")

  private val denials = Seq(
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "InvalidToken",
    "ExpiredToken",
    "AuthorizationFailure",
    "AuthorizationPermissionMismatch",
    "AccessDenied",
  )

  /** Answers without a body have no code. */
  private val refused = Seq("Status Code: 401", "Status Code: 403")

  /** Of S3A and ABFS, of HDFS, of S3A's client, of the client's connections. */
  private val closed = Seq(
    "FileSystem is closed",
    "Filesystem closed",
    "Client manager is closed",
    "Connection pool shut down",
  )

  private val withoutCredentials =
    Seq("NoAuthWithAWSException", "NoAwsCredentialsException", "CredentialInitializationException")

  private val silences = Seq("AWSClientIOException", "ConnectException", "UnknownHostException")

  private def isSilence(chain: List[Throwable]): Boolean = chain.exists { cause =>
    silences.contains(cause.getClass.getSimpleName) || Interruption.isTimeout(cause)
  }

  private val faults = Seq(
    "AWSBadRequestException",
    "AWSNoResponseException",
    "AWSRedirectException",
    "AWSS3IOException",
    "AWSServiceIOException",
    "AWSServiceThrottledException",
    "AWSStatus500Exception",
    "AWSUnsupportedFeatureException",
    "HttpFailure",
  )

  /** Local file systems have their own messages for missing permissions. */
  private def isDenied(chain: List[Throwable]): Boolean =
    chain.exists {
      case denied: AccessDeniedException => Option(denied.getMessage).exists(_.contains("://"))
      case _ => false
    }

  private def last(texts: List[String]): String =
    texts.lastOption.flatMap(_.linesIterator.nextOption()).getOrElse("").take(150)
}
