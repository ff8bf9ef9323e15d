// Runs a program for `wasm32-wasip1` in Node, with the files and the environment of this process:
// CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings tools/wasi.mjs" cargo test --target wasm32-wasip1 ...
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env: process.env, preopens: { "/": "/" } });
const module = await WebAssembly.compile(await readFile(program));
process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
