package ducklake.files.crypto

import java.io.IOException

/** An encrypted file that cannot be read. The messages never have bytes of a key. */
sealed abstract class EncryptionFailure(val why: String) extends IOException(why)

object EncryptionFailure {

  /** The file differs from the file that was written with this key. */
  final class Damaged(why: String) extends EncryptionFailure(why)

  /** The file is encrypted in a way that lakes do not use. */
  final class Unsupported(why: String) extends EncryptionFailure(why)

  /** A module that does not match its key and its place. */
  private[files] def changed(what: String): Damaged =
    new Damaged(s"$what cannot be decrypted: its bytes were changed, or its key is another one")
}
