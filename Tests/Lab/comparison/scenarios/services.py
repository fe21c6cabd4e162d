"""Services that come. Played last: on the lab's peripheral they stay."""
from . import scenario


@scenario("services that come")
async def services(p):
    await p.connected()
    await p.step("one comes", p.side.add_service(), settle=1.0)
    await p.step("the tree", p.tree())
