"""The Python SDK as a client: python_sdk.py PLAN, where PLAN is JSON on the command line. Prints one JSON object."""

import asyncio
import json
import sys
import warnings

warnings.filterwarnings("ignore")

import mcp_types as types  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

plan = json.loads(sys.argv[1])
updates = asyncio.Queue()


async def on_message(message):
    """Legacy clients get changes as notifications."""
    kind = type(message).__name__
    if "ResourceUpdated" in kind:
        await updates.put(str(message.params.uri))


def transport():
    if plan["transport"] == "stdio":
        command, *arguments = plan["command"]
        return stdio_client(StdioServerParameters(command=command, args=arguments))
    return streamable_http_client(plan["url"])


async def listed(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert set(plan["tools"]) <= set(names), names


async def called(client):
    result = await client.call_tool(*plan["call"])
    assert not result.is_error and result.structured_content["content"] == plan["content"], result


async def failed(client):
    result = await client.call_tool(*plan["error"])
    assert result.is_error and result.content[0].text.startswith(plan["sentence"]), result


async def progressed(client):
    seen = []

    async def on_progress(progress, total, message):
        seen.append(progress)

    result = await client.call_tool(*plan["long"], progress_callback=on_progress)
    assert not result.is_error and rises(seen), f"{result} {seen}"
    for endless in plan["endless"]:
        seen = await stopped_after(client, endless, 2)
        assert rises(seen), f"{endless[0]}: {seen}"


def rises(seen):
    return seen and all(a < b for a, b in zip(seen, seen[1:]))


async def stopped_after(client, call, words):
    """Cancel a call when it has told its progress so often; what it told."""
    seen, enough = [], asyncio.Event()

    async def on_progress(progress, total, message):
        seen.append(progress)
        if len(seen) >= words:
            enough.set()

    running = asyncio.create_task(client.call_tool(*call, progress_callback=on_progress))
    waiting = asyncio.create_task(enough.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    assert not running.done(), f"{call[0]} ended by itself: {running.result()}"
    running.cancel()
    try:
        await running
        raise AssertionError(f"{call[0]} was not cancelled")
    except asyncio.CancelledError:
        return seen


async def cancelled(client):
    for endless in plan["endless"]:
        await stopped_after(client, endless, 1)
        await asyncio.wait_for(called(client), 20)


async def resource(client):
    read = await client.read_resource(plan["uri"])
    assert read.contents[0].text == plan["content"], read
    uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
    assert plan["uri"] in uris, uris


async def subscribed(client):
    if client.protocol_version >= "2026":
        async with client.listen(resource_subscriptions=[plan["watched"]]) as stream:
            await client.call_tool(*plan["write"])
            async for event in stream:
                assert plan["watched"] in str(event), event
                return
    await client.subscribe_resource(plan["watched"])
    await client.call_tool(*plan["write"])
    assert await updates.get() == plan["watched"]


async def narrowed(client):
    """A client with one folder open reaches nothing beside it."""
    if client.protocol_version >= "2026":
        return "-"

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri=plan["folder"])])

    async with Client(transport(), mode="legacy", list_roots_callback=roots) as narrow:
        beside = await narrow.call_tool(*plan["call"])
        assert beside.is_error and "client's own roots" in beside.content[0].text, beside
        inside = await narrow.call_tool(*plan["inside"])
        assert not inside.is_error, inside


CHECKS = {
    "list": listed,
    "call": called,
    "error": failed,
    "progress": progressed,
    "cancel": cancelled,
    "resource": resource,
    "subscribe": subscribed,
    "roots": narrowed,
}


async def main():
    mode = "2026-07-28" if plan["era"] == "modern" else "legacy"
    outcome = {}
    async with Client(transport(), mode=mode, message_handler=on_message) as client:
        for name, check in CHECKS.items():
            try:
                outcome[name] = await asyncio.wait_for(check(client), 60) or "ok"
            except Exception as error:  # noqa: BLE001: the outcome is the report
                outcome[name] = f"{type(error).__name__}: {error}"
    print(json.dumps(outcome))


asyncio.run(main())
