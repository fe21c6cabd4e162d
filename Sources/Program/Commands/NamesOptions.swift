// Names for UUIDs and keys of devices: the file of a command, and that of the user.

import ArgumentParser
import Bluetooth
import Documents
import Encryption
import Jobs

/// `--names FILE`, before the user's own names.
struct NamesOptions: ParsableArguments {
  @Option(
    name: .customLong("names"),
    help: .value(
      "file",
      "Names for UUIDs, keys of devices, before those of $XDG_CONFIG_HOME/blerun/names.yaml."
    ),
    completion: .file(extensions: ["yaml", "yml", "json"]),
    transform: NamesArgument.init
  )
  var file: NamesArgument?

  /// The names of the file, before those of the user, before the assigned ones.
  func names() throws(Ending) -> AttributeNames {
    do {
      return try (file?.contents.get().names ?? .assigned).over(Self.ofUser.get().names)
    } catch {
      throw Ending(error)
    }
  }

  /// The keys of the file, before those of the user.
  func bindKeys() throws(Ending) -> BindKeys {
    do {
      let own = try file?.contents.get().keys ?? []
      return BindKeys(own + (try Self.ofUser.get().keys), open: AESCCM.open)
    } catch {
      throw Ending(error)
    }
  }

  /// Checks arguments that use names before anything happens. Errors in the files themselves are
  /// those of ``names()``, which has the exit status for them.
  func check(_ body: (AttributeNames) throws -> Void) throws {
    if let names = try? names() { try body(names) }
  }

  /// The user's file, which is read once; nothing where there is no file.
  private static let ofUser = Result { () throws(DocumentErrors) -> NamesFile in
    guard let path = UserFolder.names, UserFolder.exists(path) else { return NamesFile() }
    return try NamesFile(path)
  }
}

/// A file of names on the command line. It is read once, so that it may be a pipe.
struct NamesArgument {
  /// The names and keys, or the errors in the file.
  let contents: Result<NamesFile, DocumentErrors>

  init(_ path: String) {
    contents = Result { () throws(DocumentErrors) in try NamesFile(path) }
  }
}
