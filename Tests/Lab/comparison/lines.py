"""A recorded entry as lines, which have all of it that is compared."""

# Messages that are shown with a line for each object, interface and property.
LISTED = ("ObjectManager.GetManagedObjects", "Properties.GetAll", "Introspectable.Introspect")


def shown(it):
    """A value of a body: text in quotes, octets as 0x…, variants with their signature before."""
    if isinstance(it, dict):
        if "octets" in it:
            return "0x" + it["octets"]
        if "of" in it:
            return f"{it['of']}:{shown(it['is'])}"
        if "entries" in it:
            return "{" + ", ".join(f"{bare(k)}: {shown(v)}" for k, v in it["entries"]) + "}"
        return " ".join(f"{name} {shown(each)}" for name, each in it.items())
    if isinstance(it, list):
        return "[" + ", ".join(shown(each) for each in it) + "]"
    if isinstance(it, bool):
        return "true" if it else "false"
    return f'"{it}"' if isinstance(it, str) else str(it)


def bare(key):
    return key if isinstance(key, str) else shown(key)


def listed(it, indent):
    """A value with a line for each entry of its dictionaries, or line of its text."""
    if isinstance(it, str):     # a description in XML, which has line ends of its own here and there
        return [indent + repr(each)[1:-1] for each in it.replace("><", ">\n<").split("\n")]
    if not isinstance(it, dict) or "entries" not in it:
        return [indent + shown(it)]
    found = []
    for key, each in it["entries"]:
        if isinstance(each, dict) and "entries" in each:
            found += [f"{indent}{bare(key)}", *listed(each, indent + "  ")]
        else:
            found.append(f"{indent}{bare(key)}: {shown(each)}")
    return found


def lines(entry):
    """The entry as lines; entries whose lines are equal are equal."""
    kind = entry["kind"]
    words = [] if entry["stream"] == "client" else [f"({entry['stream']})"]
    words.append(kind)
    words += [str(entry[name]) for name in ("of", "name", "within") if entry.get(name)]
    if entry.get("member"):
        words.append(f"{entry.get('interface', '')}.{entry['member']}")
    if entry.get("path") and kind not in ("reply", "error"):
        words.append(entry["path"])
    if kind in ("reply", "error", "signal", "request"):
        words.append(f"({entry.get('signature', '')})")
    body = entry.get("body", [])
    if kind == "reply" and entry["of"] in LISTED or entry.get("member") == "InterfacesAdded":
        rest = body[-1:]
        words += [shown(each) for each in body[:-1]]
        return [" ".join(words), *(text for each in rest for text in listed(each, "    "))]
    return [" ".join(words + [shown(each) for each in body])]
