package ducklake.catalog.error

/** Carries a [[LakeError]] where nobody on the way will branch on it. */
final class LakeException(val error: LakeError, cause: Option[Throwable] = None)
    extends RuntimeException(s"[${error.condition}] ${error.message}", cause.orNull)
