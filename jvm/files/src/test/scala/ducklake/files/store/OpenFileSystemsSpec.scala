package ducklake.files.store

import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.TimeUnit

/** Which file systems stay open. */
class OpenFileSystemsSpec extends AnyFunSuite {

  private final class Place {
    var hours = 0L
    private val open = new OpenFileSystems[Int](() => TimeUnit.HOURS.toNanos(hours))

    def ask(key: Int): StandInFileSystem =
      open.of(key) {
        val made = new StandInFileSystem
        made.isOpen = true
        made
      } match {
        case found: StandInFileSystem => found
        case other => fail(other.toString)
      }
  }

  test("few file systems stay open, however long nobody asks for them") {
    val place = new Place
    val all = (1 to 64).map(place.ask)
    place.hours = 1000

    assert(place.ask(1) eq all.head)
    assert(all.forall(_.isOpen))
  }

  test("of more those are closed that nobody has asked for in half a day, the oldest first") {
    val place = new Place
    val all = (1 to 66).map(place.ask)
    place.hours = 11
    val used = place.ask(1)
    place.hours = 12
    val last = place.ask(67)

    assert(used.isOpen && last.isOpen)
    assert(all.filterNot(_.isOpen) == Vector(all(1), all(2), all(3)))
    assert(place.ask(2).isOpen)
  }

  test("more than that are open while all are in use, up to 512") {
    val place = new Place
    val all = (1 to 512).map(place.ask)
    assert(all.forall(_.isOpen))

    val used = place.ask(1)
    val last = place.ask(513)
    assert(used.isOpen && last.isOpen)
    assert(all.filterNot(_.isOpen) == Vector(all(1)))
  }
}
