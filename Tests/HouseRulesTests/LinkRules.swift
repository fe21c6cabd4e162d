// Who may link libbluetooth: the executable alone, because that library is under the GPL.
//
// Read from the package's description, and from what was really built.

import Foundation

enum LinkRules {
  static let library = "-lbluetooth"
  /// Its name in an executable that needs it.
  static let file = "libbluetooth.so"

  /// No library product reaches a part that is for the executable only.
  static func check(
    _ package: PackageDescription,
    executableOnly: [String] = Architecture.executableOnly
  ) -> [Finding] {
    package.products.filter(\.isLibrary).flatMap { product in
      package.closure(of: product).filter(executableOnly.contains).map {
        package.finding("the library \(product.name) reaches \($0)")
      }
    }
  }

  /// No target of a library product was compiled to link it.
  static func check(_ package: PackageDescription, built: BuildFolder) throws -> [Finding] {
    var findings: [Finding] = []
    for product in package.products where product.isLibrary {
      for target in package.closure(of: product)
      where try built.objects(of: target).contains(where: { try built.asks($0, for: library) }) {
        findings.append(
          package.finding("\(target) in the library \(product.name) links \(library)")
        )
      }
    }
    return findings + (try checkExecutables(package, built))
  }

  /// What the linker made of it: of the executables that were built, only those that may need it.
  private static func checkExecutables(
    _ package: PackageDescription,
    _ built: BuildFolder
  ) throws -> [Finding] {
    try package.targets.filter { $0.type == "executable" }.compactMap { target in
      guard let needs = try built.needs(target.name, file) else { return nil }
      let isMeant = Architecture.executables.contains(target.name)
      if needs, !isMeant {
        return package.finding("\(target.name) is linked with \(file)")
      }
      if !needs, isMeant {
        return package.finding("\(target.name) is not linked with \(file): this rule sees nothing")
      }
      return nil
    }
  }
}

extension BuildFolder {
  /// The object files of a target, sorted; none when it was not built.
  func objects(of target: String) throws -> [URL] {
    let place = url.appending(path: "\(target).build")
    guard let walk = FileManager.default.enumerator(atPath: place.path) else { return [] }
    return walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".o") }.sorted()
      .map { place.appending(path: $0) }
  }

  /// Whether a built executable names a shared library; nil when it was not built.
  func needs(_ executable: String, _ library: String) throws -> Bool? {
    let place = url.appending(path: executable)
    guard FileManager.default.isExecutableFile(atPath: place.path) else { return nil }
    return try Data(contentsOf: place, options: .alwaysMapped).range(of: Data(library.utf8)) != nil
  }

  /// Whether an object asks the linker to add `library`: Swift notes it for each module map.
  func asks(_ object: URL, for library: String) throws -> Bool {
    try Data(contentsOf: object, options: .alwaysMapped).range(of: Data(library.utf8)) != nil
  }
}
