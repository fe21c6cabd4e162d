// The code of the tutorials is what Tests/TutorialTests compiles and runs.
//
// With UPDATE_GENERATED=1 the files there are written from the pages.

import Foundation
import Testing

@Suite("docs/tutorials")
struct TutorialPageTests {
  private static let folder = "docs/tutorials/"
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil
  private let project = ProjectFolder()

  /// The pages, in the order in which they are read: each leads to the next.
  static let pages = [
    "first-chain", "notifications", "several-devices", "testing-your-app", "writing-an-operator",
  ]

  /// The file with the code of a page: `FirstChain.swift` for `first-chain`.
  private func file(of page: String) -> String {
    "Tests/TutorialTests/\(page.split(separator: "-").map(\.capitalized).joined()).swift"
  }

  @Test("the code of a page is a file that is compiled and run", arguments: pages)
  func code(page: String) throws {
    let code = try PageCode(of: Self.folder + page + ".md").blocks("swift")
      .joined(separator: "\n")
    let file = file(of: page)
    if Self.isUpdating {
      try code.write(to: project.url.appending(path: file), atomically: true, encoding: .utf8)
    } else {
      #expect(try project.file(file).text == code, "UPDATE_GENERATED=1 writes it")
    }
  }

  @Test("there is no other page and no other file, and the overview lists the pages")
  func complete() throws {
    let names = try FileManager.default
      .contentsOfDirectory(atPath: project.url.appending(path: Self.folder).path)
    #expect(names.sorted() == Self.pages.map { "\($0).md" })
    let files = try FileManager.default
      .contentsOfDirectory(atPath: project.url.appending(path: "Tests/TutorialTests").path)
    let expected = Self.pages.map(file(of:)).sorted()
    #expect(files.map { "Tests/TutorialTests/\($0)" }.sorted() == expected)
    let overview = try project.file("docs/index.md").text
    for page in Self.pages { #expect(overview.contains("(tutorials/\(page).md)"), "\(page)") }
  }
}
