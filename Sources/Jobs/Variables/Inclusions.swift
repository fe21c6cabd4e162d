// The files that a chain includes: found and read before a plan is made, and never outside its
// folder.

import Documents
import Glibc

/// Included files by the names that they are called in complaints.
struct Inclusions {
  /// What became of one.
  struct File {
    /// Without symbolic links, to know a file by.
    let realPath: String
    /// The document, or why there is none.
    let content: Result<Node, DocumentErrors>
  }

  private let limits: PlanLimits
  /// The folder of the chain, without symbolic links; nil when the chain is in no file.
  private let folder: String?
  /// The chain itself, without symbolic links.
  private(set) var ownPath: String?
  /// By the path that ``path(_:beside:)`` gives.
  private var files: [String: File] = [:]
  /// The same paths, in the order in which they were read.
  private var order: [String] = []
  private var octets = 0

  /// Nothing can be included.
  static func none(_ limits: PlanLimits) -> Inclusions { Inclusions(nil, limits) }

  private init(_ folder: String?, _ limits: PlanLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// Reads what the chain in `file` includes, and what that includes.
  static func load(of root: Node, in file: String, _ limits: PlanLimits) -> Inclusions {
    let slash = file.lastIndex(of: "/")
    let folder = slash.map { String(file[...$0]) } ?? "."
    var inclusions = Inclusions(realPath(folder), limits)
    inclusions.ownPath = realPath(file)
    inclusions.load(root)
    return inclusions
  }

  /// What an `include` means that stands in a file.
  subscript(name: String, beside file: String) -> File? { files[Self.path(name, beside: file)] }

  /// What a file is called that another one includes.
  static func path(_ name: String, beside file: String) -> String {
    TextFile.path(name, beside: file)
  }

  /// Every text under a key in the included files.
  func names(under key: String) -> [String] {
    order.flatMap { path -> [String] in
      guard case .success(let root)? = files[path]?.content else { return [] }
      return root.names(under: key)
    }
  }

  // MARK: Reading

  private mutating func load(_ root: Node) {
    var waiting = [root]
    while let node = waiting.popLast() {
      for name in node.includedNames {
        let path = Self.path(name, beside: node.place.file)
        guard files[path] == nil, files.count < limits.includedFiles else { continue }
        let file = read(path)
        files[path] = file
        order.append(path)
        if case .success(let root) = file.content { waiting.append(root) }
      }
    }
  }

  private mutating func read(_ path: String) -> File {
    guard let folder else { return Self.refused(path, "a chain in no file includes none") }
    guard let real = Self.realPath(path) else {
      let reason = String(cString: strerror(errno))
      return Self.refused(path, "the file cannot be read: \(reason)")
    }
    guard real.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else {
      return Self.refused(path, "the file does not lie below the folder of the chain")
    }
    var status = stat()
    guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return Self.refused(path, "this is no file with text")
    }
    let content = Result { () throws(DocumentErrors) in
      let text = try TextFile.read(path, limit: limits.document.octets - octets)
      octets += text.utf8.count
      return try Document.parse(text, file: path, limits: limits.document)
    }
    return File(realPath: real, content: content)
  }

  private static func refused(_ path: String, _ why: String) -> File {
    let problem = DocumentProblem(Place(file: path), path: "", why)
    return File(realPath: path, content: .failure(DocumentErrors([problem])))
  }

  /// A path without symbolic links; nil when nothing is there.
  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}

extension Node {
  /// Every name under `include` below this node.
  fileprivate var includedNames: [String] { names(under: "include") }

  /// Every text under a key below this node.
  func names(under key: String) -> [String] {
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
