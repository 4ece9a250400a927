package ducklake.files.path

/** Decides which files lie below a folder, for all spellings of their paths: with `..`, with
  * symbolic links of local folders, with or without Azure's storage account.
  *
  * @param folder in DuckDB's spelling, ending in a separator
  */
final class PlacesBelow(folder: String) {
  private val places = FilePlace.remembering()
  private val own = s"${places.of(folder + PlacesBelow.AnyFile).stripSuffix(PlacesBelow.AnyFile)}"
  private val ownWithoutAccount = FilePlace.withoutAccount(own)

  /** @param path in DuckDB's spelling */
  def has(path: String): Boolean = {
    val place = places.of(path)
    def other = FilePlace.withoutAccount(place)
    place.startsWith(own) || other.exists(_.startsWith(own)) ||
    ownWithoutAccount.exists(place.startsWith)
  }
}

private object PlacesBelow {
  private val AnyFile = "file"
}
