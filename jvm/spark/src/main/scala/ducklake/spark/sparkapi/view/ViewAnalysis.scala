package ducklake.spark.sparkapi.view

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.DuckLakeException
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Finds the columns of a view's text by Spark's analysis. */
private[spark] object ViewAnalysis {

  /** The text's columns. Left: why the text cannot be run.
    *
    * @param isForeign whether the text is of another engine, so that it must surely mean the same
    *
    * The analysis runs in a new session with the caller's settings and the view's current schema.
    * So the caller's current catalog and settings stay unchanged.
    */
  def schema(
      text: String,
      catalog: String,
      namespace: Vector[String],
      configs: Map[String, String],
      isForeign: Boolean,
  ): Either[String, StructType] = {
    val caller = SparkSession.active
    val session = caller.newSession()
    (caller.sessionState.conf.getAllConfs ++ configs)
      .filterNot { case (key, _) => SQLConf.isStaticConfigKey(key) }
      .foreach { case (key, value) => session.sessionState.conf.setConfString(key, value) }
    try {
      val manager = session.sessionState.catalogManager
      manager.setCurrentCatalog(catalog)
      manager.setCurrentNamespace(namespace.toArray)
      SparkSession.setActiveSession(session)
      // During Spark's analysis the thread has the caller's settings, even if another session is
      // active.
      SQLConf.withExistingConf(session.sessionState.conf) {
        val plan = session.sessionState.sqlParser.parsePlan(text)
        def analyzed = session.sessionState.executePlan(plan).analyzed
        if (isForeign) sharedSchema(text, plan, analyzed) else Right(analyzed.schema)
      }
    } catch {
      case ours: DuckLakeException if !isAboutText(ours) => throw ours
      case e: AnalysisException => Left(e.getMessage)
    } finally SparkSession.setActiveSession(caller)
  }

  private def sharedSchema(
      text: String,
      parsed: LogicalPlan,
      analyze: => LogicalPlan,
  ): Either[String, StructType] = {
    def otherwise(doubt: String) =
      s"`$doubt` may mean something else in Spark than in the engine that made the view"
    for {
      _ <- SharedMeaning.doubtIn(parsed, text).map(otherwise).toLeft(())
      analyzed = analyze
      _ <- SharedMeaning.doubtInTypes(analyzed).map(otherwise).toLeft(())
    } yield analyzed.schema
  }

  /** Whether the error is caused by the view's text. Errors of the connection are not: they say
    * nothing about the text.
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
