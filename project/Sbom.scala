import sbt.*
import sbt.Keys.*
import sjsonnew.shaded.scalajson.ast.unsafe.*
import sjsonnew.support.scalajson.unsafe.PrettyPrinter

/** What stands in a jar or a wheel besides our own code, as a software bill of materials in the
  * form of CycloneDX 1.6, which scanners for known vulnerabilities read.
  */
object Sbom {

  val sbom = taskKey[File]("The bill of materials of the bundle")

  /** Where jars have it. */
  val inJars = "META-INF/sbom/"

  /** @param licences names of licences, as the library itself gives them */
  private final case class Component(module: ModuleID, licences: Seq[String], jar: File) {
    val purl = s"pkg:maven/${module.organization}/${module.name}@${module.revision}"
  }

  private def text(value: String): JValue = JString(value)

  private def fields(named: (String, JValue)*): JValue =
    JObject(named.map { case (name, value) => JField(name, value) }.toArray)

  private def list(values: Seq[JValue]): JValue = JArray(values.toArray)

  private def library(component: Component): JValue = {
    val hash = fields(
      "alg" -> text("SHA-256"),
      "content" -> text(
        Hash.toHex(
          java.security.MessageDigest
            .getInstance("SHA-256")
            .digest(IO.readBytes(component.jar))
        )
      ),
    )
    val licences = component.licences.map(name => fields("license" -> fields("name" -> text(name))))
    fields(
      "type" -> text("library"),
      "bom-ref" -> text(component.purl),
      "group" -> text(component.module.organization),
      "name" -> text(component.module.name),
      "version" -> text(component.module.revision),
      "hashes" -> list(Seq(hash)),
      "licenses" -> list(licences),
      "purl" -> text(component.purl),
    )
  }

  /** @param purl what the whole is called in its index of packages */
  private def bom(name: String, version: String, purl: String, parts: Seq[Component]): String = {
    val whole = fields(
      "type" -> text("library"),
      "bom-ref" -> text(purl),
      "name" -> text(name),
      "version" -> text(version),
      "purl" -> text(purl),
    )
    val needed = fields("ref" -> text(purl), "dependsOn" -> list(parts.map(_.purl).map(text)))
    val lines = PrettyPrinter(
      fields(
        "bomFormat" -> text("CycloneDX"),
        "specVersion" -> text("1.6"),
        "version" -> JNumber(1),
        "metadata" -> fields("component" -> whole),
        "components" -> list(parts.map(library)),
        "dependencies" -> list(Seq(needed)),
      )
    )
    s"$lines\n"
  }

  /** The libraries that the bundle takes in, sorted by their names. */
  private def parts(report: UpdateReport, bundled: File => Boolean): Seq[Component] =
    report
      .configuration(ConfigRef("runtime"))
      .toSeq
      .flatMap(_.modules)
      .flatMap(each => each.artifacts.map { case (_, jar) => (each, jar) })
      .collect {
        case (each, jar) if bundled(jar) =>
          Component(each.module, each.licenses.map(_._1), jar)
      }
      .sortBy(_.purl)

  private def written(file: File, content: String): File = {
    if (!file.exists || IO.read(file) != content) IO.write(file, content)
    file
  }

  /** For the bundle of a line: the bill is a file of its jar. */
  val settings: Seq[Setting[?]] = Seq(
    sbom := {
      val found = parts(update.value, Bundle.isBundled)
      val name = s"${moduleName.value}_${scalaBinaryVersion.value}"
      val purl = s"pkg:maven/${organization.value}/$name@${version.value}"
      written(target.value / "sbom" / s"$name.cdx.json", bom(name, version.value, purl, found))
    },
    Compile / resourceGenerators += Def.task {
      val made = (Compile / resourceManaged).value / inJars / sbom.value.getName
      // A file that is written again has another time, and the jar would be assembled again.
      Seq(written(made, IO.read(sbom.value)))
    },
  )

  /** The bill of the wheel: the libraries of the bundle, which all lines share. */
  def ofWheel(report: UpdateReport, version: String, folder: File): File = {
    val purl = s"pkg:pypi/ducklake-spark@$version"
    val content = bom("ducklake-spark", version, purl, parts(report, Bundle.isBundled))
    written(folder / "ducklake-spark.cdx.json", content)
  }
}
