// The names of the control interface of a simulation.

public import DBus

/// Names of this project: they promise nothing about BlueZ. See docs/simulator-control.md.
public enum ControlNames {
  /// The well-known name of the control connection, separate from `org.bluez`.
  public static let bus = "blerun.Simulator1"
  /// The object path of the control interface.
  public static let path: ObjectPath = "/blerun/simulator"
  /// The name of the control interface.
  public static let interface = "blerun.Simulator1"
  /// The prefix of each error name.
  public static let errors = "blerun.Simulator1.Error."
  /// The signal for each entry of the log.
  public static let logged = "Logged"
}
