// The page's own interface: loading screen, stop, modes, hands, keys, views and the first steps. It shows what the station tells
// ("parts") and asks for actions by name; the station judges every one (page/messages.py, page_server.py).
(() => {
  "use strict";
  const HOLD_PERIOD = 100; // [ms]; three in a row missed release a control
  const STARTING = 30000; // how long another session may take to serve its page [ms]
  const FRAMES = 6; // drawn after the robot was told of, until it counts as seen
  const line = window.handhold;
  delete window.handhold;
  const root = document.getElementById("hh");
  const facts = JSON.parse(root.dataset.facts);
  const parts = { robot: null, controls: null, seat: null, progress: null, session: null };

  // Without a GPU it is multisampling that costs: ten times the frames without it.
  const isSoftware = () => {
    const gl = document.createElement("canvas").getContext("webgl");
    const told = gl && gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = gl ? gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "";
    const lose = gl && gl.getExtension("WEBGL_lose_context");
    if (lose) lose.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  };
  if (isSoftware()) {
    const getContext = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
      return getContext.call(this, kind, { ...options, antialias: false });
    };
  }

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  };
  const shown = new Map(); // what each place shows, so that a click is not lost to a button that is made anew
  const fill = (place, key, build) => {
    const told = JSON.stringify(key);
    if (shown.get(place) === told) return;
    shown.set(place, told);
    place.replaceChildren(...build().filter((child) => child != null));
  };

  // --- what is asked for: once, or for as long as a button or key is held
  const ask = (name) => line.ask(name, false);
  const held = new Map();
  const hold = (name) => {
    if (held.has(name)) return;
    line.ask(name, true);
    held.set(name, setInterval(() => line.ask(name, true), HOLD_PERIOD));
  };
  const release = (name) => {
    clearInterval(held.get(name));
    held.delete(name);
  };
  const releaseAll = () => [...held.keys()].forEach(release);
  const pressed = new Map(); // what each pointer and key that is down holds
  const press = (by, name) => {
    pressed.set(by, name);
    hold(name);
  };
  const letGoOf = (by) => {
    if (!pressed.has(by)) return;
    const name = pressed.get(by);
    pressed.delete(by);
    // A key and a button may hold the same: it is released with the last of them.
    if (![...pressed.values()].includes(name)) release(name);
  };
  // Heard by the window: a button that is made anew while it is held does not hear that it is let go.
  for (const kind of ["pointerup", "pointercancel"]) {
    window.addEventListener(kind, (event) => letGoOf(event.pointerId), true);
  }
  const holdButton = (name, attributes, ...children) =>
    make(
      "button",
      {
        ...attributes,
        onpointerdown: (event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          press(event.pointerId, name);
        },
        oncontextmenu: (event) => event.preventDefault(),
        onkeydown: (event) => {
          if (event.key === "Enter" && !event.repeat) press(event.code, name);
        },
      },
      ...children,
    );

  // --- the places
  const places = {};
  for (const name of ["top", "steps", "messages", "views", "left", "pads", "right", "bar"]) {
    places[name] = make("div", { class: `hh-${name}` });
  }
  places.messages.setAttribute("role", "status");
  const board = make(
    "div",
    { id: "hh-board" },
    make("div", { class: "hh-head" }, places.top, places.views),
    make("div", { class: "hh-body" }, places.steps, places.messages),
    make("div", { class: "hh-foot" }, places.left, places.pads, places.right),
    places.bar,
  );
  root.append(board);
  // What is pressed here is not for the viewer.
  for (const kind of ["pointerdown", "mousedown", "wheel", "dblclick"]) {
    board.addEventListener(kind, (event) => event.stopPropagation());
  }

  let hand = "left"; // that the keys are for
  const isThere = (side) => Boolean(parts.controls && parts.controls.words[side]);
  const select = (name) => {
    if (isThere(name)) hand = name;
    render();
  };

  // --- modes, the robot, the world
  const renderTop = () => {
    const controls = parts.controls;
    fill(places.top, [controls && controls.modes, controls && controls.switches], () => {
      const modes = Object.entries((controls && controls.modes) || {});
      const switches = Object.entries((controls && controls.switches) || {});
      return [
        facts.title &&
          make("button", { class: "hh-name", title: "Choose another robot or world", onclick: openChoice }, facts.title, make("small", {}, facts.world)),
        modes.length &&
          make(
            "div",
            { class: "hh-modes", role: "group", "aria-label": "Mode" },
            ...modes.map(([request, one]) =>
              make(
                "button",
                {
                  "aria-pressed": String(one.present),
                  "aria-disabled": one.reason ? "true" : null,
                  title: one.reason || (one.present ? "in charge" : `change to ${one.title}`),
                  onclick: () => ask(request),
                },
                one.title,
                one.reason && make("small", {}, one.reason),
              ),
            ),
          ),
        switches.length &&
          make(
            "details",
            { class: "hh-switches" },
            make("summary", {}, "Options"),
            ...switches.map(([request, one]) =>
              make(
                "button",
                { "aria-pressed": String(one.present), onclick: () => ask(request) },
                `${one.title}: ${one.present ? "on" : "off"}`,
              ),
            ),
          ),
      ].map((child) => child || null);
    });
  };

  // --- views
  let details = false;
  const toggleDetails = () => {
    details = !details;
    document.documentElement.classList.toggle("hh-details", details);
    render();
  };
  let following = false;
  const robotViews = () => [
    ...["Behind", "Front", "Side"].map((name) =>
      make("button", { title: `Look from ${name.toLowerCase()}`, onclick: () => ask(`view:${name.toLowerCase()}`) }, name),
    ),
    make(
      "button",
      {
        "aria-pressed": String(following),
        title: "Let the camera go with the robot",
        onclick: () => {
          following = !following;
          ask("view:follow");
          render();
        },
      },
      "Follow",
    ),
  ];
  const renderViews = () =>
    fill(places.views, [following, details, Boolean(parts.controls)], () => [
      ...(facts.has_robot ? robotViews() : []),
      make("button", { "aria-pressed": String(details), title: "Speed, force and all figures", onclick: toggleDetails }, "Details"),
      // Where a headset drives there is nothing to press here but the stop, which says its keys itself.
      parts.controls && make("button", { "aria-label": "Help", title: "Show the first steps and the keys", onclick: openHelp }, "?"),
    ]);

  // --- the first steps, each ticked off when it has really been done
  const STORE = "handhold-steps";
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(STORE)) || {};
    } catch {
      return {};
    }
  };
  const kept = { done: {}, closed: false, ...read() };
  const keep = () => {
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch {
      // a browser that keeps nothing shows the steps again
    }
  };
  let withKeys = false; // asked for by "?"; an operator who opens the page for the first time needs three steps, no more
  const closeSteps = () => {
    kept.closed = true;
    withKeys = false;
    keep();
    render();
  };
  function openHelp() {
    if (withKeys) return closeSteps();
    withKeys = true;
    if (kept.closed) kept.done = {};
    kept.closed = false;
    keep();
    render();
  }
  const KEYS = [
    ["Space, Esc", "stop"], ["G", "resume"], ["1, 2", "left, right hand"], ["← ↑ ↓ →", "move the hand"],
    ["PgUp, PgDn", "raise, lower it"], ["L", "lean on, let go"], ["P", "push, while held"], ["C", "close, open the gripper"], ["V", "preview"],
    ["W A S D", "lean or walk"], ["Q, E", "turn"], ["R, F", "rise, crouch"],
  ];
  const listKeys = () =>
    make("dl", { "aria-label": "Keys" }, ...KEYS.flatMap(([key, does]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)]));
  const listSteps = () => {
    const modes = Object.entries((parts.controls && parts.controls.modes) || {});
    const walking = modes.find(([, mode]) => mode.walks);
    const steps = [{ name: "drag", words: ["Drag the ", make("b", {}, "coloured arrows"), " at a hand: the robot follows."] }];
    steps.push({
      name: "brace",
      words: facts.surface
        ? ["Bring a hand to the ", make("b", {}, facts.surface), " and press ", make("b", {}, "Lean on"), "."]
        : ["There is nothing to lean on here: choose a world with a wall, by the robot's name above."],
    });
    if (walking) {
      steps.push({ name: "walk", words: ["Press ", make("b", {}, walking[1].title), " and hold ", make("b", { class: "hh-keys" }, "W A S D"), make("b", { class: "hh-arrows" }, "▲ ▼ ◀ ▶"), "."] });
    }
    return steps;
  };
  const tick = () => {
    const robot = parts.robot;
    if (!robot) return;
    const hands = Object.values(robot.hands);
    const done = {
      drag: hands.some((one) => one.engaged),
      brace: hands.some((one) => one.contact === "loaded"),
      walk: robot.walked >= 0.1,
    };
    for (const [name, is] of Object.entries(done)) {
      if (is && !kept.done[name]) {
        kept.done[name] = true;
        keep();
      }
    }
  };
  const renderSteps = () => {
    const controls = parts.controls;
    const open = controls && facts.title && !kept.closed;
    fill(places.steps, [open, withKeys, kept.done, Object.keys((controls && controls.modes) || {})], () => {
      if (!open) return [];
      const steps = listSteps();
      const all = steps.every((step) => kept.done[step.name]);
      const now = steps.find((step) => !kept.done[step.name]);
      return [
        make(
          "section",
          { class: "hh-card", "aria-label": "First steps" },
          make("h2", {}, all ? "You have done it all" : "First steps"),
          make(
            "ol",
            {},
            ...steps.map((step) => make("li", { class: kept.done[step.name] ? "hh-done" : step === now ? "hh-now" : "" }, make("span", {}, ...step.words))),
          ),
          withKeys ? listKeys() : null,
          make("button", { class: "hh-quiet", onclick: closeSteps }, all ? "Close" : "I know this"),
        ),
      ];
    });
  };

  // --- what the robot says
  let online = true;
  const renderMessages = () => {
    const words = [...((parts.robot && parts.robot.messages) || [])];
    if (failure) words.unshift(failure);
    if (!online) words.unshift("No word from the station: this page connects again by itself");
    const seat = parts.seat;
    fill(places.messages, [words, seat], () => [
      seat && (!seat.drives || seat.buttons.length || seat.refused)
        ? make(
            "div",
            { class: "hh-seat" },
            make("span", {}, [seat.drives && seat.buttons.length === 0 ? "" : seat.words, seat.refused].filter(Boolean).join(" ")),
            ...seat.buttons.map(([action, title]) => make("button", { onclick: () => ask(action) }, title)),
          )
        : null,
      ...words.map((one) => make("div", { class: "hh-message" }, one)),
    ]);
  };

  // --- hands
  const CONTACT = {
    approaching: "on its way to the surface",
    touching: "touches",
    loading: "begins to bear",
    loaded: "leans: it bears weight",
    unloading: "is taken off",
  };
  const describeHand = (robot) => {
    if (CONTACT[robot.contact]) return CONTACT[robot.contact];
    if (robot.engaged) return "follows you";
    return robot.waiting || "drag its arrows";
  };
  // Forces change all the time: their place is one of its own, so that the card's buttons are not made anew with them.
  const gauges = { left: make("div", { class: "hh-gauges" }), right: make("div", { class: "hh-gauges" }) };
  const renderGauges = (side, support) =>
    fill(gauges[side], support, () =>
      support
        ? [
            support.gain && make("b", {}, support.gain),
            ...support.gauges.map((one) =>
              make(
                "div",
                { class: one.near ? "hh-near" : "" },
                one.words,
                make("div", { class: "hh-track" }, make("div", { style: `width: ${one.filled}%` })),
              ),
            ),
          ].map((child) => child || null)
        : [],
    );
  const renderHand = (side) => {
    const controls = parts.controls;
    const { support, ...robot } = (parts.robot && parts.robot.hands[side]) || { engaged: false, waiting: "", contact: "free" };
    renderGauges(side, support);
    const words = controls && controls.words[side];
    const chosen = hand === side;
    fill(places[side], [words, robot, chosen], () => {
      if (!words) return [];
      const title = side === "left" ? "Left hand" : "Right hand";
      return [
        make(
          "section",
          { class: `hh-card hh-hand${chosen ? " hh-chosen" : ""}`, "aria-label": title },
          make(
            "button",
            { class: "hh-title", title: `Keys are for this hand (${side === "left" ? "1" : "2"})`, onclick: () => select(side) },
            make("i", { class: robot.engaged ? "hh-on" : robot.contact === "loaded" ? "hh-bears" : "" }),
            title,
            chosen ? make("kbd", {}, "← ↑ ↓ →") : make("kbd", {}, side === "left" ? "1" : "2"),
          ),
          make("p", {}, describeHand(robot)),
          gauges[side],
          make(
            "div",
            { class: "hh-row" },
            words.primary &&
              make(
                "button",
                { class: "hh-main", "aria-label": `${words.primary}, ${side} hand`, onclick: () => ask(`${side}:primary`) },
                words.primary,
                chosen ? make("kbd", {}, "L") : null,
              ),
            words.trigger &&
              holdButton(`${side}:push`, { "aria-label": `${words.trigger}, ${side} hand` }, words.trigger, chosen ? make("kbd", {}, "P") : null),
            words.grip &&
              make(
                "button",
                { "aria-label": `${words.grip} gripper, ${side} hand`, title: `${words.grip} the gripper`, onclick: () => ask(`${side}:grip`) },
                words.grip,
                chosen ? make("kbd", {}, "C") : null,
              ),
            words.secondary &&
              make(
                "button",
                { "aria-label": `${words.secondary}, ${side} hand`, onclick: () => ask(`${side}:secondary`) },
                words.secondary,
                chosen ? make("kbd", {}, "V") : null,
              ),
          ),
        ),
      ];
    });
  };

  // --- the sticks, by buttons and keys
  const renderPads = () => {
    const words = parts.controls && parts.controls.words;
    fill(places.pads, words && [words.left_stick, words.right_stick, words.height], () => {
      if (!words) return [];
      const pad = (action, key, mark, title) =>
        holdButton(`stick:${action}`, { class: "hh-pad", "aria-label": title, title: `${title} (${key})` }, mark, make("kbd", {}, key));
      const group = (title, ...pads) => make("div", { class: "hh-group", role: "group", "aria-label": title }, make("span", {}, title), ...pads);
      const rows = [];
      if (words.left_stick) {
        const does = words.left_stick;
        rows.push(
          group(
            does,
            pad("left", "A", "◀", `${does} left`),
            make(
              "div",
              { class: "hh-column" },
              pad("forward", "W", "▲", `${does} forward`),
              pad("back", "S", "▼", `${does} back`),
            ),
            pad("right", "D", "▶", `${does} right`),
          ),
        );
      }
      if (words.right_stick) {
        rows.push(group(words.right_stick, pad("turn left", "Q", "↶", "Turn left"), pad("turn right", "E", "↷", "Turn right")));
      }
      if (words.height) {
        rows.push(
          group(words.height, make("div", { class: "hh-column" }, pad("up", "R", "▲", "Rise"), pad("down", "F", "▼", "Crouch"))),
        );
      }
      return rows.length ? [make("section", { class: "hh-card hh-sticks" }, ...rows)] : [];
    });
  };

  // --- stop: a bar that is always there, also where a headset drives
  const findStop = () => (parts.controls || parts.robot || { stop: null }).stop;
  const renderBar = () => {
    const stop = findStop();
    fill(places.bar, [stop, Boolean(parts.controls)], () => {
      if (stop === null) return [];
      const damp = make("button", { class: "hh-damp", title: "The joints only brake: the robot sinks down", onclick: () => ask("stop:damp") }, "Damp the joints");
      const words = { "": "STOP", hold: "Stopped: the robot holds", damp: "Stopped: joints damped. Begin another session." }[stop];
      // The stop stays where it is: who hits it twice does not resume.
      return [
        make(
          "button",
          { class: "hh-stop", onclick: () => ask("stop:hold"), "aria-label": stop ? `STOP. ${words}` : "STOP" },
          words,
          ...(stop ? [] : [make("kbd", {}, "Space"), make("kbd", {}, "Esc")]),
        ),
        stop === "hold" && parts.controls
          ? make("button", { class: "hh-resume", onclick: () => ask("stop:resume") }, "Resume", make("kbd", {}, "G"))
          : null,
        stop === "damp" ? null : damp,
      ];
    });
  };

  // --- another robot or world: until the station has gone for it this session goes on, and its stop stays in reach
  let chosen = false;
  let failure = "";
  const leave = () => {
    if (!chosen || !loading || !loading.hidden) return;
    showLoading("Starting another session");
    setTimeout(() => chosen && stay("The session did not start: see the terminal"), STARTING);
  };
  const stay = (words) => {
    if (!chosen || !loading) return;
    chosen = false;
    failure = words;
    loading.hidden = true;
    render();
  };
  function openChoice() {
    const pick = (name, listed, chosen) =>
      make(
        "label",
        {},
        name,
        make("select", {}, ...listed.map(([value, title]) => make("option", { value, selected: value === chosen }, `${value}: ${title}`))),
      );
    const robots = pick("Robot", facts.robots, facts.robot);
    const worlds = pick("World", facts.worlds, facts.world);
    const drives = !parts.controls || Boolean(parts.seat && parts.seat.drives);
    const start = () => {
      const [robot, world] = [robots, worlds].map((one) => one.querySelector("select").value);
      ask(`session:${robot}:${world}`);
      dialog.close();
      chosen = true;
    };
    const dialog = make(
      "dialog",
      { class: "hh-card", onclose: () => dialog.remove() },
      make("h2", {}, "Robot and world"),
      robots,
      worlds,
      make("p", {}, "The session begins anew: the simulated robot is put up again, and this page comes back by itself."),
      make(
        "div",
        { class: "hh-row" },
        make("button", { onclick: () => dialog.close() }, "Cancel"),
        parts.session && parts.session.choice
          ? make("button", { class: "hh-main", onclick: start, disabled: !drives, title: drives ? null : "Only the page that drives may" }, "Start")
          : make("code", {}, "handhold run --robot NAME --world NAME"),
      ),
    );
    root.append(dialog);
    dialog.showModal();
  }

  // --- until the robot is drawn
  const loading = document.getElementById("hh-loading");
  const say = (words, share) => {
    if (!loading) return;
    document.getElementById("hh-progress").textContent = words;
    document.getElementById("hh-share").style.width = `${Math.round(100 * share)}%`;
  };
  let drawn = !loading;
  const showLoading = (words) => {
    if (!loading) return;
    loading.hidden = false;
    say(words, 0.02);
  };
  const reveal = () => {
    if (drawn) return;
    drawn = true;
    let frames = FRAMES;
    const next = () => {
      if (frames-- > 0) return requestAnimationFrame(next);
      loading.hidden = true;
      root.dataset.drawn = "";
    };
    say("Drawing the robot", 1);
    requestAnimationFrame(next);
  };

  // --- keys
  const HELD_KEYS = {
    KeyW: "stick:forward", KeyS: "stick:back", KeyA: "stick:left", KeyD: "stick:right",
    KeyQ: "stick:turn left", KeyE: "stick:turn right", KeyR: "stick:up", KeyF: "stick:down",
    ArrowUp: "HAND:forward", ArrowDown: "HAND:back", ArrowLeft: "HAND:left", ArrowRight: "HAND:right",
    PageUp: "HAND:up", PageDown: "HAND:down", KeyP: "HAND:push",
  };
  const ASKED_KEYS = { KeyL: "HAND:primary", KeyV: "HAND:secondary", KeyC: "HAND:grip", KeyG: "stop:resume" };
  const isTyping = (target) => target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select");
  window.addEventListener(
    "keydown",
    (event) => {
      if (findStop() === null || event.ctrlKey || event.metaKey || event.altKey) return;
      const take = () => {
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      // Stop is heard always: also while a number is typed in, and without clicking the button that was clicked last.
      if (event.code === "Escape" || (event.code === "Space" && !isTyping(event.target))) {
        take();
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        if (!event.repeat) ask("stop:hold");
        return;
      }
      if (!parts.controls || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const own = (name) => name.replace("HAND", hand);
      if (HELD_KEYS[event.code]) {
        take();
        if (event.repeat) return;
        press(event.code, own(HELD_KEYS[event.code])); // the hand may be changed until it is let go
      } else if (ASKED_KEYS[event.code]) {
        take();
        if (!event.repeat) ask(own(ASKED_KEYS[event.code]));
      } else if (event.code === "Digit1" || event.code === "Digit2") {
        take();
        select(event.code === "Digit1" ? "left" : "right");
      }
    },
    true,
  );
  window.addEventListener(
    "keyup",
    (event) => {
      if (event.code === "Space" && !isTyping(event.target)) event.preventDefault();
      letGoOf(event.code);
    },
    true,
  );
  const letGo = () => {
    pressed.clear();
    releaseAll();
  };
  window.addEventListener("blur", letGo);
  document.addEventListener("visibilitychange", () => document.hidden && letGo());

  function render() {
    if (!isThere(hand)) hand = ["left", "right"].find(isThere) || hand;
    renderTop();
    renderViews();
    renderSteps();
    renderMessages();
    renderHand("left");
    renderHand("right");
    renderPads();
    renderBar();
    board.classList.toggle("hh-held", [parts.robot, parts.controls].some((part) => part && part.stop));
  }
  line.onpart = (part, value) => {
    parts[part] = value;
    if (part === "progress" && value) say(value.words, value.share);
    if (part === "session" && value && facts.session) {
      if (value.id !== facts.session) location.reload();
      stay("");
    }
    if (part === "robot") {
      reveal();
      tick();
    }
    render();
  };
  line.online = (is) => {
    online = is;
    following = following && is;
    if (is) failure = "";
    else leave();
    render();
  };
  render();
})();
