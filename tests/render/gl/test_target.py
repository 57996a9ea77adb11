"""Targets, and renderers that come and go."""

from __future__ import annotations

import numpy as np
import pytest
from easel import SIZE, Easel, differs, make_eye, make_pose, make_solid, rgba
from OpenGL import GL

from handhold.render.errors import DrawingFailed, ShaderRefused
from handhold.render.gl import functions as gl
from handhold.render.gl import program
from handhold.render.gl.egl import EglContext
from handhold.render.gl.eye import FAR, NEAR
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.scene import Fill, Lines, Picture, Scene, Shape

DEPTH = 1e-3
"""How exactly a distance is found again from the depth [m]: float32 near 1."""
WALL = make_solid(Shape.BOX, make_pose(2.5, 0.0, 0.0), rgba(1, 1, 1, 1))


def test_depth_tells_the_distance(easel: Easel) -> None:
    easel.draw_on_black(solids=(WALL,))
    depth = easel.target.read_depth()
    ndc = 2.0 * depth[SIZE // 2, SIZE // 2] - 1.0
    assert 2.0 * FAR * NEAR / (FAR + NEAR - ndc * (FAR - NEAR)) == pytest.approx(2.0, abs=DEPTH)
    assert depth[0, 0] == 1.0


def test_edges_are_smooth(easel: Easel) -> None:
    line = Lines(ends=np.array([[(1.0, 0.4, 0.3), (1.0, -0.4, -0.2)]], np.float32), colors=rgba(1, 1, 1, 1)[None], width=0.1)
    levels = np.unique(easel.draw_on_black(lines=(line,))[..., 0])
    assert len(levels) > 3


def test_a_picture_goes_into_the_texture_that_is_attached(easel: Easel) -> None:
    texture, depth = gl.make(gl.gen_textures), gl.make(gl.gen_textures)
    for name, kind in ((texture, GL.GL_SRGB8_ALPHA8), (depth, GL.GL_DEPTH_COMPONENT32F)):
        gl.bind_texture(GL.GL_TEXTURE_2D, name)
        gl.tex_storage_2d(GL.GL_TEXTURE_2D, 1, kind, SIZE, SIZE)
    own = easel.draw_on_black(solids=(WALL,))
    easel.target.attach(texture, depth)
    other = easel.draw(Scene(background=rgba(0, 1, 0, 1)))
    easel.target.attach()
    assert (other[..., :3] == (0, 255, 0)).all()
    assert (easel.target.read_pixels() == own).all()
    easel.target.attach(texture, depth)
    assert (easel.target.read_pixels() == other).all()
    easel.target.attach()
    gl.free(gl.delete_textures, texture, depth)


def test_a_smaller_picture_leaves_the_rest_of_the_target(easel: Easel) -> None:
    easel.draw(Scene(background=rgba(0, 0, 1, 1)))
    whole = easel.draw_on_black(solids=(WALL,))
    half = easel.draw_on_black(make_eye(size=SIZE // 2), solids=(WALL,))
    assert (half[: SIZE // 2] == whole[: SIZE // 2]).all()
    seen = [differs(picture, np.zeros(3)).sum() for picture in (half[SIZE // 2 :, : SIZE // 2], whole)]
    assert seen[0] == pytest.approx(seen[1] / 4, rel=0.05)  # its outline is cut into pixels


def test_a_target_is_copied_onto_another_framebuffer(easel: Easel) -> None:
    picture = easel.draw_on_black(solids=(WALL,))
    other = Target(SIZE, SIZE)
    easel.target.copy_to(other.framebuffer, SIZE, SIZE)
    assert (other.read_pixels() == picture).all()
    other.close()


def test_a_target_without_samples_to_resolve_works_too(easel: Easel) -> None:
    single = Target(SIZE, SIZE, samples=1)
    easel.renderer.load(Scene(background=rgba(1, 0, 0, 1)))
    easel.renderer.draw(single, make_eye())
    assert (single.read_pixels()[..., 0] == 255).all()
    single.close()


def test_a_renderer_made_anew_in_another_context_draws_the_same(easel: Easel) -> None:
    scene = Scene(solids=(WALL,), background=rgba(0.1, 0.2, 0.3, 1))
    before = easel.draw(scene)
    context = EglContext()
    renderer, target = Renderer({}), Target(SIZE, SIZE)
    renderer.load(scene)
    renderer.draw(target, make_eye())
    after = target.read_pixels()
    renderer.close()
    target.close()
    context.close()
    easel.take_context()
    assert (before == after).all()
    assert (easel.look() == before).all()


def test_what_others_leave_set_does_not_matter(easel: Easel) -> None:
    fill = Fill(triangles=np.array([[(2, -1, -1), (2, 1, -1), (2, 0, 1)]], np.float32), colors=rgba(1, 0, 0, 0.5)[None])
    before = easel.draw_on_black(solids=(WALL,), fills=(fill,))
    gl.disable(GL.GL_DEPTH_TEST)
    gl.disable(GL.GL_FRAMEBUFFER_SRGB)
    gl.enable(GL.GL_SCISSOR_TEST)
    gl.enable(GL.GL_CULL_FACE)
    gl.enable(GL.GL_BLEND)
    gl.depth_mask(False)
    gl.color_mask(False, False, False, False)
    gl.depth_func(GL.GL_ALWAYS)
    gl.use_program(0)
    assert (easel.look() == before).all()


def test_a_scene_is_not_changed_by_being_drawn(easel: Easel) -> None:
    scene = Scene(solids=(WALL,))
    kept = [array.copy() for array in (WALL.transforms, WALL.colors, scene.background, scene.transform_room_to_world)]
    for array in (WALL.transforms, WALL.colors, scene.background, scene.transform_room_to_world):
        array.setflags(write=False)
    easel.draw(scene)
    now = (WALL.transforms, WALL.colors, scene.background, scene.transform_room_to_world)
    assert all((a == b).all() for a, b in zip(kept, now, strict=True))


def test_a_scene_is_not_needed_once_it_is_loaded(easel: Easel) -> None:
    transform, room = make_pose(2.5, 0.0, 0.0), np.eye(4, dtype=np.float32)
    image = np.full((4, 4, 3), 90, dtype=np.uint8)
    picture = Picture(image=image, version=77, transform=make_pose(2.0, 0.0, 0.0))
    scene = Scene(
        solids=(make_solid(Shape.BOX, transform, rgba(1, 1, 1, 1)),), pictures=(picture,), transform_room_to_world=room
    )
    before = easel.draw(scene)
    for array in (transform, room, image):
        array[:] = 7
    assert (easel.look() == before).all()


def test_a_target_that_cannot_be_had_is_an_error(easel: Easel) -> None:
    with pytest.raises(DrawingFailed, match="update the graphics driver"):
        Target(SIZE, SIZE, color_format=GL.GL_DEPTH_COMPONENT24)
    gl.get_error()


def test_a_shader_that_is_refused_is_named_with_the_reason(easel: Easel, monkeypatch: pytest.MonkeyPatch) -> None:
    read = program._read
    monkeypatch.setattr(program, "_read", lambda file: read(file).replace("void main", "void mian"))
    with pytest.raises(ShaderRefused, match=r"fill.*update the graphics driver"):
        program.build_program("fill")


def test_an_error_that_opengl_remembers_is_told(easel: Easel) -> None:
    gl.enable(0xFFFF)
    with pytest.raises(DrawingFailed, match="while testing"):
        gl.raise_errors("testing")
