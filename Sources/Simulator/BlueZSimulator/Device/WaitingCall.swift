// A call that waits for a change of the link.

import BlueZInterfaces
import DBus

/// A pending call, or an equivalent step of bluetoothd itself.
struct WaitingCall: Sendable {
  let answer: @Sendable () -> Void
  let refuse: @Sendable (ErrorAnswer) -> Void

  init(answer: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (ErrorAnswer) -> Void) {
    self.answer = answer
    self.refuse = refuse
  }

  init(_ call: Invocation) {
    self.init(answer: { call.reply() }, refuse: { call.refuse($0) })
  }
}
