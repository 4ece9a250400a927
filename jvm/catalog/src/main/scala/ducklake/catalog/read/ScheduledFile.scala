package ducklake.catalog.read

import java.time.Instant

/** A file that cleanup will remove; `path` is full, in DuckDB's spelling. */
final case class ScheduledFile(path: String, scheduled: Instant)
