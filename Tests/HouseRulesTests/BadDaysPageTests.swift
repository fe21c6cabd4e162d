// The page of bad days names tests that there are, and every test of that folder.

import Foundation
import Testing

@Suite("The page of bad days")
struct BadDaysPageTests {
  /// A file of tests, or the lab, with the sentence of one of its tests.
  private struct Reference: Hashable {
    let place: String
    let sentence: String
  }

  private let project = ProjectFolder()

  /// `` `SomeTests` "a sentence", "another" `` and `lab "a sentence"`, in order.
  private func references(in page: String) throws -> [Reference] {
    let pattern = /`(\w+Tests)`|\blab (?=")|"([^"\n]+)"|[;|]/
    var place: String?
    var found: [Reference] = []
    for match in page.matches(of: pattern) {
      if let file = match.1 {
        place = String(file)
      } else if let sentence = match.2 {
        if let place { found.append(Reference(place: place, sentence: String(sentence))) }
      } else {
        place = match.0.hasPrefix("lab") ? "lab" : nil
      }
    }
    return found
  }

  /// The sentences of the tests of a file: the first string of each attribute.
  private func sentences(of file: SourceFile) -> [String] {
    file.text.matches(of: /@Test\(\s*"([^"\n]+)"/).map { String($0.1) }
  }

  @Test(
    "each test and each case of the lab that it, or the list of faults, names is there",
    arguments: [("docs/bad-days.md", 80, 20), ("Simulators/README.md", 4, -1)]
  )
  func exist(_ name: String, most: Int, mostOfLab: Int) throws {
    let page = try project.file(name).text
    let named = try references(in: page)
    let tests = try project.files(kinds: ["swift"]).filter(\.isInTests)
    let lab = try project.file("Tests/Lab/chains").text
    for reference in named {
      if reference.place == "lab" {
        #expect(lab.contains("(\"\(reference.sentence)\""), "the lab has no \(reference.sentence)")
        continue
      }
      // Two targets may have a file of the same name.
      let files = tests.filter { $0.name == "\(reference.place).swift" }
      let all = files.flatMap { sentences(of: $0) }
      #expect(all.contains(reference.sentence), "\(reference.place): \(reference.sentence)")
    }
    // A page that cannot be read would pass otherwise.
    #expect(named.count > most)
    #expect(named.count { $0.place == "lab" } > mostOfLab)
  }

  @Test("each test of a bad day or a pain is on it, and so is each of the 27 pains")
  func complete() throws {
    let page = try project.file("docs/bad-days.md").text
    let named = Set(try references(in: page))
    let files = try project.files(kinds: ["swift"])
      .filter { $0.path.hasPrefix("Tests/SimulationTests/BadDays/") }
    let own = files.flatMap { file in
      sentences(of: file).map {
        Reference(place: String(file.name.dropLast(".swift".count)), sentence: $0)
      }
    }
    #expect(own.count > 40)
    for reference in own {
      #expect(named.contains(reference), "\(reference.place): \(reference.sentence)")
    }
    for number in 1...27 { #expect(page.contains("\n| \(number) | "), "pain \(number)") }
  }

  @Test("each bad day of the lab is on it")
  func lab() throws {
    let page = try project.file("docs/bad-days.md").text
    let lab = try project.file("Tests/Lab/chains").text
    let cases = lab.matches(of: /@case\("(bad day: [^"\n]+)"/).map { String($0.1) }
    #expect(cases.count > 10)
    for sentence in cases { #expect(page.contains("\"\(sentence)\""), "\(sentence)") }
  }
}
