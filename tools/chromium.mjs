// Runs a program for `wasm32-wasip1` that opens no files in a worker of headless Chromium, without this process's environment:
// CARGO_TARGET_WASM32_WASIP1_RUNNER="node tools/chromium.mjs" cargo run --target wasm32-wasip1 ...
//
// CHROMIUM names the browser (default /usr/bin/chromium).
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The worker: WASI as far as a program without files needs it. What it prints goes back to this process, in order. */
function worker() {
  const post = (kind, body) => {
    const request = new XMLHttpRequest();
    request.open("POST", kind, false);
    request.send(body);
  };
  class Exit extends Error {
    constructor(code) {
      super(`exit ${code}`);
      this.code = code;
    }
  }
  onmessage = async ({ data: args }) => {
    let view = null;
    const utf8 = new TextEncoder();
    const memory = () => (view?.buffer.byteLength ? view : (view = new DataView(instance.exports.memory.buffer)));
    const put = (at, value) => memory().setUint32(at, value, true);
    const texts = list => list.map(argument => utf8.encode(`${argument}\0`));
    const sizes = list => (count, bytes) => {
      put(count, list.length);
      put(bytes, texts(list).reduce((sum, each) => sum + each.length, 0));
      return 0;
    };
    const get = list => (pointers, bytes) => {
      for (const [i, each] of texts(list).entries()) {
        put(pointers + 4 * i, bytes);
        new Uint8Array(memory().buffer, bytes, each.length).set(each);
        bytes += each.length;
      }
      return 0;
    };
    const wasi = {
      args_sizes_get: sizes(args),
      args_get: get(args),
      environ_sizes_get: sizes([]),
      environ_get: get([]),
      clock_time_get: (id, precision, time) => {
        memory().setBigUint64(time, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
        return 0;
      },
      fd_write: (fd, pieces, count, written) => {
        const bytes = [];
        for (let i = 0; i < count; i++) {
          const [at, length] = [0, 4].map(offset => memory().getUint32(pieces + 8 * i + offset, true));
          bytes.push(...new Uint8Array(memory().buffer, at, length));
        }
        post(fd === 1 ? "stdout" : "stderr", new Uint8Array(bytes));
        put(written, bytes.length);
        return 0;
      },
      sched_yield: () => 0,
      proc_exit: code => {
        throw new Exit(code);
      },
    };
    const module = await WebAssembly.compileStreaming(fetch("program.wasm"));
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
    try {
      instance.exports._start();
      post("exit", "0");
    } catch (error) {
      if (!(error instanceof Exit)) post("stderr", `${error.stack}\n`);
      post("exit", String(error.code ?? 1));
    }
  };
  onunhandledrejection = ({ reason }) => {
    post("stderr", `${reason}\n`);
    post("exit", "1");
  };
}

const args = process.argv.slice(2);
const script = `const worker = new Worker("worker.js"); worker.postMessage(${JSON.stringify(args)});`;
const files = {
  "/": ["text/html", `<!doctype html><script>${script}</script>`],
  "/worker.js": ["text/javascript", `(${worker})();`],
  "/program.wasm": ["application/wasm", await readFile(args[0])],
};
let end;
const ended = new Promise(done => (end = done));

const server = createServer(async (request, response) => {
  if (request.method === "POST") {
    const body = await text(request);
    if (request.url === "/exit") end(Number(body));
    else (request.url === "/stdout" ? process.stdout : process.stderr).write(body);
    response.end();
  } else {
    const [type, body] = files[request.url] ?? [];
    response.writeHead(body ? 200 : 404, { "content-type": type ?? "text/plain" }).end(body);
  }
});
await new Promise(done => server.listen(0, "127.0.0.1", done));

const profile = await mkdtemp(join(tmpdir(), "chromium-"));
const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
const browser = spawn(process.env.CHROMIUM ?? "/usr/bin/chromium", [...options, `http://127.0.0.1:${server.address().port}/`], {
  stdio: "ignore",
});
const closed = new Promise(done => browser.on("error", done).on("close", done));
closed.then(reason => {
  if (reason instanceof Error) console.error(String(reason));
  end(1);
});
const code = await ended;
browser.kill();
await closed;
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
process.exit(code);
