// Plays with the page in headless Chromium: it starts, steps with the bits of the native program, keys and the mouse do what
// they say, and nothing is complained of on the console. Then prints steps a second beside the native program on one thread.
//
// usage: node examples/web/test.mjs [FOLDER] [--pictures DIR]    FOLDER: as built by build.sh, default target/web
//
// CHROMIUM names the browser (default /usr/bin/chromium), VIEWER the native program (default: cargo builds it).
// Once before: npm --prefix examples/web install
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdir, readFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import puppeteer from "puppeteer-core";

const root = resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { pictures: { type: "string" } } });
const folder = resolve(positionals[0] ?? join(root, "target/web"));
const kinds = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = createServer(async (request, response) => {
  const name = new URL(request.url, "http://page").pathname.replace(/\/$/, "/index.html");
  try {
    const bytes = await readFile(join(folder, name));
    response.writeHead(200, { "content-type": kinds[extname(name)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  defaultViewport: { width: 1280, height: 720 },
  protocolTimeout: 600_000,
});
const complaints = [];
const page = await browser.newPage();
page.on("console", message => {
  if (["error", "warn", "assert"].includes(message.type())) complaints.push(message.text());
});
page.on("pageerror", error => complaints.push(String(error)));
page.on("requestfailed", request => complaints.push(`${request.url()}: ${request.failure().errorText}`));
page.on("dialog", dialog => {
  complaints.push(dialog.message());
  dialog.dismiss();
});

/** The status of the run. */
const status = () => page.evaluate(() => dolmen.status);

/** Waits until the status is as wanted, and returns it. */
async function until(wanted, what) {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const now = await page.evaluate(() => (typeof dolmen === "undefined" ? null : dolmen.status)).catch(() => null);
    if (now && wanted(now)) return now;
    await new Promise(done => setTimeout(done, 20));
  }
  assert.fail(`${what}: ${JSON.stringify(await status())}, ${complaints.join("; ")}`);
}

/** Opens a scene, at a step and paused if one is given. */
async function open(scene, at) {
  await page.goto(`${address}?scene=${scene}${at === undefined ? "" : `&at=${at}`}`);
  await page.focus("canvas");
  return until(now => now.scene === scene && (at === undefined || (now.step === at && now.hash)), `opens ${scene}`);
}

/** A key, down for more than a frame. */
const press = key => page.keyboard.press(key, { delay: 150 });

/** A click, down for more than a frame. */
async function click(x, y) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await new Promise(done => setTimeout(done, 150));
  await page.mouse.up();
}

/** The native program's status of a scene at a step, on one thread. */
function native(scene, step) {
  const options = ["--scene", scene, "--at", String(step), "--threads", "1", "--status"];
  const cargo = ["run", "--quiet", "--release", "-p", "dolmen-viewer", "--", ...options];
  const viewer = process.env.VIEWER;
  return JSON.parse(execFileSync(viewer ?? "cargo", viewer ? options : cargo, { cwd: root, encoding: "utf8" }));
}

const tests = {
  async "the page opens with a scene that plays"() {
    await page.goto(address);
    const first = await until(now => now.step > 5, "steps");
    assert.equal(first.scene, "pyramid-20");
    assert.equal(first.playing, true);
    assert.equal(first.simd, "simd128");
    assert.equal(await page.$("#loading"), null);
  },

  async "its bits are those of the table of hashes"() {
    const table = JSON.parse(await readFile(join(root, "tests/data/hashes.json"), "utf8")).f32;
    for (const [row, scene, step] of [["mixed 250", "mixed-250", 240], ["breach 6", "breach-6", 120]]) {
      assert.equal((await open(scene, step)).hash, table[row], row);
    }
  },

  async "its bits are those of the native program after 300 steps"() {
    for (const scene of ["pyramid-20", "mixed-250", "net-30"]) {
      assert.equal((await open(scene, 300)).hash, native(scene, 300).hash, scene);
    }
  },

  async "keys do what they say"() {
    const { hash } = await open("tower-20", 10);
    await press("Period");
    await until(now => now.step === 11 && !now.playing, "one step");
    await press("Comma");
    assert.equal((await until(now => now.step === 10, "one step back")).hash, hash);
    await press("Space");
    await until(now => now.playing && now.step > 30, "goes on");
    await press("Space");
    const paused = await until(now => !now.playing, "pauses");
    await press("Equal");
    await until(now => now.speed === 1, "faster");
    await press("Minus");
    await until(now => now.speed === 0, "slower");
    await page.mouse.move(640, 360);
    await press("KeyF");
    await press("Period");
    await until(now => now.bodies === paused.bodies + 1, "shoots a ball");
    await press("Home");
    await until(now => now.step === 0, "start of the timeline");
    await press("End");
    await until(now => now.step === paused.step + 1, "end of the timeline");
    await press("KeyX");
    await press("Period");
    await until(now => now.bodies === paused.bodies, "deletes a body");
    await press("KeyR");
    await until(now => now.step === 0 && now.last === 0, "restarts");
    await press("PageDown");
    await until(now => now.scene === "wall-20", "next scene");
  },

  async "the mouse does what it says"() {
    const still = await open("tower-20", 10);
    await page.mouse.move(640, 360);
    await page.mouse.down();
    await until(now => now.held === 0, "takes hold of a body");
    await page.mouse.move(700, 330, { steps: 5 });
    await press("Space");
    await until(now => now.held > 100 && now.step > 20, "pulls it, with so many newtons");
    await page.mouse.up();
    await until(now => now.held === null, "lets go");
    await press("Space");
    const paused = await until(now => !now.playing, "pauses");
    assert.equal(paused.yaw, still.yaw);
    await page.mouse.move(300, 600);
    await page.mouse.down();
    await page.mouse.move(500, 600, { steps: 5 });
    await page.mouse.up();
    await until(now => now.yaw < still.yaw - 0.5, "turns the camera");
    await page.mouse.wheel({ deltaY: -100 });
    await until(now => now.distance < still.distance, "comes nearer");
    await click(12.5, 702);
    await until(now => now.step === 0, "start of the timeline");
    await click(1267, 702);
    assert.equal((await until(now => now.step === paused.step, "end of the timeline")).hash, paused.hash);
    await click(60, 12 + 18 * 3 + 9);
    await until(now => now.scene === "wall-20", "a scene of the list");
  },

  async "a scene that is not there is named on the page and on the console"() {
    await page.goto(`${address}?scene=nothing`);
    await until(now => now.problem === "nothing: no such scene", "tells");
    assert.match(await page.$eval("#loading", text => text.textContent), /nothing: no such scene/);
    assert.match(complaints.join(), /^[^,]*nothing: no such scene[^,]*$/);
    complaints.length = 0;
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    assert.deepEqual(complaints, [], "on the console");
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
    complaints.length = 0;
  }
}

if (values.pictures) {
  await mkdir(values.pictures, { recursive: true });
  for (const step of [0, 120, 300]) {
    await open("mixed-600", step);
    await page.screenshot({ path: join(values.pictures, `mixed-600-${step}.png`) });
  }
}

const files = await Promise.all(["index.html", "gl.js", "viewer.js", "dolmen-viewer.wasm"].map(n => readFile(join(folder, n))));
const size = bytes => `${(bytes / 1e6).toFixed(2)} MB`;
const total = list => list.reduce((sum, bytes) => sum + bytes.length, 0);
console.log(`download: ${size(total(files))}, compressed ${size(total(files.map(bytes => gzipSync(bytes, { level: 9 }))))}`);
for (const [scene, steps] of [["pile-1000", 300], ["pyramid-20", 300], ["balls-1000", 300]]) {
  const [there, here] = [(await open(scene, steps)).msPerStep, native(scene, steps).msPerStep];
  const [a, b, ratio] = [1e3 / there, 1e3 / here, there / here].map(x => x.toPrecision(3));
  console.log(`${scene}: ${a} steps a second in the page, ${b} native, a step takes ${ratio} times as long`);
}
await browser.close();
server.close();
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
