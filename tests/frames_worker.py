"""A process with the headset's frames, which is asked as ``openxr_worker`` is."""

from __future__ import annotations

import base64
import ctypes
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
from openxr_worker import Worker, serve

from handhold.devices.openxr.device import OpenXrDevice
from handhold.render.gl.context import EglContext, GlxContext
from handhold.render.gl.eye import Eye
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.openxr.headset import Headset
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


class KeepingRenderer(Renderer):
    """A renderer that keeps its last picture."""

    image = np.zeros((1, 1, 4), dtype=np.uint8)

    def draw(self, target: Target, eye: Eye) -> None:
        super().draw(target, eye)
        self.image = target.read_pixels()


class FramesWorker(Worker):
    """What can be asked of the device and of its frames."""

    def __init__(self, graphics: str) -> None:
        context = {"egl": EglContext, "glx": GlxContext}[graphics]()
        self.device = OpenXrDevice(clock=time.monotonic, graphics=context)
        self.scene: Scene | None = make_scene([], [])
        self.pictures: dict[int, tuple[np.ndarray, Eye]] = {}
        self.depth = 0.0
        self.capturing = False
        self.layers: list[int] = []
        self.depth_info: Any = None
        self.blend_mode = self.layer_flags = 0
        self.offered: list[int] = []
        self.head_renderer = KeepingRenderer({})
        self.headset = Headset(self.device, Renderer({}), self.head_renderer, self.take_scene, self.keep)
        self.context, self.mirror = context, None
        self._watch_layers()

    def take_scene(self) -> Scene | None:
        scene, self.scene = self.scene, None
        return scene

    def keep(self, number: int, target: Target, eye: Eye) -> None:
        if self.mirror is not None:
            self.mirror.take(number, target, eye)
        if self.capturing:
            self.pictures[number] = (target.read_pixels(), eye)
            self.depth = float(target.read_depth()[target.height // 2, target.width // 2])

    def _watch_layers(self) -> None:
        import xr

        end_frame = xr.raw_functions.xrEndFrame

        def count_layers(session: Any, info: Any) -> Any:
            self.layers.append(int(info.layer_count))
            self.blend_mode = int(info._environment_blend_mode)
            if self.offered:
                # Monado takes no mode that it does not offer itself.
                info._environment_blend_mode = int(xr.EnvironmentBlendMode.OPAQUE)
            if info.layer_count:
                projection = ctypes.cast(info._layers[0], ctypes.POINTER(xr.CompositionLayerProjection)).contents
                self.layer_flags = int(projection._layer_flags)
                depth = projection._views[0]._next
                kind = ctypes.POINTER(xr.CompositionLayerDepthInfoKHR)
                self.depth_info = ctypes.cast(depth, kind).contents if depth else None
            return end_frame(session, info)

        xr.raw_functions.xrEndFrame = count_layers

    def offer_blend_modes(self, modes: list[str]) -> dict[str, Any]:
        """Let the headset have other blend modes from its next session on; Monado's remote headset is opaque only."""
        import xr

        self.offered = [int(xr.EnvironmentBlendMode[mode]) for mode in modes]

        def enumerate_other_modes(instance: Any, system: Any, kind: Any, capacity: Any, count: Any, out: Any) -> Any:
            count._obj.value = len(self.offered)
            for number, mode in enumerate(self.offered if out is not None else ()):
                out[number] = mode
            return xr.Result.SUCCESS

        xr.raw_functions.xrEnumerateEnvironmentBlendModes = enumerate_other_modes
        return {"done": True}

    def display(self) -> dict[str, Any]:
        return {"display": self.device.session.display.name}

    def see_through(self) -> dict[str, Any]:
        """Show a box over the real room."""
        self.scene = replace(make_scene([], []), background=np.zeros(4, dtype=np.float32), see_through=True)
        return {"done": True}

    def blending(self) -> dict[str, Any]:
        """Tell how the last frame was put together with the real room."""
        import xr

        return {
            "mode": xr.EnvironmentBlendMode(self.blend_mode).name,
            "by_alpha": bool(self.layer_flags & int(xr.CompositionLayerFlags.BLEND_TEXTURE_SOURCE_ALPHA_BIT)),
            "unpremultiplied": bool(self.layer_flags & int(xr.CompositionLayerFlags.UNPREMULTIPLIED_ALPHA_BIT)),
        }

    def show(self, boxes: list[dict[str, Any]], labels: list[str] = [], moved: float = 0.0) -> dict[str, Any]:  # noqa: B006
        self.scene = make_scene(boxes, labels, moved)
        return {"done": True}

    def look(self) -> dict[str, Any]:
        """Draw frames until both eyes were seen, and answer with their pictures and poses."""
        self.capturing = True
        self.pictures.clear()
        while len(self.pictures) < 2:
            self.headset.pump()
            self.device.read()
        self.capturing = False
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

    def read_head_layer(self) -> dict[str, Any]:
        """Tell what is on the screen that is fixed to the head: something red, something white, nothing at its corners."""
        image = self.head_renderer.image.astype(int)
        red = (image[..., 0] > 100) & (image[..., 1:3] < 30).all(axis=-1) & (image[..., 3] == 255)
        white = (image[..., :3] > 150).all(axis=-1) & (image[..., 3] > 150)
        return {
            "size": [image.shape[1], image.shape[0]],
            "seen": [bool(red.any()), bool(white.any())],
            "clear": bool((image[[0, 0, -1, -1], [0, -1, 0, -1]] == 0).all()),
        }

    def read_depth_layer(self) -> dict[str, Any]:
        """Tell how far away the middle of the right eye's picture is, by the depths that the runtime was given [m]."""
        if self.depth_info is None:
            return {"offered": False}
        near, far = self.depth_info.near_z, self.depth_info.far_z
        distance = near * far / (far - self.depth * (far - near))
        return {"offered": True, "near_z": near, "far_z": far, "distance": distance}

    def open_mirror(self) -> dict[str, Any]:
        """Open the mirror, and read each picture before it is swapped to the front, where nobody may read it."""
        import glfw
        from OpenGL import GL

        from handhold.render.openxr.mirror import Mirror

        assert isinstance(self.context, GlxContext)
        self.mirror = Mirror(self.context, self.head_renderer, time.monotonic)
        swap_buffers = glfw.swap_buffers

        def read_and_swap(window: Any) -> None:
            width, height = glfw.get_framebuffer_size(window)
            self.mirrored = np.empty((height, width, 4), dtype=np.uint8)
            GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, self.mirrored)
            swap_buffers(window)

        glfw.swap_buffers = read_and_swap
        return {"done": True}

    def read_mirror(self) -> dict[str, Any]:
        """Answer with the last picture of the mirror."""
        height, width = self.mirrored.shape[:2]
        image = base64.b64encode(self.mirrored[::-1].tobytes()).decode()
        return {"image": image, "size": [width, height], "shown": self.mirror.shown}

    def resize_mirror(self, width: int, height: int) -> dict[str, Any]:
        import glfw

        glfw.set_window_size(self.mirror.window, width, height)
        self.mirror.poll()
        return {"done": True}

    def close_mirror(self) -> dict[str, Any]:
        """Close the window as people do."""
        import glfw

        glfw.set_window_should_close(self.mirror.window, True)
        self.mirror.poll()
        return {"open": bool(self.mirror.window)}

    def hide(self, triangles: list[Any]) -> dict[str, Any]:
        """Let the runtime have a mask, which Monado's remote headset has not; it is read when a change of it is announced."""
        import xr

        corners = np.array(triangles, dtype=np.float32).reshape(-1, 2)

        def get_mask(_session: Any, _kind: Any, _view: Any, _type: Any, pointer: Any) -> int:
            mask = pointer.contents
            for number in range(min(mask.vertex_capacity_input, len(corners))):
                mask.vertices[number] = xr.Vector2f(*corners[number].tolist())
            for number in range(min(mask.index_capacity_input, len(corners))):
                mask.indices[number] = number
            mask.vertex_count_output = mask.index_count_output = len(corners)
            return 0

        get_address = xr.get_instance_proc_addr
        self.mask_function = xr.PFN_xrGetVisibilityMaskKHR(get_mask)
        xr.get_instance_proc_addr = lambda instance, name: (
            self.mask_function if name == "xrGetVisibilityMaskKHR" else get_address(instance, name)
        )
        self.device.session.system = "a headset with a mask"
        return self.change_mask()

    def change_mask(self) -> dict[str, Any]:
        import xr

        self.follow(xr.EventDataVisibilityMaskChangedKHR(session=self.device.session.handle))
        return {"done": True}

    def change_refresh_rate(self, rate: float) -> dict[str, Any]:
        import xr

        self.follow(xr.EventDataDisplayRefreshRateChangedFB(from_display_refresh_rate=60.0, to_display_refresh_rate=rate))
        return {"rate": self.device.session.state.refresh_rate}

    def change_state(self, state: str) -> dict[str, Any]:
        """Hand the session an event of its state, as when the runtime's own menu takes the focus."""
        import xr

        self.follow(
            xr.EventDataSessionStateChanged(
                session=self.device.session.handle, state=xr.SessionState[state], time=self.device.session.display_time
            )
        )
        return {"done": True}

    def show_nobody(self, nobody: bool) -> dict[str, Any]:
        """Let the runtime say of each frame that nobody will see it, or no longer."""
        import xr

        if not nobody:
            return self.restore("xrWaitFrame")
        wait_frame = xr.raw_functions.xrWaitFrame

        def wait_unseen(session: Any, info: Any, state: Any) -> Any:
            result = wait_frame(session, info, state)
            state._obj.should_render = 0
            return result

        xr.raw_functions.xrWaitFrame = wait_unseen
        return {"done": True}

    def lose_views(self) -> dict[str, Any]:
        """Let the runtime know nothing of where the head is from now on."""
        import xr

        locate = xr.raw_functions.xrLocateViews

        def locate_nothing(session: Any, info: Any, state: Any, capacity: Any, count: Any, views: Any) -> Any:
            result = locate(session, info, state, capacity, count, views)
            state._obj._view_state_flags = 0
            return result

        xr.raw_functions.xrLocateViews = locate_nothing
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
