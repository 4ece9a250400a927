package ducklake.spark.sparkapi.view

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.DuckLakeException
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A view's text that another engine wrote.
  *
  * @param catalog the lake's name in the text
  * @param macros names of macros, which hide functions
  */
private[spark] final case class ForeignText(text: String, catalog: String, macros: Vector[String])

/** Finds the columns of a view's text by Spark's analysis. */
private[spark] object ViewAnalysis {

  private val ofExecution =
    Vector("adaptive", "codegen", "execution", "optimizer", "shuffle").map(part =>
      s"spark.sql.$part."
    )

  /** The caller's settings on which the meaning of a text may depend, those included that have their
    * default: Spark gives a view without them the time zone of the machine, and no ANSI mode.
    */
  def settings: Map[String, String] = {
    val conf = SparkSession.active.sessionState.conf
    val set = conf.getAllConfs.filter { case (key, _) =>
      conf.isModifiable(key) && !ofExecution.exists(key.startsWith)
    }
    set ++ Map(
      SQLConf.SESSION_LOCAL_TIMEZONE.key -> conf.sessionLocalTimeZone,
      SQLConf.ANSI_ENABLED.key -> conf.ansiEnabled.toString,
    )
  }

  /** As [[plan]]: the text's columns. */
  def schema(
      text: String,
      catalog: String,
      namespace: Vector[String],
      configs: Map[String, String],
      shared: (CatalogPlugin, () => Option[CatalogPlugin]) => Unit,
      foreign: Option[ForeignText],
  ): Either[String, StructType] =
    plan(text, catalog, namespace, configs, shared, foreign).map(_.schema)

  /** The analysed text. Left: why the text cannot be run.
    *
    * @param shared gets each catalog of the caller, and loads the same catalog in the new session;
    *   None when the settings of the caller no longer name it
    * @param foreign the text of another engine, if another engine wrote the view. Then it must
    *   certainly have the same meaning
    *
    * The analysis runs in a new session with the caller's settings and the view's current schema.
    * So the caller's current catalog and settings stay unchanged.
    */
  def plan(
      text: String,
      catalog: String,
      namespace: Vector[String],
      configs: Map[String, String],
      shared: (CatalogPlugin, () => Option[CatalogPlugin]) => Unit,
      foreign: Option[ForeignText],
  ): Either[String, LogicalPlan] = {
    val caller = SparkSession.active
    val session = caller.newSession()
    (caller.sessionState.conf.getAllConfs ++ configs)
      .filterNot { case (key, _) => SQLConf.isStaticConfigKey(key) }
      .foreach { case (key, value) => session.sessionState.conf.setConfString(key, value) }
    try {
      val manager = session.sessionState.catalogManager
      val callers = caller.sessionState.catalogManager
      callers
        .listCatalogs(None)
        .foreach { name =>
          def own = Option.when(manager.isCatalogRegistered(name))(manager.catalog(name))
          shared(callers.catalog(name), () => own)
        }
      manager.setCurrentCatalog(catalog)
      manager.setCurrentNamespace(namespace.toArray)
      SparkSession.setActiveSession(session)
      // During Spark's analysis the thread has the caller's settings, even if another session is
      // active.
      SQLConf.withExistingConf(session.sessionState.conf) {
        def parsed = session.sessionState.sqlParser.parsePlan(text)
        def analyzed(plan: LogicalPlan) = session.sessionState.executePlan(plan).analyzed
        foreign match {
          case Some(written) =>
            sharedPlan(written, text, parsed, analyzed, manager.isCatalogRegistered)
          case None =>
            val found = analyzed(parsed)
            ProgramsInViews.in(found).map(what => s"it $what").toLeft(found)
        }
      }
    } catch {
      case ours: DuckLakeException if !isAboutText(ours) => throw ours
      case e: AnalysisException => Left(e.getMessage)
    } finally SparkSession.setActiveSession(caller)
  }

  private def sharedPlan(
      foreign: ForeignText,
      text: String,
      parse: => LogicalPlan,
      analyze: LogicalPlan => LogicalPlan,
      isCatalog: String => Boolean,
  ): Either[String, LogicalPlan] = {
    def check(doubt: Option[String]) =
      doubt
        .map(d => s"`$d` may mean something else in Spark than in the engine that made the view")
        .toLeft(())
    for {
      _ <- check(DuckDbText.doubtIn(foreign.text))
      parsed = parse
      _ <- check(SharedMeaning.doubtIn(parsed, text))
      _ <- check(SharedMeaning.doubtInNames(parsed, foreign, isCatalog))
      analyzed = analyze(parsed)
      _ <- check(SharedMeaning.doubtInTypes(analyzed))
      _ <- check(SharedNames.repeatedIn(analyzed.output.map(_.name)))
    } yield analyzed
  }

  /** Whether the error is caused by the view's text. Errors of the connection are not caused by the
    * text.
    */
  private def isAboutText(failure: DuckLakeException): Boolean =
    failure.error match {
      case _: LakeError.ConnectionFailed | _: LakeError.CatalogBusy |
          _: LakeError.CatalogCancelled | _: LakeError.CatalogQueryFailed |
          _: LakeError.NotADatabase =>
        false
      case _ => true
    }
}
