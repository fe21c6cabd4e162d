// The keys of a file, to find what kind of file it is.

import Glibc

extension Document {
  /// The keys of a file's mapping; nil for one that has none, cannot be read, or only once, such as a
  /// pipe.
  package static func keys(at path: String) -> [String]? {
    let limits = DocumentLimits.ofAnyFile
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      let text = try? TextFile.read(path, limit: limits.octets),
      let root = try? parse(text, file: path, limits: limits)
    else { return nil }
    return root.mapping?.map(\.key)
  }
}
