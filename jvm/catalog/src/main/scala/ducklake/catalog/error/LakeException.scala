package ducklake.catalog.error

/** Carries a [[LakeError]] where no caller on the way handles it. */
final class LakeException(val error: LakeError, cause: Option[Throwable] = None)
    extends RuntimeException(s"[${error.condition}] ${error.message}", cause.orNull)
