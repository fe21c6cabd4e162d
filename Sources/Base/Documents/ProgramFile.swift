// The program that a file names: along PATH, or with a slash relative to the folder of the file.

import Glibc

/// Finds programs, without starting them.
package enum ProgramFile {
  /// The path of a program.
  ///
  /// - Parameters:
  ///   - name: As the file names it: `python3`, `./lock.py`.
  ///   - folder: That of the file.
  /// - Throws: ``Problem`` when there is none, or it may not be executed.
  package static func path(of name: String, in folder: String) throws(Problem) -> String {
    guard !name.contains("/") else {
      let path = name.hasPrefix("/") ? name : folder + "/" + name.trimmingPrefix("./")
      guard access(path, F_OK) == 0 else { throw Problem("no such file: \(path)") }
      guard isProgram(path) else { throw Problem("\(path) is not executable") }
      return path
    }
    let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    // A relative folder means another one where the program is started.
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
