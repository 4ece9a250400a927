addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5.6")
addSbtPlugin("com.eed3si9n" % "sbt-assembly" % "2.3.1")
libraryDependencies += "org.ow2.asm" % "asm" % "9.8"
