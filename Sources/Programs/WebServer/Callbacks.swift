// What libmicrohttpd calls: C functions that find the object and call its method.
//
// None of them may stop the program, whatever a browser sends.

import CMicroHTTPD
import Glibc

enum Callbacks {
  /// The callbacks of the daemon at `context`.
  static func all(_ context: UnsafeMutableRawPointer) -> web_callbacks {
    web_callbacks(
      context: context,
      access: { context, _, _, method, version, upload, size, request in
        guard let context, let method, let version, let size, let pointer = request?.pointee else {
          return .NO
        }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
        let isServed = daemon.receive(Connection.at(pointer), method, version, bytes)
        size.pointee = 0
        return isServed ? .YES : .NO
      },
      target: { _, target, handle in
        guard let handle, let pointer = web_context(handle) else { return nil }
        let connection = Connection.at(pointer)
        connection.target = target.map { String(cString: $0) } ?? ""
        connection.targetBounds = target.map { ($0, $0 + strlen($0)) }
        return pointer
      },
      completed: { context, _, request, _ in
        guard let context, let pointer = request?.pointee else { return }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        daemon.completed(Connection.at(pointer))
      },
      connection: { context, handle, stored, change in
        guard let context, let handle, let stored else { return }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        if change == .CONNECTION_NOTIFY_STARTED {
          stored.pointee = daemon.opened(handle)
        } else if let pointer = stored.pointee {
          stored.pointee = nil
          daemon.closed(pointer)
        }
      }
    )
  }

  /// The headers of a request, as they were sent.
  struct Headers {
    /// Their names are in lower case.
    var fields: [WebRequest.Field] = []
    /// Whether the lines were other than they are read here.
    var isMended = false
    /// The end of what was read.
    fileprivate var end: UnsafePointer<CChar>?

    /// Takes the next text, which follows what was read so many bytes behind it.
    fileprivate mutating func take(_ text: UnsafePointer<CChar>?, _ count: Int, behind gap: Int) {
      guard let text else { return }
      if let end, text != end + gap { isMended = true }
      end = text + count
    }
  }

  /// Whether the library accepts lines that are mended, and leaves the others where they arrived.
  ///
  /// Later versions refuse such lines themselves, when they are told to be strict.
  static let isLenient = ["0.9.75", "0.9.76"].contains(String(cString: MHD_get_version()))

  /// The headers of a request.
  ///
  /// A lenient library reads lines that end with LF alone, continues folded lines, and ends a text at
  /// a NUL: other servers read other headers then. It keeps the text where it arrived, with a NUL
  /// for each octet of a line's end. So the lines that need no mending have CR and LF between them.
  ///
  /// - Parameters:
  ///   - method: The method where it arrived, at the beginning.
  ///   - target: The beginning and the end of the target.
  ///   - version: The version behind it.
  static func headers(
    of handle: OpaquePointer, behind method: UnsafePointer<CChar>,
    _ target: Connection.Bounds?, _ version: UnsafePointer<CChar>
  ) -> Headers {
    var headers = Headers()
    headers.end = target?.end
    headers.take(version, strlen(version), behind: 1)
    withUnsafeMutablePointer(to: &headers) { headers in
      _ = MHD_get_connection_values_n(
        handle,
        .HEADER_KIND,
        { headers, _, name, nameCount, value, valueCount in
          guard let headers = headers?.assumingMemoryBound(to: Headers.self) else { return .NO }
          headers.pointee.take(name, nameCount, behind: 2)
          if let name, let value, value <= name + nameCount { headers.pointee.isMended = true }
          headers.pointee.end = value.map { $0 + valueCount }
          headers.pointee.fields.append(
            WebRequest.Field(
              Callbacks.text(name, nameCount).lowercased(),
              Callbacks.text(value, valueCount).trimmingBlanks()
            )
          )
          return .YES
        },
        headers
      )
    }
    // The end of the last line, and the empty one.
    if let end = headers.end, end + 4 != method + web_header_size(handle) {
      headers.isMended = true
    }
    if !isLenient { headers.isMended = false }
    // A NUL in the method ends its text: "GET\0" is not GET.
    if let target, target.start != method + strlen(method) + 1 { headers.isMended = true }
    return headers
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count),
      as: UTF8.self
    )
  }
}

extension String {
  /// Without spaces and tabs at both ends.
  fileprivate func trimmingBlanks() -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var rest = self[...]
    rest = rest.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
