// The files that a chain includes.
//
// All of them are read before a plan is created, and only below the folder of the chain. Their
// steps are read in Include.swift.

package import Documents

/// The included files, by path.
struct Inclusions {
  struct File {
    /// The path without symbolic links, which identifies the file.
    let realPath: String
    /// The document, or its errors.
    let content: Result<Node, DocumentErrors>
  }

  private let limits: PlanLimits
  /// The firmware images that the chain names; nil if the chain is not in a file.
  let firmware: FirmwareFiles?
  /// The folder of the chain; nil if the chain is not in a file.
  private let folder: FolderOfFile?
  /// The files, by path relative to the working directory.
  private var files: [String: File] = [:]
  /// The paths, in the order in which the files were read.
  private var order: [String] = []
  private var octets = 0

  /// Creates inclusions that reject every file.
  static func none(_ limits: PlanLimits) -> Inclusions { Inclusions(nil, limits) }

  private init(_ folder: FolderOfFile?, _ limits: PlanLimits) {
    self.folder = folder
    self.limits = limits
    firmware = folder.map { _ in FirmwareFiles() }
  }

  var isEmpty: Bool { order.isEmpty }

  /// The path of the chain file, without symbolic links.
  var ownPath: String? { folder?.realPath }

  /// Reads the files that `file` includes, directly or indirectly.
  ///
  /// - Parameter file: The chain file; included files must be below its folder. A name without a
  ///   folder means the working directory.
  static func load(_ names: [String], in file: String, _ limits: PlanLimits) -> Inclusions {
    var inclusions = Inclusions(FolderOfFile(file), limits)
    inclusions.load(names, beside: file)
    return inclusions
  }

  /// The file that `file` includes as `name`; nil if it was not read.
  subscript(name: String, beside file: String) -> File? {
    files[TextFile.path(name, beside: file)]
  }

  /// All texts under a key in the included files.
  func names(under key: String) -> [String] {
    documents.flatMap { $0.names(under: key) }
  }

  /// Whether one of the files uses a variable.
  func mention(_ variable: String) -> Bool {
    documents.contains { $0.scalars.contains { $0.contains("{\(variable)}") } }
  }

  /// The documents of the files without errors.
  private var documents: [Node] { order.compactMap { try? files[$0]?.content.get() } }

  // MARK: Reading

  private mutating func load(_ names: [String], beside file: String) {
    var waiting = [(names, file)]
    while let (names, outer) = waiting.popLast() {
      for name in names {
        let path = TextFile.path(name, beside: outer)
        guard files[path] == nil, files.count < limits.includedFiles else { continue }
        let file = read(path)
        files[path] = file
        order.append(path)
        if case .success(let root) = file.content {
          waiting.append((root.names(under: "include"), path))
        }
      }
    }
  }

  private mutating func read(_ path: String) -> File {
    guard let folder else {
      return Self.refused(path, "a chain that is not in a file cannot include files")
    }
    let real: String
    do {
      real = try folder.realPath(of: path, owner: "the chain")
    } catch {
      return Self.refused(path, error.message)
    }
    let content = Result { () throws(DocumentErrors) in
      let text = try TextFile.read(path, limit: limits.document.octets - octets)
      octets += text.utf8.count
      return try Document.parse(text, file: path, limits: limits.document)
    }
    return File(realPath: real, content: content)
  }

  private static func refused(_ path: String, _ why: String) -> File {
    let problem = Problem(why, at: Place(file: path))
    return File(realPath: path, content: .failure(DocumentErrors([problem])))
  }
}

extension Node {
  var scalars: [String] {
    switch content {
    case .scalar(let text, _): [text]
    case .sequence(let nodes): nodes.flatMap(\.scalars)
    case .mapping(let entries): entries.flatMap(\.value.scalars)
    }
  }

  /// All texts under a key, at any depth below this node.
  package func names(under key: String) -> [String] {
    switch content {
    case .scalar: return []
    case .sequence(let nodes): return nodes.flatMap { $0.names(under: key) }
    case .mapping(let entries):
      return entries.flatMap { entry in
        (entry.key == key ? entry.value.text.map { [$0] } : nil) ?? entry.value.names(under: key)
      }
    }
  }
}
