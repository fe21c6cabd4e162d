// The name that BlueZ has on the bus, and what it offers beside devices.
//
// Data only. How it behaves is told by its client and by its simulator.

/// The bus name and the fixed interfaces of bluetoothd.
public enum OrgBlueZ {
  /// The well-known name that bluetoothd owns on the system bus.
  ///
  /// - Source: BlueZ 5.66, `src/main.c`, `src/bluetooth.conf`.
  public static let busName = "org.bluez"
}

/// Interfaces every exported object has; bluetoothd lists the last two with empty property maps.
///
/// - Source: D-Bus specification, "Standard Interfaces"; BlueZ 5.66, `gdbus/object.c`.
public enum StandardInterface {
  /// On `/`: lists the objects and signals their coming and going.
  public static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// On every object.
  public static let properties = "org.freedesktop.DBus.Properties"
  /// On every object.
  public static let introspectable = "org.freedesktop.DBus.Introspectable"

  /// Members of `org.freedesktop.DBus.ObjectManager`.
  public enum ObjectManager {
    /// `() -> a{oa{sa{sv}}}`
    public static let getManagedObjects = "GetManagedObjects"
    /// Signal `(o, a{sa{sv}})`, always from `/`.
    public static let interfacesAdded = "InterfacesAdded"
    /// Signal `(o, as)`, always from `/`.
    public static let interfacesRemoved = "InterfacesRemoved"
  }

  /// Members of `org.freedesktop.DBus.Properties`.
  public enum Properties {
    /// `(s, s) -> v`
    public static let get = "Get"
    /// `(s) -> a{sv}`
    public static let getAll = "GetAll"
    /// `(s, s, v)`
    public static let set = "Set"
    /// Signal `(s, a{sv}, as)`, from the object's own path; the last are the invalidated names.
    public static let propertiesChanged = "PropertiesChanged"
  }
}
