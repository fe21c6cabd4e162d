// Replacing files.

import Fixtures
import Foundation
import Glibc
import Jobs
import Testing

@testable import Program

@Suite("Replacing a file")
struct FileReplacementTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/a.json" }
  private var beside: String { path + ".new" }

  init() throws {
    folder = try TemporaryFolder()
    _ = try folder.file("a.json", "old")
  }

  private var content: String? { try? String(contentsOfFile: path, encoding: .utf8) }

  @Test("the new file has all bytes and the mode, and no temporary file is left")
  func replaced() throws {
    // More than a pipe or a page holds at once.
    let octets = [UInt8](repeating: 0x61, count: 3_000_000)
    let new = try #require(FileReplacement(of: path, beside: beside, isShared: true))
    #expect(new.put(octets, mode: 0o640, isDurable: true) == nil)
    #expect(content?.utf8.count == octets.count && access(beside, F_OK) != 0)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
  }

  @Test("a failed write keeps the old file and leaves no temporary file")
  func full() throws {
    let new = try #require(FileReplacement(of: path, beside: beside, isShared: false))
    // Writing to a read-only descriptor fails like a full disk.
    let reading = open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(dup2(reading, new.descriptor) == new.descriptor && close(reading) == 0)
    #expect(new.put([0x61], mode: 0o600, isDurable: true) == EBADF)
    #expect(content == "old" && access(beside, F_OK) != 0)
  }

  @Test("the leftover of a killed process is reused, unless another process may be writing it")
  func leftover() throws {
    _ = try folder.file("a.json.new", "half of it, and longer than the new one")
    #expect(FileReplacement(of: path, beside: beside, isShared: true) == nil)
    let new = try #require(FileReplacement(of: path, beside: beside, isShared: false))
    #expect(new.put(Array("new".utf8), mode: 0o600, isDurable: true) == nil)
    #expect(content == "new")
  }
}

@Suite("Files that cannot be created or written")
struct UnwrittenFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a path that cannot be written is rejected with the reason and a hint",
    arguments: [
      ("none/a.yaml", "its folder does not exist. Try: make the folder, or name another one"),
      ("file/a.yaml", "a part of its path is not a folder. Try: use another name"),
      ("folder", "a folder is in its place. Try: use another name"),
      (String(repeating: "a", count: 256), "File name too long. Try: use a shorter name"),
    ]
  )
  func refused(name: String, reason: String) throws {
    _ = try folder.file("file", "")
    mkdir(folder.path + "/folder", 0o700)
    let path = "\(folder.path)/\(name)"
    let whole = #expect(throws: Program.CommandExit.self) { _ = try WholeFile(path) }
    let lines = #expect(throws: Program.CommandExit.self) { _ = try LineFile(path) }
    for ending in [whole, lines] {
      #expect(ending?.status == .output)
      #expect(ending?.messages == ["\(path) cannot be written: \(reason)"])
    }
  }

  @Test("an empty path, such as that of an unset variable, is rejected")
  func unnamed() {
    let ending = #expect(throws: Program.CommandExit.self) { _ = try LineFile("") }
    let reason = "its name is empty. Try: name a file"
    #expect(ending?.messages == ["'' cannot be written: \(reason)"])
  }
}
