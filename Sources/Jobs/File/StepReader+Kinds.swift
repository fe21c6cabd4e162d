// What each kind of step takes.

import Bluetooth
import Documents

extension StepReader {
  mutating func read(_ reader: inout MappingReader) -> Step? {
    let target = reader.optional("read").flatMap { selector($0) }
    let offset = offset(&reader)
    let format = format(&reader)
    let capture = capture(&reader)
    let node = reader.optional("expect")
    let timeout = timeout(&reader)
    guard let target else { return nil }
    let subjects =
      offset == 0 ? Subjects(of: target, format: format, kind: .single) : .plain
    return Step(
      offset == 0
        ? .read(target, format: format)
        : .attribute(.readFrom(target, offset: offset, format: format)),
      capture: capture,
      expectations: expectations(node, subjects),
      timeout: timeout
    )
  }

  mutating func write(_ reader: inout MappingReader) -> Step? {
    let write = writing(&reader)
    let timeout = timeout(&reader)
    return write.map { Step(.write($0), timeout: timeout) }
  }

  mutating func notify(_ reader: inout MappingReader) -> Step? {
    let node = reader.optional("notify")
    let target = node.flatMap { selector($0) }
    let format = format(&reader)
    let trigger = reader.optional("after").flatMap { self.trigger($0) }
    let subjects = target.map { Subjects(of: $0, format: format, kind: .stream) } ?? .plain
    let enough = enough(&reader, subjects, node)
    let options = subscription(&reader)
    let listening = target.map { target in
      var listening = Listening(to: target, format: format, trigger: trigger, options: options)
      listening.enough = enough
      return listening
    }
    return stream(listening.map { .notify($0) }, enough, subjects, &reader)
  }

  mutating func sleep(_ reader: inout MappingReader) -> Step? {
    let duration = reader.required("sleep", expected: "a duration such as 500ms") { $0.duration }
    return duration.map { Step(.sleep($0)) }
  }

  mutating func log(_ reader: inout MappingReader) -> Step? {
    guard let node = reader.optional("log") else { return nil }
    guard let template = node.text.flatMap({ MessageTemplate($0) }) else {
      complain(node, Complaint("\(node.shown) stands here", expected: MessageTemplate.shape))
      return nil
    }
    complainOfUnknown(template.variables, node)
    return Step(.log(template))
  }

  mutating func repeated(_ reader: inout MappingReader, depth: Int) -> Step? {
    let most = max(1, limits.repetitions)
    let count = reader.required("repeat", expected: "how many times, from 1 to \(most)") {
      $0.integer.flatMap { (1...most).contains($0) ? $0 : nil }
    }
    let inner = reader.required("steps", expected: "a list of steps").map {
      steps($0, depth: depth + 1)
    }
    guard let count, let inner else { return nil }
    return Step(.repeated(count: count, inner))
  }

  mutating func when(_ reader: inout MappingReader, depth: Int) -> Step? {
    let condition = reader.optional("when").flatMap { self.condition($0) }
    let inner = reader.required("steps", expected: "a list of steps").map {
      steps($0, depth: depth + 1)
    }
    guard let condition, let inner else { return nil }
    return Step(.when(condition, inner))
  }

  mutating func tried(_ reader: inout MappingReader, depth: Int) -> Step? {
    let inner = reader.optional("try").map { steps($0, depth: depth + 1) }
    let last = reader.required("finally", expected: "a list of steps").map {
      steps($0, depth: depth + 1)
    }
    let timeout = timeout(&reader)
    guard let inner, let last else { return nil }
    return Step(.tried(inner, finally: last), timeout: timeout)
  }

  /// `connect` and `disconnect`, which take nothing but a limit.
  mutating func link(_ action: Step.Action, _ reader: inout MappingReader) -> Step? {
    let step = Step(action)
    if let node = reader.optional(step.operation), !node.isNull {
      complain(node, Complaint("\(node.shown) stands here", expected: "nothing"))
    }
    return Step(action, timeout: timeout(&reader))
  }
}
