// The files that a chain includes. They are read before a plan is made, and only below its folder.

package import Documents

/// Included files by their names in error messages.
struct Inclusions {
  struct File {
    /// The path without symbolic links, which identifies the file.
    let realPath: String
    /// The document, or the errors in it.
    let content: Result<Node, DocumentErrors>
  }

  private let limits: PlanLimits
  /// The folder of the chain; nil when the chain is not in a file.
  private let folder: FolderOfFile?
  /// By their paths, as this process sees them.
  private var files: [String: File] = [:]
  /// The same paths, in the order in which they were read.
  private var order: [String] = []
  private var octets = 0

  /// No file can be included.
  static func none(_ limits: PlanLimits) -> Inclusions { Inclusions(nil, limits) }

  private init(_ folder: FolderOfFile?, _ limits: PlanLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// Whether the chain includes no file.
  var isEmpty: Bool { order.isEmpty }

  /// The real path of the chain file.
  var ownPath: String? { folder?.realPath }

  /// Reads the files that `file` includes, directly or indirectly.
  ///
  /// - Parameter file: The included files must be below its folder; without a folder in its name
  ///   that is the working directory.
  static func load(_ names: [String], in file: String, _ limits: PlanLimits) -> Inclusions {
    var inclusions = Inclusions(FolderOfFile(file), limits)
    inclusions.load(names, beside: file)
    return inclusions
  }

  /// The file of an `include` in `file`.
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

  /// Those of the files that have no errors.
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

  /// All texts under a key below this node.
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
