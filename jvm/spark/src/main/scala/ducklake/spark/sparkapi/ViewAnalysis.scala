package ducklake.spark.sparkapi

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.DuckLakeException
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Finds out what columns a view's text gives in Spark. */
private[spark] object ViewAnalysis {

  /** The text's columns, or why it does not run.
    *
    * Analysed in a session of its own with the caller's settings, whose current schema is the
    * view's: the caller's current catalog and settings stay as they are.
    */
  def schema(
      text: String,
      catalog: String,
      namespace: String,
      configs: Map[String, String],
  ): Either[String, StructType] = {
    val caller = SparkSession.active
    val session = caller.newSession()
    (caller.sessionState.conf.getAllConfs ++ configs)
      .filterNot { case (key, _) => SQLConf.isStaticConfigKey(key) }
      .foreach { case (key, value) => session.sessionState.conf.setConfString(key, value) }
    try {
      val manager = session.sessionState.catalogManager
      manager.setCurrentCatalog(catalog)
      manager.setCurrentNamespace(Array(namespace))
      SparkSession.setActiveSession(session)
      // Within Spark's analysis the thread has the caller's settings, whatever session is active.
      SQLConf.withExistingConf(session.sessionState.conf) {
        val plan = session.sessionState.sqlParser.parsePlan(text)
        Right(session.sessionState.executePlan(plan).analyzed.schema)
      }
    } catch {
      case ours: DuckLakeException if !isAboutText(ours) => throw ours
      case e: AnalysisException => Left(e.getMessage)
    } finally SparkSession.setActiveSession(caller)
  }

  /** A lake that does not answer says nothing about the text of a view. */
  private def isAboutText(failure: DuckLakeException): Boolean =
    failure.error match {
      case _: LakeError.ConnectionFailed | _: LakeError.CatalogBusy |
          _: LakeError.CatalogQueryFailed | _: LakeError.NotADatabase =>
        false
      case _ => true
    }
}
