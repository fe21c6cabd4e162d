// The option for a file with names of UUIDs and keys of devices, and the user's own file.

import ArgumentParser
import Bluetooth
import Documents
import Encryption
import Jobs

/// `--names FILE`, which takes precedence over the user's names. It is read only once, so it can be a pipe.
struct NamesOptions: ParsableArguments {
  @Option(
    name: .customLong("names"),
    help: .value(
      "file",
      "Names for UUIDs and keys of devices, before those of $XDG_CONFIG_HOME/blerun/names.yaml."
    ),
    completion: .file(extensions: ["yaml", "yml", "json"]),
    transform: { path in Result { () throws(DocumentErrors) in try NamesFile(path) } }
  )
  var file: Result<NamesFile, DocumentErrors>?

  /// Returns all names. Those of the file take precedence, then those of the user, then the assigned ones.
  func names() throws(CommandExit) -> AttributeNames {
    do {
      return try (file?.get().names ?? .assigned).over(Self.ofUser.get().names)
    } catch {
      throw CommandExit(error)
    }
  }

  /// Returns all keys. Those of the file take precedence over those of the user.
  func bindKeys() throws(CommandExit) -> BindKeys {
    do {
      let own = try file?.get().keys ?? []
      return BindKeys(own + (try Self.ofUser.get().keys), open: AESCCM.open)
    } catch {
      throw CommandExit(error)
    }
  }

  /// Checks arguments that use names, during validation. Errors in the files themselves are reported later,
  /// by ``names()``, which has the exit status for them.
  func check(_ body: (AttributeNames) throws -> Void) throws {
    if let names = try? names() { try body(names) }
  }

  /// The user's file, read once; empty if there is no file.
  private static let ofUser = Result { () throws(DocumentErrors) -> NamesFile in
    guard let path = UserFolder.names, UserFolder.exists(path) else { return NamesFile() }
    return try NamesFile(path)
  }
}
