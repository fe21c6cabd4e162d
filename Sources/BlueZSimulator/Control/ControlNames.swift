// The names under which a simulation is steered over a bus.

public import DBus

/// Names of the project's own: they promise nothing about BlueZ. See docs/simulator-control.md.
public enum ControlNames {
  /// The well-known name of the connection, beside `org.bluez` and not the same.
  public static let bus = "blerun.Simulator1"
  public static let path: ObjectPath = "/blerun/simulator"
  public static let interface = "blerun.Simulator1"
  /// What stands before the kind of each error.
  public static let errors = "blerun.Simulator1.Error."
  /// The signal for each entry of the log.
  public static let logged = "Logged"
}
