package ducklake.spark.transaction

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.error.OutcomeHint
import ducklake.spark.config.CatalogConfig
import ducklake.spark.session.HeldTransaction
import ducklake.spark.session.SessionLake
import ducklake.spark.session.SessionTransaction
import ducklake.spark.session.StatementInfo
import ducklake.spark.types.SparkTypes
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.Filter
import org.apache.logging.log4j.core.Logger
import org.apache.logging.log4j.core.appender.WriterAppender
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.core.layout.PatternLayout
import org.scalatest.funsuite.AnyFunSuite

import java.io.StringWriter
import java.nio.file.Files
import java.nio.file.Path
import java.time.Instant

import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt

/** Which statements are part of a session's transaction, and what happens to a forgotten one. */
final class TransactionsSpec extends AnyFunSuite with CommitFixtures {

  private def newSession(): SessionLake = sessionIn(Files.createTempDirectory("transactions"))

  private def sessionIn(folder: Path, more: (String, String)*): SessionLake = {
    val settings = Map(
      "uri" -> s"ducklake:sqlite:${folder.resolve("lake.sqlite")}",
      "data-path" -> folder.resolve("lake").toString,
    )
    new SessionLake(CatalogConfig.parse("lake", settings ++ more), SparkTypes.TimeRule.AsString)
  }

  private def basesOf(session: SessionLake) =
    HeldTransaction.bases(session.config.lake, session.lake.dataPath())

  private def conditionOf(outcome: CommitOutcome): Option[String] =
    outcome.failure.map(_.error.condition)

  test("a transaction in a new lake makes the lake at its commit, and not before") {
    val session = newSession()
    val transactions = new Transactions(session)
    transactions.begin(StatementInfo.none): Unit
    val base = session.base()
    session.commit(base, Vector(create(base, "t")), StatementInfo.none).orThrow: Unit
    assert(session.base().table("main", "t").isDefined)
    assert(!session.lake.isThere())

    assert(transactions.commit().map(_.id.value).contains(1L))
    assert(session.lake.newest().exists(_.table("main", "t").isDefined))
  }

  test("a statement is staged only in the transaction that it has read") {
    val session = newSession()
    session.prepareToWrite(): Unit
    val transactions = new Transactions(session)
    val before = session.base()
    transactions.begin(StatementInfo.none): Unit
    val within = session.base()
    val early = session.commit(before, Vector(create(before, "t")), StatementInfo.none)
    assert(conditionOf(early).contains("DUCKLAKE_TRANSACTION_STATE"))
    transactions.rollback()
    transactions.begin(StatementInfo.none): Unit
    val late = session.commit(within, Vector(create(within, "t")), StatementInfo.none)
    assert(conditionOf(late).contains("DUCKLAKE_TRANSACTION_STATE"))
    assert(transactions.commit().isEmpty)
    val after = session.commit(within, Vector(create(within, "t")), StatementInfo.none)
    assert(conditionOf(after).contains("DUCKLAKE_TRANSACTION_STATE"))
    assert(session.lake.newest().exists(_.snapshot.id.value == 0))
  }

  test("a transaction that is open at the end of the application is dropped") {
    val session = newSession()
    val transactions = new Transactions(session)
    transactions.begin(StatementInfo.none): Unit
    assert(session.transaction.open.isDefined)

    HeldTransaction.warnOfOpen()

    assert(session.transaction.open.isEmpty)
    val failure = intercept[LakeException](transactions.commit())
    assert(failure.error.condition == "DUCKLAKE_TRANSACTION_STATE")
  }

  test("a transaction whose session is gone is dropped, and a warning says so") {
    var isLeft = true
    val said = warnings {
      val other = abandoned()
      val end = System.nanoTime() + 30000000000L
      while (basesOf(other).nonEmpty && System.nanoTime() < end) {
        System.gc()
        Thread.sleep(20)
      }
      isLeft = basesOf(other).nonEmpty
    }
    assert(!isLeft)
    assert(said.count(_.contains("was neither committed nor rolled back")) == 1)
  }

  /** A session of a lake with an open transaction, whose own session nobody has any more. */
  private def abandoned(): SessionLake = {
    val folder = Files.createTempDirectory("transactions")
    val session = sessionIn(folder)
    session.prepareToWrite(): Unit
    new Transactions(session).begin(StatementInfo.none): Unit
    val other = sessionIn(folder)
    assert(basesOf(other).map(_.value) == Set(0L))
    other
  }

  test("a session with another data path knows the transactions of its lake") {
    val folder = Files.createTempDirectory("transactions")
    val session = sessionIn(folder)
    session.prepareToWrite(): Unit
    val moved = folder.resolve("moved").toString
    val other = sessionIn(folder, "data-path" -> moved, "override-data-path" -> "true")
    assert(other.lake.dataPath() != session.lake.dataPath())
    assert(basesOf(other).isEmpty)

    val transactions = new Transactions(session)
    transactions.begin(StatementInfo.none): Unit

    assert(basesOf(other).map(_.value) == Set(0L))
    assert(basesOf(newSession()).isEmpty)
    transactions.rollback()
  }

  test("a transaction that is idle is reported once, until its session uses it again") {
    val session = newSession()
    val transactions = new Transactions(session)
    transactions.begin(StatementInfo.none): Unit

    val before = System.nanoTime()
    session.base(): Unit
    assert(warnings(HeldTransaction.warnOfIdle(before)).isEmpty)
    val after = System.nanoTime() + 1
    val reported = warnings {
      HeldTransaction.warnOfIdle(after)
      HeldTransaction.warnOfIdle(after)
    }
    assert(reported.count(_.contains("no statement of its session")) == 1)
    session.base(): Unit
    assert(warnings(HeldTransaction.warnOfIdle(System.nanoTime() + 1)).length == 1)
    transactions.rollback()
    assert(warnings(HeldTransaction.warnOfIdle(System.nanoTime() + 1)).isEmpty)
  }

  test("while a transaction is opened nobody waits, and of two that begin the second is refused") {
    val session = newSession()
    val transactions = new Transactions(session)
    transactions.begin(StatementInfo.none): Unit
    val real = session.transaction.open.getOrElse(fail("no transaction"))
    transactions.rollback()
    val shared = new SessionTransaction("lake")
    def elsewhere[A](action: => A): A = Await.result(Future(action), 20.seconds)

    val refused = intercept[LakeException] {
      shared.begin {
        assert(elsewhere(shared.open).isEmpty)
        elsewhere(shared.begin(real)): Unit
        real.copy(begun = Instant.EPOCH)
      }
    }

    assert(refused.error.condition == "DUCKLAKE_TRANSACTION_STATE")
    assert(shared.open.exists(_ eq real))
    shared.end("roll back")(_ => ())
  }

  test("an error of the commit speaks of the transaction") {
    for (
      error <- Vector(
        LakeError.CommitConflict("another has deleted the rows"),
        LakeError.CommitTimedOut(4, "another process held the catalog database"),
        LakeError.StatementInterrupted("waited for the catalog database"),
        LakeError.CommitOutcomeUnknown("commit snapshot 5", OutcomeHint.NotAnswered()),
        LakeError.CommitOutcomeUnknown("commit snapshot 5", OutcomeHint.Overtaken()),
        LakeError.CommitOutcomeUnknown("commit snapshot 5", OutcomeHint.Interrupted()),
      )
    ) {
      val failure = new LakeException(error)
      val named = Transactions.named(failure)
      assert(named.error.condition == error.condition)
      assert(Option(named.getCause).contains(failure))
      val text = named.error.message
      assert(text.contains("the transaction again") && !text.contains("tatement"))
    }
  }

  /** What the transactions' logger says meanwhile. */
  private def warnings(action: => Unit): Vector[String] = {
    val writer = new StringWriter
    val name = classOf[SessionTransaction].getName
    val layout = PatternLayout.createDefaultLayout()
    val noFilter = Option.empty[Filter].orNull
    val appender = WriterAppender.createAppender(layout, noFilter, writer, name, false, true)
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    val before = logger.getLevel
    appender.start()
    logger.addAppender(appender)
    Configurator.setLevel(name, Level.WARN)
    try action
    finally {
      Configurator.setLevel(name, before)
      logger.removeAppender(appender)
    }
    writer.toString.linesIterator.toVector
  }
}
