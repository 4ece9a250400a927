package ducklake.spark.table

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationKind
import ducklake.spark.changes.ChangesIdentifier
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.LocalScanTable
import ducklake.spark.metadata.MetadataTableFinder
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.VersionText
import ducklake.spark.sparkapi.view.AnalysedView
import ducklake.spark.sparkapi.view.ViewDefinition
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Finds the object that an identifier names: a table, a view, or a metadata table of a table or of
  * the lake.
  */
final class Relations(session: SessionLake) {

  private val views = new Views(session)
  private val metadata = new MetadataTableFinder(session)

  def tables(namespace: Array[String]): Array[Identifier] =
    names(namespace, RelationKind.Table)

  def views(namespace: Array[String]): Array[Identifier] =
    names(namespace, RelationKind.View)

  private def names(namespace: Array[String], kind: RelationKind): Array[Identifier] =
    session.currentToRead() match {
      case None if Namespaces.isDefault(namespace) => Array.empty
      case None => throw new NoSuchNamespaceException(namespace)
      case Some(snapshot) =>
        val schema = Namespaces
          .find(snapshot, namespace)
          .getOrElse(throw new NoSuchNamespaceException(namespace))
        snapshot
          .relations(schema)
          .filter(_.kind == kind)
          .map(r => Identifier.of(schema.path.toArray, r.name))
          .toArray
    }

  /** The table or view that SELECT reads under this name. Throws NoSuchTableException. */
  def load(ident: Identifier): Either[ViewDefinition, Table] = {
    val found: Option[Either[ViewDefinition, Table]] =
      metadata.withoutLake(ident).map(Right(_)).orElse {
        session.currentToRead().flatMap { snapshot =>
          lakeTable(snapshot, ident)
            .map(Right(_))
            .orElse(views.find(snapshot, ident).map(view => Left(view.definition)))
            .orElse(metadata.find(snapshot, ident).map(Right(_)))
        }
      }
    found.getOrElse(throw new NoSuchTableException(ident))
  }

  /** The view that SELECT reads under this name; None when no view has the name. */
  def analysedView(ident: Identifier): Option[AnalysedView] =
    session.currentToRead().flatMap(views.find(_, ident))

  def table(ident: Identifier): Table =
    metadata
      .withoutLake(ident)
      .orElse(session.currentToRead().map(tableIn(_, ident)))
      .getOrElse(throw new NoSuchTableException(ident))

  /** As [[table]], where Spark reads no views of catalogs and has no clause CHANGES. */
  def tableBefore42(ident: Identifier): Table = {
    refuseChanges(ident)
    session.currentToRead().foreach { snapshot =>
      refuseView(
        snapshot,
        ident,
        "Reading the view",
        "Spark itself reads views of a catalog from 4.2 on. Before, SELECT and DESCRIBE read the views " +
          "of a lake in sessions with the extension `ducklake.spark.DuckLakeExtensions`; other " +
          "statements need Spark 4.2.",
      )
    }
    table(ident)
  }

  /** The rows of the table would stand for its changes. */
  private def refuseChanges(ident: Identifier): Unit = ident match {
    case _: ChangesIdentifier =>
      SparkErrors.raise(
        LakeError.Unsupported(
          s"`readChangeFeed` of `${(ident.namespace().toVector :+ ident.name()).mkString(".")}`",
          "Spark 4.2 and newer have it. Read the table `changes` of the table, with `start-snapshot`.",
        )
      )
    case _ => ()
  }

  /** The table for a statement that changes its rows. */
  def tableToWrite(ident: Identifier): Table =
    if (session.currentToRead().isEmpty) throw new NoSuchTableException(ident)
    else {
      val snapshot = session.base()
      refuseView(
        snapshot,
        ident,
        "Writing to the view",
        "Views are only read: write to the tables that it reads.",
      )
      tableIn(snapshot, ident)
    }

  /** The table for `VERSION AS OF`; the version is a snapshot's id or name. */
  def tableAt(ident: Identifier, version: String): Table =
    VersionText.snapshot(session.lake, version) match {
      case Some(snapshot) => past(snapshot, ident)
      case None =>
        SparkErrors.raise(
          LakeError.InvalidArgument("Time travel", "version", VersionText.unknown(version))
        )
    }

  /** The table for `TIMESTAMP AS OF`; the time is in microseconds since 1970 UTC. */
  def tableAt(ident: Identifier, micros: Long): Table = {
    val instant = Instant.EPOCH.plus(micros, ChronoUnit.MICROS)
    past(session.lake.atOrBefore(instant), ident)
  }

  private def past(snapshot: LakeSnapshot, ident: Identifier): Table = {
    refuseView(
      snapshot,
      ident,
      "Time travel of the view",
      "Name the snapshot at the tables that the view reads, or pin a catalog to it by `snapshot-version`.",
    )
    tableIn(snapshot, ident) match {
      case table: DuckLakeTable => lakeTable(snapshot, table.at.table, isPast = true)
      case local: LocalScanTable if !local.hasPast =>
        val why = s"cannot be given for `${local.name()}`, which says what holds now"
        SparkErrors.raise(LakeError.InvalidArgument("Time travel", "version or timestamp", why))
      case table => table
    }
  }

  private def refuseView(
      snapshot: LakeSnapshot,
      ident: Identifier,
      what: String,
      hint: String,
  ): Unit =
    if (isView(snapshot, ident)) {
      val name = (session.name +: ident.namespace().toVector) :+ ident.name()
      SparkErrors.raise(LakeError.Unsupported(s"$what `${name.mkString(".")}`", hint))
    }

  private def isView(snapshot: LakeSnapshot, ident: Identifier): Boolean =
    snapshot.view(Namespaces.pathOf(ident.namespace()), ident.name()).isDefined

  private def tableIn(snapshot: LakeSnapshot, ident: Identifier): Table =
    lakeTable(snapshot, ident)
      .orElse(metadata.find(snapshot, ident))
      .getOrElse(throw new NoSuchTableException(ident))

  private def lakeTable(snapshot: LakeSnapshot, ident: Identifier): Option[Table] =
    snapshot
      .table(Namespaces.pathOf(ident.namespace()), ident.name())
      .map(lakeTable(snapshot, _, isPast = false))

  private def lakeTable(snapshot: LakeSnapshot, table: LakeTable, isPast: Boolean): Table =
    new DuckLakeTable(new TableAtSnapshot(session, snapshot, table, isPast))

  def tableExists(ident: Identifier): Boolean = {
    val schema = Namespaces.pathOf(ident.namespace())
    session.current().exists(_.table(schema, ident.name()).isDefined)
  }

  /** A view that Spark has made just now. */
  def view(found: LakeView): ViewDefinition = views.analysed(found, Vector.empty).definition

  def viewExists(ident: Identifier): Boolean = session.current().exists(isView(_, ident))
}
