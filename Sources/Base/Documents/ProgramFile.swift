// The program that a file names: found on PATH, or, with a slash, relative to the folder of the
// file.

import Glibc

/// Finds programs. It does not start them.
package enum ProgramFile {
  /// Finds a program.
  ///
  /// - Parameters:
  ///   - name: The name in the file: `python3`, `./lock.py`.
  ///   - folder: The folder of the file.
  /// - Returns: The path of the program.
  /// - Throws: ``Problem`` if it is missing or not executable.
  package static func path(of name: String, in folder: String) throws(Problem) -> String {
    guard !name.contains("/") else {
      let path = name.hasPrefix("/") ? name : folder + "/" + name.trimmingPrefix("./")
      guard access(path, F_OK) == 0 else { throw Problem("no such file: \(path)") }
      guard isProgram(path) else { throw Problem("\(path) is not executable") }
      return path
    }
    let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    // A relative folder of PATH would be another one in the working directory of the started
    // program.
    for place in search.split(separator: ":")
    where place.hasPrefix("/") && isProgram("\(place)/\(name)") {
      return "\(place)/\(name)"
    }
    throw Problem("'\(name)' is not on the PATH; write ./\(name) for a file beside this one")
  }

  private static func isProgram(_ path: String) -> Bool {
    TextFile.isRegular(path) && access(path, X_OK) == 0
  }
}
