// Which files a written file must not take the place of: those that the command reads or writes otherwise.

import Documents
import Glibc
import Jobs

/// The files of a command, and those that it writes in the end, which would take their place.
struct OverwrittenFiles {
  private var files: [(file: FileIdentity, what: String)] = []

  /// - Parameters:
  ///   - inputs: Files that are read; those that they name are read, too.
  ///   - outputs: Other files that are written, each with what it is.
  init(inputs: [String], outputs: [(path: String?, what: String)]) {
    for (path, what) in outputs {
      if let path { files.append((FileIdentity(path), "is \(what)")) }
    }
    var reading = NamedFiles()
    for path in inputs { reading.add(path) }
    for path in reading.paths { files.append((FileIdentity(path), "is read by the command")) }
  }

  /// Refuses files that would be written over a file of the command, or over each other.
  ///
  /// - Parameter written: Each with its option.
  /// - Throws: ``Ending`` of wrong usage; nothing was touched.
  func check(_ written: [(option: String, path: String)]) throws(Ending) {
    var taken = files
    for (option, path) in written {
      let file = FileIdentity(path)
      if let other = taken.first(where: { $0.file == file }) {
        throw Ending(.usage, "\(option) \(path): that file \(other.what)")
      }
      taken.append((file, "is another report, too"))
    }
  }
}

/// What distinguishes one file from another: where it lies on a disk, or where it would.
private struct FileIdentity: Equatable {
  private enum Place: Equatable {
    case inode(device: dev_t, number: ino_t)
    case path(String)
    /// A terminal, a pipe: it is written one behind the other.
    case noFile(String)
  }

  private let place: Place

  /// Whether there is a file with content that stays.
  var isFile: Bool { if case .inode = place { true } else { false } }

  init(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 {
      let isFile = status.st_mode & S_IFMT == S_IFREG
      place =
        isFile ? .inode(device: status.st_dev, number: status.st_ino) : .noFile(path)
      return
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "."
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    place = .path(FolderOfFile.realPath(folder).map { "\($0)/\(name)" } ?? path)
  }

  static func == (one: Self, other: Self) -> Bool {
    if case .noFile = one.place { return false }
    return one.place == other.place
  }
}

/// Files, and those that they name: the chain and the table of a batch, what a chain includes, the
/// devices of a scenario and their series.
private struct NamedFiles {
  /// The keys under which a file is named, and whether that names others.
  private static let keys = [
    ("chain", true), ("include", true), ("use", true), ("csv", false), ("file", false),
  ]

  private(set) var paths: [String] = []

  mutating func add(_ path: String) {
    var waiting = [path]
    while let path = waiting.popLast() {
      guard !paths.contains(path), paths.count < 1_000 else { continue }
      paths.append(path)
      let limits = DocumentLimits.ofAnyFile
      // A pipe was read, and holds nothing any more.
      guard FileIdentity(path).isFile, !path.hasSuffix(".csv"), !path.hasSuffix(".xml"),
        let text = try? TextFile.read(path, limit: limits.octets),
        let root = try? Document.parse(text, file: path, limits: limits)
      else { continue }
      for (key, namesOthers) in Self.keys {
        for name in root.names(under: key) {
          let named = TextFile.path(name, beside: path)
          if namesOthers { waiting.append(named) } else { paths.append(named) }
        }
      }
    }
  }
}
