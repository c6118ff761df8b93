"""The pages of `shem --report`, opened in Chromium without a window.

Each FILE is a problem. Its page must have less than 5 MB, load within the limit [default: 2 s] without errors in the
console, ask for nothing from elsewhere, and show the invariant of a predicate, or its clauses, when the predicate is
clicked. Beside the files a problem with scripts in its symbols is tried, which must not run. Needs `chromium` on the
path; it is spoken to by the DevTools protocol, over a socket of this module's own.
"""
import base64
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from shemtools.run import run

MOST_BYTES = 5_000_000

# Names that would be markup or a script, wherever a page has them.
EVIL = """(set-logic HORN)
(declare-fun |<script>document.title='evil'</script>| (Int Int) Bool)
(declare-fun |"><img src=http://127.0.0.1:9/x onerror=document.title='evil'>| (Int) Bool)
(declare-fun |'-alert(1)-'</style></title><svg onload=document.title='evil'>| (Int) Bool)
(assert (forall ((|<b onclick=1>x| Int) (|</td><script>document.title='evil'</script>| Int))
  (=> (and (= |<b onclick=1>x| 0) (= |</td><script>document.title='evil'</script>| 0))
      (|<script>document.title='evil'</script>| |<b onclick=1>x| |</td><script>document.title='evil'</script>|))))
(assert (forall ((x Int) (y Int)) (=> (|<script>document.title='evil'</script>| x y)
  (|<script>document.title='evil'</script>| (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (|<script>document.title='evil'</script>| x y)
  (|"><img src=http://127.0.0.1:9/x onerror=document.title='evil'>| x))))
(assert (forall ((x Int)) (=> (|"><img src=http://127.0.0.1:9/x onerror=document.title='evil'>| x)
  (|'-alert(1)-'</style></title><svg onload=document.title='evil'>| x))))
(assert (forall ((x Int)) (=> (and (|'-alert(1)-'</style></title><svg onload=document.title='evil'>| x) QUERY) false)))
(check-sat)
"""


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--options", default="-t 10", help="options for shem [-t 10]")
    parser.add_argument("--screenshots", type=pathlib.Path, help="keep pictures here")
    parser.add_argument("--limit", type=float, default=2, help="seconds for a page to load [2]")


class Browser:
    """A page in Chromium, by the DevTools protocol."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={folder}/profile", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            match = re.search(r"DevTools listening on ws://([^/]*)/", line)
            if match:
                break
        else:
            sys.exit("chromium does not start")
        self.host = match.group(1)
        # What it says later must not fill the pipe.
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        pages = json.load(urllib.request.urlopen(f"http://{self.host}/json"))
        address = next(page for page in pages if page["type"] == "page")["webSocketDebuggerUrl"]
        self.number, self.events = 0, []
        self.connect(address)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def connect(self, address):
        host, path = re.match(r"ws://([^/]*)(/.*)", address).groups()
        name, port = host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1)

    def receive(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                sys.exit("chromium has ended")
            data += piece
        return data

    def message(self):
        text = b""
        while True:
            first, length = self.receive(2)
            length &= 127
            if length == 126:
                (length,) = struct.unpack(">H", self.receive(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.receive(8))
            text += self.receive(length)
            if first & 128:
                return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        size = len(data)
        head = bytes([129]) + (
            bytes([128 | size]) if size < 126
            else bytes([254]) + struct.pack(">H", size) if size < 65536
            else bytes([255]) + struct.pack(">Q", size)
        )
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait(self, event):
        while not any(message.get("method") == event for message in self.events):
            self.events.append(self.message())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path):
        """Loads a page; gives the seconds until its pictures are drawn, and what went wrong."""
        self.events = []
        self.call("Page.navigate", url="about:blank")
        self.wait("Page.loadEventFired")
        self.events = []
        since = time.monotonic()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("Page.loadEventFired")
        self.call("Runtime.evaluate", awaitPromise=True,
                  expression="new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - since

    def problems(self, path):
        found = []
        for message in self.events:
            method, params = message.get("method"), message.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(f"exception: {params['exceptionDetails'].get('text')}")
            if method == "Runtime.consoleAPICalled":
                found.append(f"console: {params['args']}")
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(f"log: {params['entry']['text']}")
            if method == "Page.javascriptDialogOpening":
                found.append("a dialog opens")
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if url not in ("about:blank", path.resolve().as_uri()):
                    found.append(f"it loads {url}")
        return found

    def screenshot(self, path, width=1200, height=None):
        if height is None:
            height = min(int(self.value("document.documentElement.scrollHeight")), 6000)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
        self.call("Emulation.clearDeviceMetricsOverride")


def check(browser, page, limit, safe):
    """What is wrong with a page; and its size and the time to open it."""
    size = page.stat().st_size
    seconds = browser.open(page)
    wrong = []
    if size >= MOST_BYTES:
        wrong.append(f"{size} bytes")
    if seconds > limit:
        wrong.append(f"{seconds:.2f} s to open")
    if browser.value("document.querySelectorAll('script').length") != 1:
        wrong.append("it has other scripts than its own")
    if not browser.value("document.title").startswith("Shem: "):
        wrong.append(f"its title is {browser.value('document.title')}")
    # The last predicate that is drawn: a click in the middle of its box.
    browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    place = browser.value(
        """(() => { const all = [...document.querySelectorAll('#graph-read .node.predicate[data-predicate]')];
        const node = all[all.length - 1]; if (!node) return null; node.scrollIntoView({block: 'center', inline: 'center'});
        const box = node.getBoundingClientRect();
        return [node.dataset.predicate, box.x + box.width / 2, box.y + box.height / 2]; })()"""
    )
    if place:
        key, x, y = place
        for kind in ["mousePressed", "mouseReleased"]:
            browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        shown = browser.value(
            "[...document.querySelectorAll('.panel')].filter(panel => panel.offsetParent !== null).map(panel => panel.id)"
        )
        if shown != [f"p{key}"]:
            wrong.append(f"after a click on predicate {key} these are shown: {shown}")
        invariant = browser.value(f"(document.querySelector('#p{key} .invariant') || {{}}).innerText || ''")
        if safe and not invariant.strip():
            wrong.append(f"predicate {key} has no invariant")
        if not browser.value(f"document.querySelector('.node.selected[data-predicate=\"{key}\"]') !== null"):
            wrong.append("the predicate is not marked")
    browser.call("Emulation.clearDeviceMetricsOverride")
    return wrong + browser.problems(page), size, seconds


def main(options):
    failures = 0
    # Chromium may still write into its profile when it has answered.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        jobs = [(file, pathlib.Path(file).name.split(".smt2")[0]) for file in options.files]
        for name, query in [("evil-safe", "(< x 0)"), ("evil-unsafe", "(> x 3)")]:
            path = folder / f"{name}<script>.smt2"
            path.write_text(EVIL.replace("QUERY", query))
            jobs.append((str(path), name))
        browser = Browser(folder)
        try:
            for file, name in jobs:
                page = folder / "page.html"
                page.unlink(missing_ok=True)
                done = run([options.shem, *options.options.split(), "--report", page, file], 600)
                verdict = done.out.split("\n")[0]
                if done.code or not page.exists():
                    print(f"FAILURE: {file}: {done.out} {done.err}")
                    failures += 1
                    continue
                safe = verdict == "sat" and "no witness" not in done.err
                wrong, size, seconds = check(browser, page, options.limit, safe)
                print(f"{name}: {verdict}, {size / 1e6:.2f} MB, {seconds:.2f} s", flush=True)
                if options.screenshots:
                    options.screenshots.mkdir(parents=True, exist_ok=True)
                    browser.screenshot(options.screenshots / f"{name}.png")
                for line in wrong:
                    print(f"FAILURE: {name}: {line}")
                failures += bool(wrong)
        finally:
            browser.process.terminate()
            browser.process.wait()
    print(f"{len(jobs)} pages, {failures} failures")
    return bool(failures)
