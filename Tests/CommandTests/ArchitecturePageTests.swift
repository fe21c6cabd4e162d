// docs/architecture.md: the files and folders that it names exist.

import Foundation
import Testing

@Suite("docs/architecture.md")
struct ArchitecturePageTests {
  @Test("each file and folder that the page names exists")
  func paths() throws {
    let page = try Example(in: "docs/architecture.md").text
    let paths = page.matches(of: /`((?:Sources|Tests|docs)\/[^`\s]+)`/).map { String($0.1) }
    #expect(paths.count > 40)
    for path in paths {
      #expect(FileManager.default.fileExists(atPath: "\(packageFolder)/\(path)"), "\(path)")
    }
  }
}
