// Creating the folder of a file.

import Documents
import Glibc
import Testing

@Suite("Folder")
struct FolderTests {
  @Test(
    "make does nothing for an existing folder or an empty path",
    arguments: [("", nil), ("/", nil), ("/etc", nil), ("/etc/passwd/a/b", ENOTDIR)]
  )
  func make(path: String, number: Int32?) {
    #expect(Folder.make(path) == number)
  }
}
