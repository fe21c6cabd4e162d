// What libmicrohttpd calls: C functions that find the object and call its method.
//
// None of them may stop the program, whatever a browser sends.

import CMicroHTTPD

enum Callbacks {
  /// The callbacks of the daemon at `context`.
  static func all(_ context: UnsafeMutableRawPointer) -> web_callbacks {
    web_callbacks(
      context: context,
      access: { context, _, _, method, _, upload, size, request in
        guard let context, let method, let size, let pointer = request?.pointee else {
          return .NO
        }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
        let isServed = daemon.receive(Connection.at(pointer), method, bytes)
        size.pointee = 0
        return isServed ? .YES : .NO
      },
      target: { _, target, handle in
        guard let handle, let pointer = web_context(handle) else { return nil }
        Connection.at(pointer).target = target.map { String(cString: $0) } ?? ""
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

  /// The headers of a request; their names in lower case.
  static func headers(of handle: OpaquePointer) -> [WebRequest.Field] {
    var fields: [WebRequest.Field] = []
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(
        handle,
        .HEADER_KIND,
        { fields, _, name, nameCount, value, valueCount in
          guard let fields else { return .NO }
          fields.assumingMemoryBound(to: [WebRequest.Field].self).pointee.append(
            WebRequest.Field(
              Callbacks.text(name, nameCount).lowercased(),
              Callbacks.text(value, valueCount).trimmingBlanks()
            )
          )
          return .YES
        },
        fields
      )
    }
    return fields
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
