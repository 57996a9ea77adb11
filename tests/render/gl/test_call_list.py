"""``CallList``: what is noted is called, in order, with the arguments it was noted with."""

from __future__ import annotations

import pytest
from easel import Easel
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList, CannotBeNoted


def test_calls_of_each_kind_arrive_with_their_arguments_as_often_as_they_are_submitted(easel: Easel) -> None:
    calls = CallList()
    calls(gl.viewport, 1, 2, 30, 40)
    calls(gl.clear_color, 0.25, 0.5, 0.75, 1.0)
    calls(gl.depth_mask, False)
    calls.pack()
    for _ in range(2):
        gl.viewport(0, 0, 8, 8)
        gl.clear_color(0.0, 0.0, 0.0, 0.0)
        gl.depth_mask(True)
        calls.submit()
        assert list(GL.glGetIntegerv(GL.GL_VIEWPORT)) == [1, 2, 30, 40]
        assert list(GL.glGetFloatv(GL.GL_COLOR_CLEAR_VALUE)) == [0.25, 0.5, 0.75, 1.0]
        assert not GL.glGetBooleanv(GL.GL_DEPTH_WRITEMASK)
    gl.depth_mask(True)


def test_the_last_of_two_calls_holds(easel: Easel) -> None:
    calls = CallList()
    calls(gl.viewport, 0, 0, 10, 10)
    calls(gl.viewport, 0, 0, 20, 20)
    calls.pack()
    calls.submit()
    assert list(GL.glGetIntegerv(GL.GL_VIEWPORT)) == [0, 0, 20, 20]


def test_what_was_cleared_is_called_no_more(easel: Easel) -> None:
    gl.viewport(0, 0, 8, 8)
    calls = CallList()
    calls(gl.viewport, 0, 0, 10, 10)
    calls.clear()
    calls.pack()
    calls.submit()
    assert list(GL.glGetIntegerv(GL.GL_VIEWPORT)) == [0, 0, 8, 8]


@pytest.mark.parametrize("function", [gl.get_error, gl.uniform_4f], ids=["returns something", "other arguments"])
def test_what_compiled_code_cannot_call_is_refused(function: gl.Function) -> None:
    with pytest.raises(CannotBeNoted):
        CallList()(function)
