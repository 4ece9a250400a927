/** Who may import whom: the rooms of jvm/docs/architecture.md as a table that is checked. */
object ImportRules {

  /** The rooms of a module.
    *
    * @param order packages from bottom to top: each imports those before it, never those after. The
    *   packages below one belong to it, but for those with a place of their own
    */
  final case class Rooms(module: String, order: Seq[String]) {
    val root: String = s"ducklake.$module"

    /** The package of the order that holds this package, or what is imported. */
    def roomOf(name: String): Option[String] =
      order.filter(isWithin(name, _)).sortBy(-_.length).headOption

    /** Why a package of the module may not import this; none when it may. */
    def refusal(packageName: String, imported: String): Option[String] =
      for {
        from <- roomOf(packageName)
        to <- roomOf(imported)
        if order.indexOf(to) > order.indexOf(from)
      } yield s"$to stands above $packageName"

    /** Whether the package is one of the module, and no room of the order holds it. */
    def lacks(packageName: String): Boolean =
      isWithin(packageName, root) &&
        !roomOf(packageName).exists(room => room != root || packageName == root)
  }

  private val catalogOrder = Seq(
    "error",
    "types",
    "types.text",
    "types.binary",
    "types.inlined",
    "types.bound",
    "types.cast",
    "types.expression",
    "partition",
    "model",
    "predicate",
    "registration",
    "sql",
    "sql.query",
    "sql.write",
    "change.schema",
    "change.statistics",
    "option",
    "change.conflict",
    "change.operation",
    "change.plan",
    "change.statement",
    "listing",
    "staged",
    "jdbc",
    "jdbc.address",
    "jdbc.web",
    "jdbc.engine",
    "cache",
    "pruning",
    "path",
    "read.snapshot",
    "read.schema",
    "read.inlined",
    "read.file",
    "read.flush",
    "read.feed",
    "read",
    "commit.transaction",
    "commit.migration",
    "commit.check",
    "commit.expiry",
    "commit",
  ).map("ducklake.catalog." + _) :+ "ducklake.catalog"

  private val filesOrder = Seq(
    "crypto",
    "store",
    "io",
    "path",
    "parquet",
    "delete",
    "copy.plan",
    "copy",
    "foreign",
  ).map("ducklake.files." + _)

  private val sparkOrder = Seq(
    "errors",
    "sparkapi",
    "types",
    "predicate",
    "config",
    "job",
    "parquet.write",
    "parquet.filter",
    "parquet.vector",
    "parquet.rowgroup",
    "parquet.read",
    "partitioning",
    "session",
    "read",
    "changes",
    "delete",
    "write",
    "streaming",
    "rowlevel",
    "maintenance.rows",
    "maintenance",
    "transaction",
    "definition",
    "metadata",
    "table",
    "ddl",
    "moving",
    "procedures",
    "extension",
  ).map("ducklake.spark." + _) :+ "ducklake.spark"

  /** The modules that have rooms. */
  val modules: Seq[Rooms] =
    Seq(Rooms("catalog", catalogOrder), Rooms("files", filesOrder), Rooms("spark", sparkOrder))

  /** What a module offers to the modules above it: packages, each without the packages below it,
    * and single classes of others.
    */
  private val offered: Map[String, Seq[String]] = Map(
    "ducklake.catalog" -> Seq(
      "error",
      "types",
      "types.text",
      "types.binary",
      "types.inlined",
      "types.cast",
      "types.expression",
      "partition",
      "model",
      "predicate",
      "pruning",
      "registration",
      "option",
      "change.schema",
      "change.statistics",
      "change.conflict",
      "change.operation",
      "change.plan",
      "listing",
      "staged",
      "path",
      "cache.BoundedCache",
      "commit.Uuid7",
      "jdbc.MinuteTimer",
      "jdbc.address",
      "jdbc.web.HttpAnswers",
      "jdbc.web.HttpBody",
      "sql.FormatVersion",
    ),
    "ducklake.files" -> Seq(
      "io",
      "path",
      "store",
      "parquet",
      "delete",
      "copy",
      "copy.plan",
      "foreign",
      "crypto.EncryptedFile",
      "crypto.EncryptingFile",
    ),
  ).map { case (module, offers) => module -> (module +: offers.map(module + "." + _)) }

  /** What one package of `spark` gets besides, because it parses the settings of the database. */
  private val offeredToConfig: Seq[String] =
    Seq("jdbc", "jdbc.web", "commit.transaction").map("ducklake.catalog." + _)

  /** No IO, no clock, no state: `null`, casts and fields that change are banned here. */
  private val purePackages = Seq(
    "error",
    "types",
    "partition",
    "model",
    "predicate",
    "registration",
    "sql",
    "change",
    "option",
    "listing",
    "staged",
  ).map("ducklake.catalog." + _)

  /** What Scala lets only Spark's own packages name, though it is public in byte code. */
  private val insideSpark = "org.apache.spark.sql.execution.ducklake"

  /** The only packages that see what Spark does not publish. */
  private val sparkInternalPackages =
    Seq("sparkapi", "parquet", "extension", "errors").map("ducklake.spark." + _) :+ insideSpark

  private val sparkInternals =
    Seq("catalyst", "execution", "internal").map("org.apache.spark.sql." + _ + ".")

  /** Row data as every V2 connector handles it. */
  private val sparkRowData = Seq(
    "catalyst.InternalRow",
    "catalyst.expressions.GenericInternalRow",
    "catalyst.expressions.UnsafeRow",
    "catalyst.util.ArrayData",
    "catalyst.util.MapData",
    "catalyst.util.GenericArrayData",
    "catalyst.util.ArrayBasedMapData",
  ).map("org.apache.spark.sql." + _)

  /** Prefixes that may be imported in these packages (and those below them) alone. */
  private val fenced: Seq[(String, Seq[String])] = Seq(
    "java.sql." -> Seq("ducklake.catalog.jdbc"),
    "javax.sql." -> Seq("ducklake.catalog.jdbc"),
    "org.apache.commons.pool2." -> Seq("ducklake.catalog.jdbc"),
    "org.sqlite." -> Seq("ducklake.catalog.jdbc"),
    "org.postgresql." -> Seq("ducklake.catalog.jdbc"),
    "org.duckdb." -> Seq("ducklake.catalog.jdbc"),
    "org.apache.spark." -> Seq("ducklake.spark", insideSpark),
    "org.apache." -> Seq("ducklake.files", "ducklake.spark", insideSpark),
    "ducklake.spark." -> Seq("ducklake.spark"),
    "ducklake.files." -> Seq("ducklake.files", "ducklake.spark"),
  )

  def isPure(packageName: String): Boolean = purePackages.exists(isWithin(packageName, _))

  /** Why this import is not allowed in this package; none when it is. */
  def refusal(packageName: String, imported: String): Option[String] =
    fenceRefusal(packageName, imported)
      .orElse(orderRefusal(packageName, imported))
      .orElse(offerRefusal(packageName, imported))
      .orElse(internalsRefusal(packageName, imported))
      .orElse(wildcardRefusal(imported))

  private def isWithin(packageName: String, parent: String): Boolean =
    packageName == parent || packageName.startsWith(parent + ".")

  /** The longest prefix decides. */
  private def fenceRefusal(packageName: String, imported: String): Option[String] = {
    val matching = fenced.filter { case (prefix, _) => imported.startsWith(prefix) }
    matching.sortBy { case (prefix, _) => -prefix.length }.headOption.collect {
      case (prefix, homes) if !homes.exists(isWithin(packageName, _)) =>
        s"$prefix belongs to ${homes.mkString(", ")}"
    }
  }

  private def offerRefusal(packageName: String, imported: String): Option[String] =
    for {
      (module, offers) <- offered.find { case (module, _) => isWithin(imported, module) }
      if !isWithin(packageName, module)
      (packages, classes) = imported.split('.').span(_.head.isLower)
      holder = packages.mkString(".")
      named = Seq(holder) ++ classes.headOption.map(holder + "." + _)
      if !named.exists(offers.contains)
      if packageName != "ducklake.spark.config" || !offeredToConfig.contains(holder)
    } yield s"$module does not offer it"

  private def orderRefusal(packageName: String, imported: String): Option[String] =
    modules.flatMap(_.refusal(packageName, imported)).headOption

  /** Why no file may be of this package; none when one may. */
  def homeless(packageName: String): Option[String] =
    modules
      .find(_.lacks(packageName))
      .map(_ => s"the package $packageName has no place in the order")

  private def internalsRefusal(packageName: String, imported: String): Option[String] = {
    val isInternal = sparkInternals.exists(imported.startsWith)
    val isAllowed = sparkRowData.contains(imported) || isAnalysisException(imported) ||
      sparkInternalPackages.exists(isWithin(packageName, _))
    if (isInternal && !isAllowed)
      Some("Spark's internals are for " + sparkInternalPackages.mkString(", "))
    else None
  }

  /** What Spark's catalog interfaces declare that their methods throw. */
  private def isAnalysisException(imported: String): Boolean =
    imported.startsWith("org.apache.spark.sql.catalyst.analysis.") && imported.endsWith("Exception")

  private val wholePackages =
    Seq("org.apache.spark.sql.types", "org.apache.spark.sql.connector.catalog")

  /** The members of an object may be imported all at once, those of a package may not. */
  private def wildcardRefusal(imported: String): Option[String] = {
    val parent = imported.split('.').dropRight(1)
    val isWildcard = imported.endsWith(".*") || imported.endsWith("._")
    val isPackage = parent.lastOption.exists(_.head.isLower)
    if (isWildcard && isPackage && !wholePackages.contains(parent.mkString(".")))
      Some("a package is not imported whole")
    else None
  }
}
