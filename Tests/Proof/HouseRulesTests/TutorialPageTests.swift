// The code of the tutorials is what Tests/Simulator/TutorialTests compiles and runs.
//
// With UPDATE_GENERATED=1 the files there are written from the pages.

import Foundation
import Testing

@Suite("docs/tutorials")
struct TutorialPageTests {
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil

  @Test("the Swift code of each page is a file that is compiled and run")
  func code() throws {
    let project = ProjectFolder()
    let pages = project.files(in: "docs/tutorials", kind: "md")
    #expect(!pages.isEmpty)
    for page in pages {
      let code = try PageCode(of: page).blocks("swift").joined(separator: "\n")
      // FirstChain.swift for first-chain.md.
      let words = page.dropFirst("docs/tutorials/".count).dropLast(".md".count).split(
        separator: "-"
      )
      let file = "Tests/Simulator/TutorialTests/\(words.map(\.capitalized).joined()).swift"
      if Self.isUpdating {
        try code.write(to: project.url.appending(path: file), atomically: true, encoding: .utf8)
      } else {
        #expect(try project.text(file) == code, "\(page): UPDATE_GENERATED=1 writes the file")
      }
    }
  }
}
