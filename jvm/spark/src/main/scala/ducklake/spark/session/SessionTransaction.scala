package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

import java.lang.ref.Cleaner

/** The transaction of a session, if one is open. Threads of the session share it. Nothing is held
  * in the catalog database between two statements.
  *
  * @param lake the catalog's name, for messages
  */
final class SessionTransaction(lake: String) {
  import SessionTransaction.*

  private val held = new HeldTransaction(lake)
  watch(this, held)

  def open: Option[OpenTransaction] = held.use()

  /** The transaction is opened without the lock, because that asks the catalog database: other
    * threads do not wait for it. Of two that begin at the same time, the second one is refused.
    *
    * Errors: TransactionState when one is open.
    */
  def begin(opened: => OpenTransaction): OpenTransaction = {
    held.synchronized(refuseSecond())
    val begun = opened
    held.synchronized {
      refuseSecond()
      held.set(Some(begun))
    }
    begun
  }

  private def refuseSecond(): Unit = held.open.foreach { _ =>
    throw failed("begin a transaction", "one is open already", "Commit it or roll it back first.")
  }

  /** Adds a statement to the transaction in which the statement began.
    *
    * Errors: TransactionState when the statement began in another transaction or in none; Unsupported
    * and CommitConflict as for [[OpenTransaction.stage]]. The transaction stays as it was.
    */
  def stage(
      seen: LakeSnapshot,
      operations: Vector[Operation],
      info: CommitInfo,
  ): Either[LakeException, OpenTransaction] = held.synchronized {
    held.open match {
      case Some(now) if !held.isEnding && seen.uncommitted.exists(_.transaction == now.id) =>
        now.stage(seen, operations, info).left.map(new LakeException(_)).map { next =>
          held.set(Some(next))
          next
        }
      case _ =>
        val why = "it began before the transaction of its session began or ended"
        Left(failed("run the statement", why, "Nothing was changed. Run it again."))
    }
  }

  /** Names the commit of the transaction. False when there is none that could be named. */
  def announce(info: CommitInfo): Boolean = held.synchronized {
    val named = held.open.filterNot(_ => held.isEnding).map(_.named(info))
    named.foreach(next => held.set(Some(next)))
    named.nonEmpty
  }

  /** Whether a statement that has seen this snapshot belongs to no transaction, and commits at once.
    */
  def isOutside(seen: LakeSnapshot): Boolean = held.synchronized {
    seen.uncommitted.isEmpty && (held.open.isEmpty || held.isEnding)
  }

  /** Ends the transaction after the action, whatever its result.
    *
    * @param verb what is done to the transaction, for messages
    *
    * Errors: TransactionState when none is open; the errors of the action.
    */
  def end[A](verb: String)(action: OpenTransaction => A): A = {
    val ending = held.synchronized {
      val found = held.open.filterNot(_ => held.isEnding).getOrElse {
        throw failed(s"$verb a transaction", "none is open", "Begin one first.")
      }
      held.isEnding = true
      found
    }
    try action(ending)
    finally
      held.synchronized {
        held.isEnding = false
        held.set(None)
      }
  }

  private def failed(attempted: String, why: String, hint: String): LakeException =
    new LakeException(LakeError.TransactionState(s"$attempted of lake `$lake`", why, hint))
}

object SessionTransaction {
  private val cleaner = Cleaner.create()

  /** The action must not refer to the object whose end it waits for. */
  private def watch(owner: SessionTransaction, held: HeldTransaction): Unit =
    cleaner.register(owner, () => held.forgotten()): Unit
}
