// What becomes of a call before the simulated bluetoothd looks at it.

public import DBus

/// How a call that comes to the simulated bluetoothd is taken.
public enum CallTreatment: Hashable, Sendable {
  /// At once, as it should be.
  case take
  /// Later, as by a bluetoothd that is busy.
  case delay(Duration)
  /// Never: it has no effect, and no answer comes.
  case ignore
  /// It takes effect, and its answer is lost.
  case loseAnswer
  /// It has no effect, and is answered with this error.
  case fail(DBusError)
}
