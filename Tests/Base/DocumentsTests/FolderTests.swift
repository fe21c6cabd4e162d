// Folders that are made for files.

import Documents
import Glibc
import Testing

@Suite("Folder")
struct FolderTests {
  @Test(
    "a folder that exists is not made, nor is that of a file in the root, which has no name",
    arguments: [("", nil), ("/", nil), ("/etc", nil), ("/etc/passwd/a/b", ENOTDIR)]
  )
  func make(path: String, number: Int32?) {
    #expect(Folder.make(path) == number)
  }
}
