// Names for UUIDs and keys of devices: the file of a command, and that of the user.

import ArgumentParser
import Bluetooth
import Documents
import Encryption
import Jobs

/// `--names FILE`, before the user's own names. It is read once, so that it may be a pipe.
struct NamesOptions: ParsableArguments {
  @Option(
    name: .customLong("names"),
    help: .value(
      "file",
      "Names for UUIDs, keys of devices, before those of $XDG_CONFIG_HOME/blerun/names.yaml."
    ),
    completion: .file(extensions: ["yaml", "yml", "json"]),
    transform: { path in Result { () throws(DocumentErrors) in try NamesFile(path) } }
  )
  var file: Result<NamesFile, DocumentErrors>?

  /// The names of the file, before those of the user, before the assigned ones.
  func names() throws(Ending) -> AttributeNames {
    do {
      return try (file?.get().names ?? .assigned).over(Self.ofUser.get().names)
    } catch {
      throw Ending(error)
    }
  }

  /// The keys of the file, before those of the user.
  func bindKeys() throws(Ending) -> BindKeys {
    do {
      let own = try file?.get().keys ?? []
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
