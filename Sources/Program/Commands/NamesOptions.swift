// Names for UUIDs: the file of a command, and that of the user.

import ArgumentParser
import Bluetooth
import Documents
import Jobs

/// `--names FILE`, before the user's own names.
struct NamesOptions: ParsableArguments {
  @Option(
    name: .customLong("names"),
    help: ArgumentHelp(
      "Names for UUIDs, before those of $XDG_CONFIG_HOME/blerun/names.yaml.",
      valueName: "file"
    ),
    completion: .file(extensions: ["yaml", "yml", "json"]),
    transform: NamesArgument.init
  )
  var file: NamesArgument?

  /// The names of the file, before those of the user, before the assigned ones.
  ///
  /// - Throws: ``Ending`` with everything that is wrong with the files.
  func names() throws(Ending) -> AttributeNames { try Self.names(of: file) }

  /// The names of a file, before those of the user, before the assigned ones.
  ///
  /// - Throws: ``Ending`` with everything that is wrong with the files.
  static func names(of file: NamesArgument?) throws(Ending) -> AttributeNames {
    do {
      return try (file?.contents.get() ?? .assigned).over(ofUser.get())
    } catch {
      throw Ending(error)
    }
  }

  /// Checks arguments that use names before anything happens. Errors in the files themselves are
  /// those of ``names()``, which has the exit status for them.
  func check(_ body: (AttributeNames) throws -> Void) throws {
    if let names = try? names() { try body(names) }
  }

  /// The names of the user's file, which is read once; none where there is no file.
  private static let ofUser = Result { () throws(DocumentErrors) -> AttributeNames in
    guard let path = UserFolder.names, UserFolder.exists(path) else { return .assigned }
    return try AttributeNames(file: path)
  }
}

/// A file of names on the command line. It is read once, so that it may be a pipe.
struct NamesArgument {
  /// The names, or the errors in the file.
  let contents: Result<AttributeNames, DocumentErrors>

  init(_ path: String) {
    contents = Result { () throws(DocumentErrors) in try AttributeNames(file: path) }
  }
}
