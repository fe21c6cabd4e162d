// A call that waits for a change of the link.

import BlueZInterfaces
import DBus

/// A call that is answered when the link has changed, or a step of bluetoothd itself.
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
