ThisBuild / organization := "io.github.ducklake-spark"
ThisBuild / version := Metadata.version((LocalRootProject / baseDirectory).value)
ThisBuild / scalaVersion := Versions.scala
Global / onLoadMessage := ""
Global / excludeLintKeys += cleanKeepGlobs
Global / concurrentRestrictions := Seq(
  Tags.limitAll(EvaluateTask.SystemProcessors),
  Tags.limit(Tags.ForkedTestGroup, 2), // ScalaTest of two modules at once
  Tags.exclusiveGroup(Tags.Clean),
)

lazy val strict = Seq(
  "-Werror",
  "-Xlint",
  "-Wunused",
  "-Wdead-code",
  "-Wvalue-discard",
  "-Wnonunit-statement",
  "-Wnumeric-widen",
  "-Wunnamed-boolean-literal",
  "-deprecation",
  "-feature",
  "-unchecked",
  "-release",
  "17",
  "-Xsource:3",
  "-encoding",
  "utf8",
)

/** What Spark's own launcher opens on JDK 17; tests that start a session need it too. */
lazy val sparkJavaOptions = Seq(
  "java.base/java.lang",
  "java.base/java.lang.invoke",
  "java.base/java.lang.reflect",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/jdk.internal.ref",
  "java.base/sun.nio.ch",
  "java.base/sun.nio.cs",
  "java.base/sun.security.action",
  "java.base/sun.util.calendar",
).map(name => s"--add-opens=$name=ALL-UNNAMED") :+ "-Djdk.reflect.useDirectMethodHandle=false"

lazy val common = Seq(
  scalacOptions ++= strict,
  Compile / doc / sources := Nil,
  publish / skip := true, // but for the bundle
  libraryDependencies += "org.scalatest" %% "scalatest" % Versions.scalaTest % Test,
  Test / scalacOptions -= "-Wnonunit-statement", // an assertion is a statement with a value
  Test / fork := true,
  Test / javaOptions ++= sparkJavaOptions :+ "-Xmx2g",
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
)

lazy val drivers = Seq(
  "org.xerial" % "sqlite-jdbc" % Versions.sqliteJdbc,
  "org.postgresql" % "postgresql" % Versions.postgresJdbc,
  "org.duckdb" % "duckdb_jdbc" % Versions.duckdbJdbc,
)

lazy val catalog = project
  .in(file("jvm/catalog"))
  .settings(common)
  .settings(
    name := "ducklake-catalog",
    libraryDependencies ++= Seq(
      "org.slf4j" % "slf4j-api" % Versions.slf4j % Provided,
      "org.apache.commons" % "commons-pool2" % Versions.commonsPool,
      "org.slf4j" % "slf4j-nop" % Versions.slf4j % Test,
    ) ++ drivers.map(_ % "provided,test"),
  )

lazy val files = SparkLines
  .files(SparkLines.spark42)
  .dependsOn(catalog % "compile->compile;test->test")
  .settings(common)

lazy val sparkModule = SparkLines
  .spark(SparkLines.spark42)
  .dependsOn(files % "compile->compile;test->test")
  .settings(common)
  .settings(
    libraryDependencies ++= drivers.map(_ % Test),
    dependencyOverrides += "org.duckdb" % "duckdb_jdbc" % Versions.duckdbPeer,
  )

lazy val bundle = SparkLines
  .bundle(SparkLines.spark42)
  .dependsOn(sparkModule)
  .settings(common)
  .settings(Bundle.settings(SparkLines.spark42), BundleCheck.settings)
  .settings(Sbom.settings)
  .settings(LinkCheck.settings(SparkLines.spark42), WheelJars.settings(SparkLines.spark42))
  .settings(Publishing.settings(catalog, files, sparkModule))

lazy val spark41 = SparkLines
  .spark(SparkLines.spark41)
  .dependsOn(files)
  .settings(common, SparkLines.withoutTests)

lazy val bundle41 = SparkLines
  .bundle(SparkLines.spark41)
  .dependsOn(spark41)
  .settings(common)
  .settings(Bundle.settings(SparkLines.spark41), BundleCheck.settings)
  .settings(Sbom.settings)
  .settings(LinkCheck.settings(SparkLines.spark41), WheelJars.settings(SparkLines.spark41))
  .settings(Publishing.settings(catalog, files, spark41))

lazy val files40 = SparkLines
  .files(SparkLines.spark40)
  .dependsOn(catalog)
  .settings(common, SparkLines.withoutTests)

lazy val spark40 = SparkLines
  .spark(SparkLines.spark40)
  .dependsOn(files40)
  .settings(common, SparkLines.withoutTests)

lazy val bundle40 = SparkLines
  .bundle(SparkLines.spark40)
  .dependsOn(spark40)
  .settings(common)
  .settings(Bundle.settings(SparkLines.spark40), BundleCheck.settings)
  .settings(Sbom.settings)
  .settings(LinkCheck.settings(SparkLines.spark40), WheelJars.settings(SparkLines.spark40))
  .settings(Publishing.settings(catalog, files40, spark40))

lazy val root = project
  .in(file("."))
  .aggregate(catalog, files, sparkModule, bundle, spark41, bundle41, files40, spark40, bundle40)
  .settings(Verify.settings, ToolJars.settings, Wheel.settings(bundle), StoreJars.settings)
  .settings(MovingJars.settings, ChangeDataJars.settings, FuzzTexts.settings)
  .settings(Publishing.all, LinkCheck.platforms)
  .settings(
    name := "ducklake-spark-root",
    publish / skip := true,
    cleanKeepGlobs ++= PythonEnv.kept(target.value),
  )
