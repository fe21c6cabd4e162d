// The key `logic` of a device file: a program or a socket that decides before the device does.

import Documents

extension DeviceReader {
  struct LogicEntry: Sendable {
    var program: [String]?
    var socket: String?
    var deadline = LogicDefinition.defaultDeadline
  }

  /// The allowed number of words of a command line.
  private static let words = 1...64
  private static let wordLength = 4_096
  /// The longest path of a socket, in bytes.
  ///
  /// - Source: unix(7), `sun_path`.
  private static let socketLength = 107

  static let logicForm = DeviceForm<LogicEntry>(
    "A program or a socket that decides beside the file.", LogicEntry(),
    [
      DeviceKey(
        "program", \.program, programShape, usual: "",
        "a program with its arguments, started in the folder of this file: on the PATH, or with a "
          + "slash relative to the folder"
      ),
      DeviceKey(
        "socket", \.socket,
        DeviceShape.text(
          "the path of a socket, at most \(socketLength) bytes", bytes: socketLength
        ),
        usual: "",
        "a Unix stream socket that a program of yours serves, relative to the folder of this file"
      ),
      DeviceKey(
        "deadline",
        \.deadline,
        .duration(.milliseconds(1) ... .seconds(600)),
        "how long each answer is waited for, in real time; the first one of a program at least 30s"
      ),
    ],
    rules: [
      .one(
        of: ["program", "socket"], "logic has one of the keys 'program' and 'socket'",
        expected: "{ program: [python3, lock.py] }"
      )
    ]
  )

  private static let programShape = DeviceShape<[String]>(
    "a program with its arguments, such as [python3, lock.py]",
    schema: .list(of: Schema(["type": ["string", "number", "boolean"]]), words)
  ) { node, reader in
    guard let nodes = node.sequence, words.contains(nodes.count) else { return nil }
    let texts = nodes.compactMap(\.text)
    guard texts.count == nodes.count,
      texts.allSatisfy({ $0.utf8.count <= wordLength && !$0.utf8.contains(0) })
    else { return nil }
    guard let folder = FolderOfFile(node.place.file).path else {
      reader.problems.append(node.problem("the folder of the file is missing"))
      return nil
    }
    do throws(Problem) {
      return [try ProgramFile.path(of: texts[0], in: folder)] + texts.dropFirst()
    } catch {
      reader.problems.append(nodes[0].problem("the program cannot be started: \(error.message)"))
      return nil
    }
  }

  static let logicShape = DeviceShape<LogicDefinition>(
    "a mapping", schema: logicForm.schema.named("logic")
  ) { node, reader in
    let before = reader.problems.count
    let entry = logicForm.read(node, &reader)
    guard reader.problems.count == before else { return nil }
    let folder = FolderOfFile(node.place.file).path ?? "."
    let source: LogicDefinition.Source? =
      if let program = entry.program {
        .program(program, folder: folder)
      } else {
        entry.socket.map { .socket($0.hasPrefix("/") ? $0 : folder + "/" + $0) }
      }
    return source.map { LogicDefinition($0, deadline: entry.deadline, at: node.place) }
  }
}
