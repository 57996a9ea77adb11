// Put before viser's client: gives its one script the page's nonce, lets its worker say that the page lives, and carries what
// the page's own interface (interface.js) tells and is told by the same websocket.
(() => {
  "use strict";
  const nonce = document.currentScript.nonce;
  const createElement = Document.prototype.createElement;
  document.createElement = function (name, options) {
    const element = createElement.call(document, name, options);
    if (String(name).toLowerCase() === "script") {
      element.nonce = nonce;
      delete document.createElement; // the next script has no leave
    }
    return element;
  };

  const identity = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, "0")).join("");

  // Within the worker that owns the websocket. Frames are told by the page; the worker says how long ago the last one was.
  const prelude = `(() => {
    let frame = performance.now(), shown = false, timer = null;
    const beat = () => self.onmessage && self.onmessage({ data: { type: "send",
      message: { type: "HandholdBeat", frame_age: Math.max(0, performance.now() - frame) / 1000, shown, identity: "${identity}" } } });
    self.addEventListener("message", (event) => {
      const told = event.data && event.data.handhold;
      if (!told) return;
      event.stopImmediatePropagation();
      if (told === "begin" && timer === null) timer = setInterval(beat, BEAT);
      if (told === "frame") frame = performance.now();
      const changed = shown !== event.data.shown;
      shown = event.data.shown;
      if (changed) beat();
    });
    const post = self.postMessage.bind(self);
    self.postMessage = (data, transfer) => {
      if (data && data.type === "message_batch") {
        const own = data.messages.filter((message) => message.type === "HandholdPart");
        if (own.length) {
          post({ handhold: own });
          data = { ...data, messages: data.messages.filter((message) => message.type !== "HandholdPart") };
        }
      }
      post(data, transfer);
    };
  })();
  `;
  const sources = new Map();
  const createObjectURL = URL.createObjectURL.bind(URL);
  const revokeObjectURL = URL.revokeObjectURL.bind(URL);
  URL.createObjectURL = (object) => {
    const url = createObjectURL(object);
    if (object instanceof Blob && object.type.includes("javascript")) sources.set(url, object);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    sources.delete(url);
    revokeObjectURL(url);
  };

  let line = null; // the worker that owns the websocket
  const tell = (what) => line && line.postMessage({ handhold: what, shown: !document.hidden });
  const NativeWorker = Worker;
  window.Worker = class extends NativeWorker {
    constructor(url, options) {
      const source = sources.get(String(url));
      super(source ? createObjectURL(new Blob([prelude, source], { type: source.type })) : url, options);
      this.addEventListener("message", (event) => {
        const told = event.data;
        if (told && told.handhold) {
          event.stopImmediatePropagation();
          for (const part of told.handhold) handhold.onpart(part.part, JSON.parse(part.content));
        } else if (told && (told.type === "connected" || told.type === "closed")) {
          handhold.online(told.type === "connected");
        }
      });
    }
    postMessage(message, transfer) {
      super.postMessage(message, transfer);
      if (message && message.type === "set_server") {
        line = this;
        tell("begin");
      }
    }
  };
  const handhold = { onpart: () => {}, online: () => {}, ask: () => {} };
  handhold.ask = (name, held) => line && line.postMessage({ type: "send", message: { type: "HandholdAction", name, held } });
  window.handhold = handhold;

  // A frame now and then tells as much as all of them, and a page that draws without a GPU cannot spare more.
  const draw = () => {
    tell("frame");
    setTimeout(() => requestAnimationFrame(draw), FRAME);
  };
  requestAnimationFrame(draw);
  document.addEventListener("visibilitychange", () => tell("hidden"));
})();
