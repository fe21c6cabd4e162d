// The package's own description of its targets and products, from `swift package dump-package`.

import Fixtures
import Foundation

/// The part of Package.swift that the rules need.
struct PackageDescription: Decodable, Sendable {
  let products: [Product]
  let targets: [Target]

  struct Product: Decodable, Sendable {
    let name: String
    let targets: [String]
    let type: [String: [String]?]

    var isLibrary: Bool { type.keys.contains("library") }
  }

  struct Target: Decodable, Sendable {
    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]

    /// Everything it names, targets and products of other packages alike.
    var dependencyNames: [String] { dependencies.map(\.name) }
  }

  struct Dependency: Decodable, Sendable {
    let name: String

    /// `{ "byName": ["Signals", null] }` or `{ "product": ["Yams", "Yams", null, null] }`.
    init(from decoder: any Decoder) throws {
      let cases = try [String: [Element?]](from: decoder)
      guard case .name(let name)?? = cases.values.first?.first else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "a dependency without a name")
        )
      }
      self.name = name
    }
  }

  private enum Element: Decodable {
    case name(String)
    case other

    init(from decoder: any Decoder) throws {
      self = (try? String(from: decoder)).map(Element.name) ?? .other
    }
  }

  func target(_ name: String) -> Target? { targets.first { $0.name == name } }

  /// The targets of this package that a product is made of, with all they depend on.
  func closure(of product: Product) -> [String] { closure(of: product.targets) }

  /// The products of other packages that a product needs.
  func packages(of product: Product) -> [String] {
    let named = closure(of: product).flatMap { target($0)?.dependencyNames ?? [] }
    return Set(named).filter { target($0) == nil }.sorted()
  }

  /// These targets with all they depend on.
  func closure(of targets: [String]) -> [String] {
    var reached: [String] = []
    var open = targets
    while let name = open.popLast() {
      guard !reached.contains(name), let target = target(name) else { continue }
      reached.append(name)
      open += target.dependencyNames
    }
    return reached.sorted()
  }
}

extension PackageDescription {
  init(of project: ProjectFolder) throws { try self.init(in: project.url) }

  /// Asks SwiftPM, which keeps its notes in a folder of their own: the project's is in use.
  ///
  /// - Parameter folder: That of the package.
  init(in folder: URL) throws {
    let scratch = FileManager.default.temporaryDirectory
      .appending(path: "house-rules-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let dump = try ProjectFolder().run([
      "swift", "package", "--package-path", folder.path, "--scratch-path", scratch.path,
      "dump-package",
    ])
    let json = Data(dump.output.utf8)
    self = try JSONDecoder().decode(PackageDescription.self, from: json)
  }
}
