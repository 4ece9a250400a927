package ducklake.spark.filters

import ducklake.catalog.types.LakeType
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.testkit.DuckDbFiles
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** No file or row group is left out that holds a matching row, and none is taken whole that holds
  * another one: whatever the type of the file, the type of the column today, and the literal. What
  * matches is decided by Spark's own evaluation of the filter on the values that are read.
  */
class FiltersOfFilesSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val duckDb = new DuckDbFiles

  override protected def afterAll(): Unit = duckDb.close()

  private val randomQuestions = 40

  private def places(about: FilteredColumn, random: Random): Vector[Vector[Int]] = {
    val every = (0 to about.values.size).toVector
    every.map(Vector(_)) ++ Vector.fill(3)(random.shuffle(every).take(random.between(2, 4)))
  }

  FilteredColumn.all.foreach { about =>
    test(s"${about.stored} as ${about.now}") {
      val random = new Random(7)
      val files = new FilteredFiles(about, places(about, random), duckDb)
      try {
        val literals = (files.values.filter(_ != null) ++ about.literals).distinct
        val leaves = Question.leaves(files.dataType, literals)
        val nested = Vector.fill(randomQuestions)(Question.nested(leaves, random))
        val answer = (leaves ++ nested).count(check(files, _))
        assert(answer > fewest(about.now, leaves.size), s"only $answer filters are used")
      } finally files.close()
    }
  }

  /** Filters that have to be used at the least. Values that Spark reads in another form than the
    * files hold are asked for NULL alone, UUIDs for equality besides.
    */
  private def fewest(now: LakeType, leaves: Int): Int =
    now match {
      case LakeType.TimestampNs | LakeType.Time | LakeType.TimeTz | LakeType.Interval |
          LakeType.Blob =>
        1
      case LakeType.Uuid => 2
      case _ => leaves / 4
    }

  /** Whether the filter was translated. */
  private def check(files: FilteredFiles, question: Question): Boolean = {
    val predicates = new SparkPredicates(Vector(files.column))
    val translated = predicates.translate(question.asked)
    val answers = files.values.map(value => value -> question.isTrue(value)).toMap
    def matching(file: Int) = files.valuesOf(file).filter(answers)
    translated.foreach { predicate =>
      val kept = Vector[(String, Int => Boolean)](
        "Parquet" -> files.isKeptByParquet(predicate),
        "statistics" -> files.keptByStatistics(predicate),
        "buckets" -> files.keptByBucket(predicate),
      )
      for (file <- files.indices if matching(file).nonEmpty; (by, isKept) <- kept)
        assert(isKept(file), s"$by: ${question.asked} drops ${matching(file)}")
    }
    predicates.exact(question.asked).foreach { predicate =>
      for (file <- files.whole(predicate))
        assert(files.valuesOf(file).forall(answers), s"${question.asked} is not all of $file")
    }
    translated.nonEmpty
  }
}
