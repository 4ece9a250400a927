package ducklake.catalog.commit

import ducklake.catalog.LakeSettings
import ducklake.catalog.Lakes
import ducklake.catalog.jdbc.address.CatalogUri

/** A session that appends a file to a table of its own five times a second, for measures. */
private final class SmallCommits(uri: CatalogUri) extends CommitFixtures {
  private val PauseMillis = 200L

  @volatile private var isWanted = true
  @volatile private var failure = Option.empty[Throwable]
  private var millis = Vector.empty[Long]

  // A commit may have to wait for a whole large one.
  private val patient: LakeSettings = settings(uri).copy(busyTimeoutMillis = 300000)

  private val thread = new Thread(() =>
    try commits()
    catch { case failed: Throwable => failure = Some(failed) }
  )

  def start(): Unit = thread.start()

  /** What it did. Errors: the first commit that failed. */
  def end(): String = {
    isWanted = false
    thread.join()
    failure.foreach(throw _)
    s"${millis.size} small commits beside it, the slowest after ${millis.max} ms, " +
      s"the median after ${millis.sorted.apply(millis.size / 2)} ms"
  }

  private def commits(): Unit = {
    val lake = Lakes.open(patient)
    lake
      .commit(pending(lake.prepareToWrite(), create(lake.prepareToWrite(), "small")))
      .orThrow: Unit
    while (isWanted) {
      val start = System.nanoTime()
      val base = lake.prepareToWrite()
      val one = file(s"${millis.size}.parquet", 1, 5)
      lake.commit(pending(base, append(tableOf(base, "small"), one))).orThrow: Unit
      millis :+= (System.nanoTime() - start) / 1000000L
      Thread.sleep(PauseMillis)
    }
  }
}
