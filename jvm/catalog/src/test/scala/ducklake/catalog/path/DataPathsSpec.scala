package ducklake.catalog.path

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** A lake whose data path is `lake/`, and two folders that it can be relative to. */
class DataPathsSpec extends AnyFunSuite {

  private val listed = Vector("lake/main/t/1.parquet", "lake/main/t/2.parquet")

  /** The folder of the catalog and the working folder. */
  private final class Folders {
    private val root = Files.createTempDirectory("relative")
    val catalog: Path = Files.createDirectory(root.resolve("catalog"))
    val working: Path = Files.createDirectory(root.resolve("working"))

    def put(folder: Path, file: String): Unit = {
      Files.createDirectories(folder.resolve(file).getParent)
      Files.createFile(folder.resolve(file)): Unit
    }

    def paths(files: Vector[String], wanted: Option[String] = None): DataPaths =
      new DataPaths(wanted, overrides = false, Vector(catalog, working), _ => files)
  }

  private def refusal(body: => DataFolder): LakeError = intercept[LakeException](body).error

  test("the folder is the one with the files") {
    Seq[Folders => Path](_.catalog, _.working).foreach { chosen =>
      val folders = new Folders
      folders.put(chosen(folders), listed(1))

      assert(
        folders.paths(listed).inForce("lake/") == DataFolder(s"${chosen(folders)}/lake/", None)
      )
    }
  }

  test("files in both folders are an error that names both") {
    val folders = new Folders
    folders.put(folders.catalog, listed(0))
    folders.put(folders.working, listed(1))

    val error = refusal(folders.paths(listed).inForce("lake/"))

    assert(error.condition == "DUCKLAKE_INVALID_SETTING")
    Seq(folders.catalog, folders.working).foreach { folder =>
      assert(error.message.contains(s"$folder/lake/"))
    }
  }

  test("two names of one folder are no contradiction") {
    val folders = new Folders
    folders.put(folders.catalog, listed(0))
    Files.createSymbolicLink(
      folders.working.resolve("lake"),
      folders.catalog.resolve("lake"),
    ): Unit

    assert(folders.paths(listed).inForce("lake/") == DataFolder(s"${folders.catalog}/lake/", None))
  }

  test("files in neither folder leave a doubt that names both") {
    val folders = new Folders

    val found = folders.paths(listed).inForce("lake/")

    assert(found.path == s"${folders.catalog}/lake/")
    val doubt = found.doubt.fold("")(_.message)
    assert(doubt.contains(s"are not in ${folders.catalog}/lake/ nor in ${folders.working}/lake/"))
  }

  test("without files the folder is the one that is there, else that of the catalog") {
    val folders = new Folders
    def paths = folders.paths(Vector.empty)
    assert(paths.inForce("lake/") == DataFolder(s"${folders.catalog}/lake/", None))

    Files.createDirectory(folders.working.resolve("lake")): Unit
    assert(paths.inForce("lake/") == DataFolder(s"${folders.working}/lake/", None))

    Files.createDirectory(folders.catalog.resolve("lake")): Unit
    assert(paths.inForce("lake/").doubt.exists(_.message.contains("there are the folders")))
  }

  test("a setting with the same text agrees, and an absolute one chooses") {
    val folders = new Folders
    folders.put(folders.catalog, listed(0))
    def inForce(wanted: String) = folders.paths(listed, Some(wanted)).inForce("lake/")

    assert(inForce("lake").path == s"${folders.catalog}/lake/")
    assert(inForce(s"${folders.catalog}/lake").path == s"${folders.catalog}/lake/")
    Seq(s"${folders.working}/lake", s"${folders.catalog}/other").foreach { wanted =>
      assert(refusal(inForce(wanted)).condition == "DUCKLAKE_INVALID_SETTING")
    }
  }

  test("what was decided by a file is not asked again") {
    val folders = new Folders
    folders.put(folders.catalog, listed(0))
    var questions = 0
    val counting = new DataPaths(
      None,
      overrides = false,
      Vector(folders.catalog, folders.working),
      { _ =>
        questions += 1
        listed
      },
    )

    assert(Seq.fill(3)(counting.inForce("lake/")).distinct.size == 1)
    assert(questions == 1)
  }

  test("absolute paths and paths of stores are never searched") {
    val paths = new DataPaths(None, overrides = false, Vector.empty, _ => fail("a question"))

    assert(
      Seq("/lake", "s3://bucket/lake/").map(paths.inForce(_).path) ==
        Seq("/lake/", "s3://bucket/lake/")
    )
  }
}
