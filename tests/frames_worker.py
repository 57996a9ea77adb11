"""A process with the headset's frames, which is asked as ``openxr_worker`` is."""

from __future__ import annotations

import base64
import sys
import time
from typing import Any

import numpy as np
from openxr_worker import Worker, serve

from handhold.devices.openxr import OpenXrDevice
from handhold.render.gl.context import EglContext, GlxContext
from handhold.render.gl.eye import Eye
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.headset import Headset
from handhold.render.scene import Anchor, Label, Scene, Shape, Solids

BACKGROUND = (0.02, 0.02, 0.05, 1.0)


def make_scene(boxes: list[dict[str, Any]], labels: list[str], moved: float = 0.0) -> Scene:
    """Return a scene of boxes (``position``, ``size``, ``color``, ``anchor``) and of texts fixed to the head."""
    solids = []
    for box in boxes:
        transform = np.diag([box["size"]] * 3 + [1.0])
        transform[:3, 3] = box["position"]
        anchor = Anchor[box.get("anchor", "WORLD")]
        color = np.array([box["color"]], dtype=np.float32)
        solids.append(Solids(shape=Shape.BOX, transforms=transform[None].astype(np.float32), colors=color, anchor=anchor))
    room = np.eye(4, dtype=np.float32)
    room[0, 3] = moved
    return Scene(
        solids=tuple(solids),
        labels=tuple(_make_label(text) for text in labels),
        background=np.array(BACKGROUND, dtype=np.float32),
        transform_room_to_world=room,
    )


def _make_label(text: str) -> Label:
    return Label(
        text=text,
        position=np.array([1.0, 0.0, 0.0]),
        height=0.1,
        color=np.ones(4, dtype=np.float32),
        background=np.zeros(4, dtype=np.float32),
        anchor=Anchor.HEAD,
    )


class FramesWorker(Worker):
    """What can be asked of the device and of its frames."""

    def __init__(self, graphics: str) -> None:
        context = {"egl": EglContext, "glx": GlxContext}[graphics]()
        self.device = OpenXrDevice(clock=time.monotonic, graphics=context)
        self.scene: Scene | None = make_scene([], [])
        self.pictures: dict[int, tuple[np.ndarray, Eye]] = {}
        self.wanted = False
        self.layers: list[int] = []
        self.headset = Headset(self.device, Renderer({}), Renderer({}), self.take_scene, self.keep)
        self._watch_layers()

    def take_scene(self) -> Scene | None:
        scene, self.scene = self.scene, None
        return scene

    def keep(self, number: int, target: Target, eye: Eye) -> None:
        if self.wanted:
            self.pictures[number] = (target.read_pixels(), eye)

    def _watch_layers(self) -> None:
        import xr

        end_frame = xr.raw_functions.xrEndFrame

        def count_layers(session: Any, info: Any) -> Any:
            self.layers.append(int(info.layer_count))
            return end_frame(session, info)

        xr.raw_functions.xrEndFrame = count_layers

    def show(self, boxes: list[dict[str, Any]], labels: list[str] = [], moved: float = 0.0) -> dict[str, Any]:  # noqa: B006
        self.scene = make_scene(boxes, labels, moved)
        return {"done": True}

    def look(self) -> dict[str, Any]:
        """Draw frames until both eyes were seen, and answer with their pictures and poses."""
        self.wanted = True
        self.pictures.clear()
        while len(self.pictures) < 2:
            self.headset.pump()
            self.device.read()
        self.wanted = False
        return {"eyes": [describe_eye(*self.pictures[number]) for number in (0, 1)]}

    def count(self) -> dict[str, Any]:
        count = self.headset.count
        return {
            "waited": count.waited,
            "drawn": count.drawn,
            "missed": count.missed,
            "layers": self.layers[-1],
            "ended": len(self.layers),
        }

    def recommend(self, width: int, height: int) -> dict[str, Any]:
        """Let the runtime recommend another size of pictures from now on."""
        import xr

        enumerate_views = xr.raw_functions.xrEnumerateViewConfigurationViews

        def enumerate_other_views(instance: Any, system: Any, kind: Any, capacity: Any, count: Any, views: Any) -> Any:
            result = enumerate_views(instance, system, kind, capacity, count, views)
            for number in range(capacity if views is not None else 0):
                views[number].recommended_image_rect_width = width
                views[number].recommended_image_rect_height = height
            return result

        xr.raw_functions.xrEnumerateViewConfigurationViews = enumerate_other_views
        return {"done": True}

    def frames(self, number: int) -> dict[str, Any]:
        """Draw some frames, reading the device after each."""
        for _ in range(number):
            self.headset.pump()
            self.device.read()
        return self.count()


def describe_eye(image: np.ndarray, eye: Eye) -> dict[str, Any]:
    return {
        "image": base64.b64encode(image.tobytes()).decode(),
        "size": [image.shape[1], image.shape[0]],
        "view": eye.view.tolist(),
        "field_of_view": list(eye.field_of_view),
    }


if __name__ == "__main__":
    serve(FramesWorker(sys.argv[1]))
