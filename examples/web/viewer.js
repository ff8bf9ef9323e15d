"use strict";
// The page's side of examples/viewer/src/page.rs: its clock, its address, and what the program tells.
// `dolmen.status` is the state of the run after the last frame.
const dolmen = { status: null };

// The page does not shine through what is drawn half transparent.
const getContext = canvas.getContext.bind(canvas);
canvas.getContext = kind => getContext(kind, { alpha: false });

canvas.addEventListener("contextmenu", event => event.preventDefault());

miniquad_add_plugin({
  name: "dolmen_viewer",
  version: 1,
  register_plugin(imports) {
    imports.env.dolmen_now = () => performance.now();
    imports.env.dolmen_address = (text, room) =>
      new TextEncoder().encodeInto(decodeURIComponent(location.search), new Uint8Array(wasm_memory.buffer, text, room)).written;
    imports.env.dolmen_status = (text, length) => {
      dolmen.status = JSON.parse(UTF8ToString(text, length));
      const loading = document.querySelector("#loading");
      if ("scene" in dolmen.status) loading?.remove();
      else loading.textContent = dolmen.status.problem;
    };
  },
});

load("dolmen-viewer.wasm");
