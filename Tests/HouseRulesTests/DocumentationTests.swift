// What is documented: every public symbol of the library products, measured on their symbol graphs.
//
// The pages themselves are made by `make docs`, which fails on a warning: that takes a minute.

import Fixtures
import Foundation
import Testing

@Suite("Documentation")
struct DocumentationTests {
  private let project = ProjectFolder()
  private let build = BuildFolder()

  /// The modules that the library products name.
  private func modules() throws -> [String] {
    let libraries = try PackageDescription(of: project).products.filter(\.isLibrary)
    return Set(libraries.flatMap(\.targets)).sorted()
  }

  @Test("every public symbol of the library products has an abstract")
  func abstracts() throws {
    let folder = try TemporaryFolder()
    let modules = try modules()
    let run = try project.run(["Packaging/symbols", build.url.path, folder.path] + modules)
    #expect(run.status == 0, "\(run.errors)")
    for module in modules {
      let symbols = try SymbolGraph.all(in: folder.path + "/" + module)
      #expect(symbols.count > 20, "\(module)")
      for symbol in symbols where !symbol.hasAbstract {
        Issue.record("\(module): \(symbol)")
      }
    }
  }

  @Test("each module of the library products has a page with an overview and topics, and no other")
  func pages() throws {
    let catalogs = try project.files(in: ["Sources"], kinds: ["md"])
      .filter { $0.path.hasSuffix("\($0.target).docc/\($0.target).md") }
    #expect(catalogs.map(\.target).sorted() == (try modules()))
    for page in catalogs {
      #expect(page.text.hasPrefix("# ``\(page.target)``\n\n"), "\(page.path)")
      for heading in ["## Overview\n", "What is used most", "## Topics\n"] {
        #expect(page.text.contains(heading), "\(page.path): \(heading)")
      }
    }
  }
}

/// The symbols of a module, as the compiler writes them.
private struct SymbolGraph: Decodable {
  let symbols: [Symbol]

  struct Symbol: Decodable, CustomStringConvertible {
    let pathComponents: [String]
    let kind: Kind
    let docComment: Comment?
    let location: Location?

    struct Kind: Decodable { let identifier: String }
    struct Comment: Decodable { let lines: [Line] }
    struct Line: Decodable { let text: String }
    struct Location: Decodable { let uri: String }

    /// A sentence before anything else, for people.
    var hasAbstract: Bool {
      let first = docComment?.lines.first?.text.trimmingCharacters(in: .whitespaces) ?? ""
      return !first.isEmpty && !first.hasPrefix("- ")
    }

    /// The name of its file; empty for a symbol that is not written.
    var file: String { String(location?.uri.split(separator: "/").last ?? "") }

    var description: String { "\(file): \(pathComponents.joined(separator: ".")) has no abstract" }
  }

  /// The symbols of all graphs in a folder: the module's own, and its extensions of others.
  static func all(in folder: String) throws -> [Symbol] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try names.filter { $0.hasSuffix(".symbols.json") }.flatMap { name in
      let data = try Data(contentsOf: URL(filePath: folder).appending(path: name))
      return try JSONDecoder().decode(SymbolGraph.self, from: data).symbols
    }
    .filter { $0.kind.identifier != "swift.extension" }
  }
}
