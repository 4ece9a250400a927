import sbt.*
import sbt.Keys.*

/** A Kafka broker with Debezium's connector for PostgreSQL, and what Spark needs to read its topics:
  * for the tests of change data, in `verifyAll`.
  */
object ChangeDataJars {

  val changeDataJars = taskKey[File]("Kafka with Debezium, and Spark's source of Kafka")

  private val broker = Seq(
    "org.apache.kafka" % "kafka_2.13" % Versions.kafka,
    "org.apache.kafka" % "connect-runtime" % Versions.kafka,
    "org.apache.kafka" % "connect-json" % Versions.kafka,
    "io.debezium" % "debezium-connector-postgres" % Versions.debezium,
    "org.slf4j" % "slf4j-simple" % Versions.slf4j,
  )

  /** Spark has what these need. */
  private val source = Seq(
    "org.apache.spark" % "spark-sql-kafka-0-10_2.13" % Versions.spark,
    "org.apache.spark" % "spark-token-provider-kafka-0-10_2.13" % Versions.spark,
    "org.apache.kafka" % "kafka-clients" % Versions.kafkaOfSpark,
    "org.apache.commons" % "commons-pool2" % Versions.commonsPool,
  ).map(_.intransitive())

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    changeDataJars := {
      val folder = target.value / "changedata"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      PythonEnv.remake(folder, (broker ++ source).mkString(" ")) {
        Seq("broker" -> broker, "spark" -> source).foreach { case (name, modules) =>
          Resolving
            .jars(resolution, modules, log)
            .foreach(jar => IO.copyFile(jar, folder / name / jar.getName))
        }
      }
      folder
    }
  )
}
