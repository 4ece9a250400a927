package ducklake.catalog.error

import ducklake.catalog.error.CommitSubject.Statement

/** An error as data. Each error has a stable condition, a SQLSTATE and a full message.
  *
  * Source: ours, jvm/docs/errors.md.
  */
sealed abstract class LakeError(val condition: String, val sqlState: String)
    extends Product
    with Serializable {

  /** What happened, why, and what to do; one or a few sentences, never a secret. */
  def message: String

  /** The values in the message, by name: the values of the fields, except the hint. */
  def parameters: Map[String, String] = {
    val named = productElementNames.zip(productIterator)
    named.collect {
      case ("typeText", value) => "type" -> value.toString
      case (name, value) if name != "hint" => name -> value.toString
    }.toMap
  }
}

object LakeError {

  private def quoted(name: String): String = s"`$name`"

  /** A setting that is unknown, has a bad value, or contradicts another setting. */
  final case class InvalidSetting(key: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_INVALID_SETTING", "42616") {
    def message: String = s"Setting ${quoted(key)} $why. $hint"
  }

  /** A jar of the connector on a Spark that it does not serve. */
  final case class WrongSpark(serves: String, running: String, hint: String)
      extends LakeError("DUCKLAKE_WRONG_SPARK", "0A000") {
    def message: String = s"This is the jar for Spark $serves; this is Spark $running. $hint"
  }

  /** An address that names no catalog database that we can open. */
  final case class InvalidUri(uri: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_INVALID_URI", "08001") {
    def message: String = s"The catalog address ${quoted(uri)} $why. $hint"
  }

  /** The catalog database cannot be reached, or went away. */
  final case class ConnectionFailed(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_CONNECTION_FAILED", "08006") {
    def message: String =
      s"Cannot $attempted: the catalog database at ${quoted(address)} does not answer ($why). " +
        "Nothing was changed. Check that it runs and can be reached, then run the statement again."
  }

  /** The host name of the catalog database cannot be resolved. */
  final case class UnknownHost(address: String, attempted: String, host: String)
      extends LakeError("DUCKLAKE_UNKNOWN_HOST", "08001") {
    def message: String =
      s"Cannot $attempted: there is no host ${quoted(host)}, where the catalog database at " +
        s"${quoted(address)} should be. Nothing was changed. Correct the address."
  }

  /** The catalog database refuses this user: a wrong password, or no right to connect. */
  final case class LoginRefused(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_LOGIN_REFUSED", "28000") {
    def message: String =
      s"Cannot $attempted: the catalog database at ${quoted(address)} does not let us in ($why). " +
        "Nothing was changed. Correct `user` and `password` or `password-file`."
  }

  /** The server has no database of this name. */
  final case class NoSuchDatabase(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_NO_SUCH_DATABASE", "3D000") {
    def message: String =
      s"Cannot $attempted: there is no catalog database at ${quoted(address)} ($why). Correct the " +
        "address, or create the database: a lake can be made in an empty one, not the database itself."
  }

  /** All connections of this catalog's pool are in use. */
  final case class PoolExhausted(address: String, attempted: String, size: Int, waitMillis: Long)
      extends LakeError("DUCKLAKE_POOL_EXHAUSTED", "53300") {
    def message: String =
      s"Cannot $attempted: all $size connections to the catalog database at ${quoted(address)} were " +
        s"in use for $waitMillis ms. Nothing was changed. Run fewer statements at once, or raise " +
        "`pool.size` or `pool.wait-ms`."
  }

  /** The user, or this process, may not do this in the catalog database. */
  final case class NotPermitted(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_NOT_PERMITTED", "42501") {
    def message: String =
      s"Cannot $attempted: the catalog database at ${quoted(address)} does not permit it ($why). " +
        "Nothing was changed. Connect as a user who has this right, or have it granted; a standby " +
        "takes no writes."
  }

  /** The disk of the catalog database is full or broken. */
  final case class CatalogDiskFailed(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_CATALOG_DISK_FAILED", "53100") {
    def message: String =
      s"Cannot $attempted: the disk of the catalog database at ${quoted(address)} is full or does not " +
        s"work ($why). Make room there, or have the disk looked at, then run the statement again."
  }

  /** A DuckDB file in a storage version that our DuckDB does not read. */
  final case class UnsupportedStorage(
      address: String,
      version: String,
      writtenBy: String,
      known: String,
  ) extends LakeError("DUCKLAKE_UNSUPPORTED_STORAGE", "0A000") {
    def message: String =
      s"The DuckDB file at ${quoted(address)} has storage version $version, written by $writtenBy; " +
        s"the DuckDB of this connector reads $known. Use a newer connector, or copy the file with " +
        "that DuckDB into one of an older storage version (ATTACH … (STORAGE_VERSION 'v1.0.0'); " +
        "COPY FROM DATABASE …)."
  }

  /** The catalog database answered a statement with an error. */
  final case class CatalogQueryFailed(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_CATALOG_QUERY_FAILED", "58000") {
    def message: String =
      s"Cannot $attempted: the catalog database at ${quoted(address)} reports: $why. " +
        "Check that the database is whole, and that nobody changed the lake's tables by hand."
  }

  /** The database file is locked by another process for longer than we wait. */
  final case class CatalogBusy(address: String, waitedMillis: Long)
      extends LakeError("DUCKLAKE_CATALOG_BUSY", "55P03") {
    def message: String =
      s"The catalog database at ${quoted(address)} is held by another process (waited " +
        s"$waitedMillis ms). Run the statement again when that process has let it go."
  }

  /** The catalog database ended a statement: it took too long, or somebody cancelled it. */
  final case class CatalogCancelled(address: String, attempted: String, why: String)
      extends LakeError("DUCKLAKE_CATALOG_CANCELLED", "57014") {
    def message: String =
      s"Cannot $attempted: the catalog database at ${quoted(address)} ended the statement ($why). " +
        "Nothing was changed. Run the statement again, or raise the limit, such as " +
        "`statement_timeout`, that the database has for this user."
  }

  /** The file is not a database of the kind that the address names. */
  final case class NotADatabase(address: String, kind: String, why: String)
      extends LakeError("DUCKLAKE_NOT_A_DATABASE", "08004") {
    def message: String =
      s"The file at ${quoted(address)} is not a $kind database ($why). Check the address."
  }

  /** A database without DuckLake's tables, where we may not create them. */
  final case class NoLake(address: String, why: String)
      extends LakeError("DUCKLAKE_NO_LAKE", "42704") {
    def message: String =
      s"The database at ${quoted(address)} holds no DuckLake catalog, and $why. Create one with " +
        "the option `create-if-not-exists`, or attach it once from DuckDB."
  }

  /** The catalog has a version that we do not read. */
  final case class UnsupportedVersion(address: String, version: String, supported: Seq[String])
      extends LakeError("DUCKLAKE_UNSUPPORTED_VERSION", "0A000") {
    def message: String =
      s"The lake at ${quoted(address)} has catalog version $version; this connector reads " +
        s"${supported.mkString(", ")}. Use a newer connector, or migrate the lake with DuckDB."
    override def parameters: Map[String, String] = Map("address" -> address, "version" -> version)
  }

  /** The catalog's rows contradict each other or the specification. */
  final case class CorruptCatalog(subject: String, why: String)
      extends LakeError("DUCKLAKE_CORRUPT_CATALOG", "XX001") {
    def message: String = s"The catalog rows of $subject cannot be used: $why."
  }

  /** A snapshot that does not exist, or has expired. */
  final case class NoSuchSnapshot(asked: String, oldest: String, newest: String)
      extends LakeError("DUCKLAKE_NO_SUCH_SNAPSHOT", "42704") {
    def message: String =
      s"Snapshot $asked is not in the lake: the oldest kept is $oldest, the newest is $newest."
  }

  /** Changes that are not complete, because a snapshot has expired. */
  final case class ChangesExpired(table: String, from: Long, to: Long, expired: Long, first: Long)
      extends LakeError("DUCKLAKE_CHANGES_EXPIRED", "42704") {
    def message: String =
      s"The changes of $table from snapshot $from to $to are not complete: snapshot $expired has " +
        "expired, and with it the files that only it could see. Read the changes from snapshot " +
        s"$first on."
  }

  /** A stream that cannot go on from where it was, when it reads a table or writes to it. */
  final case class StreamCannotContinue(table: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_STREAM_CANNOT_CONTINUE", "55000") {
    def message: String = s"The stream of $table cannot go on: $why. $hint"
  }

  /** More files than a plan may have in the memory of the driver. */
  final case class TooManyFiles(table: String, files: String, most: Long, bytes: Long)
      extends LakeError("DUCKLAKE_TOO_MANY_FILES", "53200") {
    def message: String = TooManyFilesText(table, files, most, bytes)
  }

  /** A column whose type this version cannot express. */
  final case class UnsupportedType(column: String, table: String, typeText: String)
      extends LakeError("DUCKLAKE_UNSUPPORTED_TYPE", "0A000") {
    def message: String =
      s"Column ${quoted(column)} of $table has DuckLake type $typeText, which cannot be read. " +
        "Leave the column out of the query."
  }

  /** A stored value that the type of the read cannot hold, or that is not a value of its own type.
    */
  final case class InvalidValue(column: String, value: String, typeText: String, why: String)
      extends LakeError("DUCKLAKE_INVALID_VALUE", "22003") {
    def message: String = s"Column ${quoted(column)} holds $value as $typeText: $why."
  }

  /** A data or delete file that is missing, truncated, in a compression that Spark lacks, or not as
    * the catalog describes it.
    */
  final case class UnreadableFile(
      path: String,
      table: String,
      why: String,
      hint: String = Lost,
  ) extends LakeError("DUCKLAKE_UNREADABLE_FILE", "58030") {
    def message: String = s"Cannot read the file $path of $table: $why. $hint."
  }

  /** The advice for a file that differs from the file in the catalog. */
  private val Lost =
    "The catalog still lists this file; restore it, or read an older snapshot that does not need it"

  /** A file that cannot be written to storage. */
  final case class UnwritableFile(path: String, table: String, why: String)
      extends LakeError("DUCKLAKE_UNWRITABLE_FILE", "58030") {
    def message: String =
      s"Cannot write the file $path of $table: $why. Nothing was changed. Check that the folder " +
        "can be written and has room, then run the statement again."
  }

  /** Something that encryption forbids, or an encryption that lakes do not use. */
  final case class EncryptedLake(subject: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_ENCRYPTED_LAKE", "0A000") {
    def message: String = s"$subject: $why. $hint."
  }

  /** A storage path whose scheme we cannot open. */
  final case class UnsupportedPath(path: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_UNSUPPORTED_PATH", "0A000") {
    def message: String = s"The path ${quoted(path)} $why. $hint"
  }

  /** A write to a catalog that is read-only or pinned to a snapshot. */
  final case class ReadOnly(subject: String, why: String)
      extends LakeError("DUCKLAKE_READ_ONLY", "25006") {
    def message: String = s"Cannot change $subject: $why. Nothing was changed."
  }

  /** A transaction that is begun twice, ended without a beginning, or not the statement's own. */
  final case class TransactionState(attempted: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_TRANSACTION_STATE", "25000") {
    def message: String = s"Cannot $attempted: $why. $hint"
  }

  /** A feature that this version does not have. */
  final case class Unsupported(what: String, hint: String)
      extends LakeError("DUCKLAKE_UNSUPPORTED", "0A000") {
    def message: String = s"$what is not supported. $hint"
  }

  /** An argument of a procedure, function or option that cannot be used. */
  final case class InvalidArgument(subject: String, argument: String, why: String)
      extends LakeError("DUCKLAKE_INVALID_ARGUMENT", "22023") {
    def message: String = s"$subject: argument ${quoted(argument)} $why."
  }

  /** A view whose text does not run in Spark, or that Spark cannot name as written. */
  final case class UnusableView(view: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_UNUSABLE_VIEW", "42000") {
    def message: String = s"View ${quoted(view)} cannot be read: $why. $hint"
  }

  /** Tables of one statement that have no snapshot in common. */
  final case class ConcurrentChange(tables: String)
      extends LakeError("DUCKLAKE_CONCURRENT_CHANGE", "40001") {
    def message: String =
      s"Cannot read $tables at one snapshot: a column of one of them was changed while the " +
        "statement was analysed, or after a DataFrame or temporary view of it was made. Make that " +
        "again, and run the statement again."
  }

  /** A schema change that is not legal, or that would lose data. */
  final case class InvalidChange(change: String, why: String)
      extends LakeError("DUCKLAKE_INVALID_CHANGE", "42P16") {
    def message: String = s"Cannot $change: $why. Nothing was changed."
  }

  /** A name that an object of this kind cannot have. */
  final case class InvalidName(kind: String, name: String, why: String)
      extends LakeError("DUCKLAKE_INVALID_NAME", "42602") {
    def message: String =
      s"Cannot call a $kind ${quoted(name)}: $why. Nothing was changed. Take another name."
  }

  /** A type that a column of a lake cannot have. */
  final case class UnstorableType(column: String, typeText: String, why: String)
      extends LakeError("DUCKLAKE_UNSTORABLE_TYPE", "0A000") {
    def message: String =
      s"Column ${quoted(column)} cannot have type $typeText: $why. Nothing was changed."
  }

  /** A value that an option of the lake cannot have, or an option that does not exist. */
  final case class InvalidOption(option: String, value: String, why: String)
      extends LakeError("DUCKLAKE_INVALID_OPTION", "22023") {
    def message: String =
      s"Cannot set option ${quoted(option)} to ${quoted(value)}: $why. Nothing was changed."
  }

  /** A commit that conflicts with a commit made since its base. */
  final case class CommitConflict(why: String, subject: CommitSubject = Statement)
      extends LakeError("DUCKLAKE_COMMIT_CONFLICT", "40001") {
    def message: String =
      s"The $subject cannot be committed: $why. Nothing was changed. Run the $subject again, " +
        "so that it sees the newest snapshot."
  }

  /** A commit whose attempts all failed because of other writers or of the database. */
  final case class CommitTimedOut(attempts: Int, why: String, subject: CommitSubject = Statement)
      extends LakeError("DUCKLAKE_COMMIT_TIMED_OUT", "40001") {
    def message: String =
      s"The $subject cannot be committed: $attempts attempts met other writers or failures, the " +
        s"last one: $why. Nothing was changed. Run the $subject again, or raise `retry.max-count`."
  }

  /** A statement that was interrupted before its commit was done. */
  final case class StatementInterrupted(meanwhile: String, subject: CommitSubject = Statement)
      extends LakeError("DUCKLAKE_STATEMENT_INTERRUPTED", "57014") {
    def message: String =
      s"The $subject was interrupted while it $meanwhile. Nothing was changed. Run the $subject again."
  }

  /** A flush of several tables that failed for some of them. */
  final case class FlushIncomplete(failed: Vector[String], flushed: Vector[String], why: String)
      extends LakeError("DUCKLAKE_FLUSH_INCOMPLETE", "40001") {
    def message: String =
      s"Not flushed: ${failed.mkString(", ")}; of the first: $why Flushed, and staying so: " +
        s"${done(flushed)}. Run the flush again for those that are left."
    override def parameters: Map[String, String] =
      Map("failed" -> failed.mkString(", "), "flushed" -> done(flushed), "why" -> why)
    private def done(tables: Vector[String]): String =
      if (tables.isEmpty) "none" else tables.mkString(", ")
  }

  /** An existing file that the lake has already, so that it cannot be registered. */
  final case class FileAlreadyRegistered(table: String, file: String, why: String)
      extends LakeError("DUCKLAKE_FILE_ALREADY_REGISTERED", "42710") {
    def message: String =
      s"Cannot add files to $table: ${quoted(file)} $why. No file was added. Leave the file out."
  }

  /** An existing file that cannot become a data file of a table. */
  final case class CannotAddFile(table: String, file: String, why: String, hint: String)
      extends LakeError("DUCKLAKE_CANNOT_ADD_FILE", "22023") {
    def message: String =
      s"Cannot add files to $table: ${quoted(file)} $why. No file was added. $hint"
  }

  /** Maintenance that ended before all of it was done. Each finished step is complete. */
  final case class MaintenanceIncomplete(call: String, done: String, why: String)
      extends LakeError("DUCKLAKE_MAINTENANCE_INCOMPLETE", "40001") {
    def message: String =
      s"$call ended early: $why. Done, and staying so: $done. Run it again for the rest."
  }

  /** Two lakes whose files are in the same folders, so that the owner of a file is unknown. */
  final case class SharedFolder(dataPath: String, schema: String, otherPath: String)
      extends LakeError("DUCKLAKE_SHARED_FOLDER", "55006") {
    def message: String =
      s"Cannot look for lost files below ${quoted(dataPath)}: the lake in schema ${quoted(schema)} of " +
        s"the same database has its files there, too (${quoted(otherPath)}), and a file that this lake " +
        "does not know may be one of that lake's. Nothing was deleted. Give each lake a data path of " +
        "its own."
  }

  /** A transaction of which it is not known whether it was committed. */
  final case class CommitOutcomeUnknown(attempted: String, hint: OutcomeHint)
      extends LakeError("DUCKLAKE_COMMIT_OUTCOME_UNKNOWN", "08007") {
    def message: String =
      s"The connection to the catalog database was lost at the end of an attempt to $attempted, " +
        s"which may be done or not. ${hint.text}"
  }

  /** A commit without a message, in a lake that requires messages. */
  case object CommitMessageRequired extends LakeError("DUCKLAKE_COMMIT_MESSAGE_REQUIRED", "22023") {
    def message: String =
      "Nothing was changed: every commit needs a message (option `require_commit_message`). Give " +
        "it by the write option `commit-message` or `CALL <catalog>.system.set_commit_message(…)`."
  }
}
